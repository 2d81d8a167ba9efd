#include "rubrica/rouge.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "rubrica/parallel.hpp"
#include "rubrica/rouge_pair.hpp"

namespace rubrica {
namespace {

// What one thread works with. The memo outlives a call: a small call then finds its words known.
struct Worker {
    Memo memo;
    bool read_long_text = false;  // its tables have grown with it
    RougePair pair;
    ReadText reference, summary;
    std::vector<std::string_view> units;
    std::string lowered;
};

// Worker states for one set of word rules, and the numbering they share.
struct Scratch {
    WordRules rules;
    StemNumbers numbers;
    std::vector<std::unique_ptr<Worker>> workers;

    // Whether it is small enough to be kept for the next call.
    bool is_small() const {
        constexpr std::size_t most = std::size_t{32} << 20;
        std::size_t bytes = numbers.memory();
        for (const auto& worker : workers) {
            if (worker->read_long_text) return false;
            bytes += worker->memo.memory();
        }
        return bytes <= most;
    }
};

// Scratch objects that wait for the next call. Each serves one call at a time; one that has grown is
// thrown away, so strangers' texts cannot fill the memory for good.
class ScratchPool {
public:
    std::unique_ptr<Scratch> take(const WordRules& rules) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto& idle : idle_) {
            const WordRules& had = idle->rules;
            if (had.stemmer != rules.stemmer || had.exceptions != rules.exceptions ||
                had.stopwords != rules.stopwords || had.lists != rules.lists) {
                continue;
            }
            auto taken = std::move(idle);
            idle_.erase(idle_.begin() + (&idle - idle_.data()));
            return taken;
        }
        auto fresh = std::make_unique<Scratch>();
        fresh->rules = rules;
        return fresh;
    }

    void give_back(std::unique_ptr<Scratch> used) {
        constexpr std::size_t most_idle = 4;
        if (!used->is_small()) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (idle_.size() == most_idle) idle_.erase(idle_.begin());
        idle_.push_back(std::move(used));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> idle_;
};

ScratchPool& scratch_pool() {
    static ScratchPool pool;
    return pool;
}

// ---------------------------------------------------------------- reading

class TextReader {
public:
    TextReader(const RougeOptions& options, Scratch& scratch, Worker& worker)
        : options_(options), scratch_(scratch), worker_(worker) {}

    void read(const RawText& text, ReadText& out) {
        out.whole.clear();
        out.units.clear();
        out.own_units = false;
        if (options_.tokens == Tokens::given) {
            read_given(text, out.whole);
        } else if (options_.limit.any()) {
            read_limited(text, out);
        } else {
            const bool split = text.one_string && options_.newline_units;
            for (const std::string_view piece : text.pieces) append(piece, split, out.whole);
        }
        constexpr std::size_t long_text = 20'000;
        worker_.read_long_text |= out.whole.ids.size() + out.units.ids.size() > long_text;
    }

private:
    void append(std::string_view piece, bool newline_units, Words& out) {
        if (options_.tokens == Tokens::lower) piece = lower_like_python(piece, worker_.lowered);
        append_words(piece, newline_units, worker_.memo, scratch_.rules, scratch_.numbers, out);
        out.end_unit();
    }

    void read_given(const RawText& text, Words& out) {
        std::size_t i = 0;
        for (const std::uint32_t end : text.unit_ends) {
            for (; i < end; ++i) {
                out.ids.push_back(worker_.memo.find(text.pieces[i], scratch_.rules, scratch_.numbers));
            }
            out.end_unit();
        }
    }

    void read_limited(const RawText& text, ReadText& out) {
        split_units(text);
        if (options_.limit.bytes != 0 && options_.limit.words == 0) {
            cut_units(worker_.units, options_.limit);
            for (const std::string_view unit : worker_.units) append(unit, false, out.units);
            out.own_units = true;
            split_units(text);
        }
        cut_whole(worker_.units, options_.limit);
        for (const std::string_view unit : worker_.units) append(unit, false, out.whole);
    }

    void split_units(const RawText& text) {
        worker_.units.assign(text.pieces.begin(), text.pieces.end());
        if (!text.one_string || !options_.newline_units) return;
        std::string_view rest = text.pieces[0];
        worker_.units.clear();
        for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1)) {
            worker_.units.push_back(rest.substr(0, end));
        }
        worker_.units.push_back(rest);
    }

    const RougeOptions& options_;
    Scratch& scratch_;
    Worker& worker_;
};

// ---------------------------------------------------------------- the work and its division

// Pairs that share a reference, at most `most_pairs` of them: order[begin] .. order[end - 1].
struct Task {
    std::size_t begin, end;
};

std::vector<std::size_t> order_by_reference(std::span<const Pair> pairs, std::size_t references) {
    std::vector<std::size_t> place(references + 1, 0), order(pairs.size());
    for (const Pair& pair : pairs) ++place[static_cast<std::size_t>(pair.reference) + 1];
    for (std::size_t r = 0; r < references; ++r) place[r + 1] += place[r];
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        order[place[static_cast<std::size_t>(pairs[p].reference)]++] = p;
    }
    return order;
}

std::vector<Task> divide(std::span<const Pair> pairs, std::span<const std::size_t> order) {
    // A reference with very many summaries is prepared again now and then, so that threads can
    // share the work.
    constexpr std::size_t most_pairs = 256;
    std::vector<Task> tasks;
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && end - begin < most_pairs &&
               pairs[order[end]].reference == pairs[order[begin]].reference) {
            ++end;
        }
        tasks.push_back({begin, end});
        begin = end;
    }
    return tasks;
}

// Calls work(worker number, item) for every item, on as many threads as there are workers; the
// first exception stops all and is thrown here.
template <class Work>
void for_each_item(std::size_t items, std::size_t workers, Work work) {
    if (workers <= 1) {
        for (std::size_t i = 0; i < items; ++i) {
            check_interrupt();
            work(std::size_t{0}, i);
        }
        return;
    }
    const std::size_t chunk = std::clamp<std::size_t>(items / (workers * 16), 1, 64);
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto run = [&](std::size_t number) {
        try {
            for (std::size_t i; (i = next.fetch_add(chunk)) < items;) {
                check_interrupt();
                for (const std::size_t end = std::min(items, i + chunk); i < end; ++i)
                    work(number, i);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failure_mutex);
            if (!failure) failure = std::current_exception();
            next = items;
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(workers - 1);
    try {
        for (std::size_t t = 1; t < workers; ++t) threads.emplace_back(run, t);
    } catch (const std::system_error&) {
        // No more threads to be had: those that run do it all.
    }
    run(0);
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void rouge_counts(const RougeOptions& options, std::shared_ptr<const WordLists> lists,
                  std::span<const RawText> summaries, std::span<const RawText> references,
                  std::span<const Pair> pairs, std::size_t threads, double* out) {
    WordRules rules{options.stemmer, std::move(lists), options.exceptions, options.stopwords};
    if (options.tokens == Tokens::given) rules = {};
    std::unique_ptr<Scratch> scratch = scratch_pool().take(rules);

    const std::vector<std::size_t> order = order_by_reference(pairs, references.size());
    const std::vector<Task> tasks = divide(pairs, order);
    const std::size_t workers = std::clamp<std::size_t>(
        std::min(threads, most_threads()), 1, std::max<std::size_t>(1, tasks.size()));
    while (scratch->workers.size() < workers) scratch->workers.push_back(std::make_unique<Worker>());

    // Summaries in several pairs are read ahead and kept; all else is read where it is needed.
    // kept_at: first the number of uses, then the place in `kept`, counted from 1.
    std::vector<std::uint32_t> kept_at(summaries.size(), 0);
    std::vector<std::size_t> kept_ids;
    for (const Pair& pair : pairs) {
        std::uint32_t& uses = kept_at[static_cast<std::size_t>(pair.summary)];
        uses += uses < 2;
    }
    for (std::size_t s = 0; s < summaries.size(); ++s) {
        if (kept_at[s] == 2) kept_ids.push_back(s);
        kept_at[s] = kept_at[s] == 2 ? static_cast<std::uint32_t>(kept_ids.size()) : 0;
    }
    std::vector<ReadText> kept(kept_ids.size());
    for_each_item(kept.size(), workers, [&](std::size_t number, std::size_t i) {
        TextReader(options, *scratch, *scratch->workers[number]).read(summaries[kept_ids[i]], kept[i]);
    });

    for (const auto& worker : scratch->workers) worker->pair.begin(options, scratch->numbers.size());
    const std::size_t width = options.measures() * 3;
    for_each_item(tasks.size(), workers, [&](std::size_t number, std::size_t t) {
        Worker& worker = *scratch->workers[number];
        TextReader reader(options, *scratch, worker);
        const Task task = tasks[t];
        reader.read(references[static_cast<std::size_t>(pairs[order[task.begin]].reference)],
                    worker.reference);
        worker.pair.know_words(worker.memo.greatest());
        worker.pair.set_reference(worker.reference);
        for (std::size_t p = task.begin; p < task.end; ++p) {
            const auto s = static_cast<std::size_t>(pairs[order[p]].summary);
            const ReadText* summary = &worker.summary;
            if (kept_at[s] != 0) {
                summary = &kept[kept_at[s] - 1];
            } else {
                reader.read(summaries[s], worker.summary);
                worker.pair.know_words(worker.memo.greatest());
            }
            worker.pair.count(*summary, out + order[p] * width);
        }
        worker.pair.drop_reference();
    });
    scratch_pool().give_back(std::move(scratch));
}

}  // namespace rubrica
