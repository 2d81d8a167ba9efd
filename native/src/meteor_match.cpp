#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rubrica/meteor_align.hpp"

namespace rubrica::meteor {

void Starting::clear() {
    runs_.clear();
    places_.clear();
    count_ = 0;
}

void Starting::add(std::uint32_t module, std::uint32_t length2, std::uint32_t start1,
                   std::uint32_t length1) {
    ++count_;
    const std::uint32_t word = start1 / 64;
    const std::uint64_t bit = std::uint64_t{1} << (start1 % 64);
    if (!runs_.empty()) {
        Run& run = runs_.back();
        if (run.module == module && run.length2 == length2 && run.length1 == length1 &&
            run.last < start1) {
            run.last = start1;
            if (places_.back().word == word) {
                places_.back().bits |= bit;
            } else {
                places_.push_back({word, bit});
                ++run.places;
            }
            return;
        }
    }
    const auto first = static_cast<std::uint32_t>(places_.size());
    runs_.push_back({module, length2, length1, start1, first, 1});
    places_.push_back({word, bit});
}

void Matches::clear(std::size_t words2) {
    for (std::size_t j = 0; j < std::min(size_, by_start_.size()); ++j) by_start_[j].clear();
    if (by_start_.size() < words2) by_start_.resize(words2);
    size_ = words2;
}

void Matcher::Index::add(std::uint32_t key, std::uint32_t at) {
    if (key >= head.size()) head.resize(key + 1, 0);
    if (head[key] == 0) touched.push_back(key);
    next.push_back(head[key]);
    place.push_back(at);
    head[key] = static_cast<std::uint32_t>(place.size());  // 0 is the end of a list
}

void Matcher::Index::clear() {
    for (const std::uint32_t key : touched) head[key] = 0;
    touched.clear();
    next.clear();
    place.clear();
}

Matcher::Matcher(const Texts& texts, const Phrases& phrases) : texts_(texts), phrases_(phrases) {}

void Matcher::find(std::span<const std::int32_t> words1, std::span<const std::int32_t> words2,
                   std::size_t modules_run, Matches& found) {
    found.clear(words2.size());
    if (std::ranges::equal(words1, words2)) modules_run = 1;
    // Lists are filled from the end, so that they read from the beginning.
    const auto fill = [&](std::span<const std::int32_t> words, auto&& keys) {
        index_.clear();
        for (std::size_t i = words.size(); i-- > 0;) {
            keys(static_cast<std::size_t>(words[i]), [&](std::int32_t key) {
                index_.add(static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(i));
            });
        }
    };
    const auto itself = [](std::size_t word, auto&& key) { key(static_cast<std::int32_t>(word)); };
    const auto each = [&](std::uint32_t key, auto&& see) {
        if (key >= index_.head.size()) return;
        for (std::uint32_t at = index_.head[key]; at != 0; at = index_.next[at - 1]) {
            see(index_.place[at - 1]);
        }
    };
    const auto add = [&](std::size_t j, std::uint32_t i, std::uint32_t module) {
        found.add({static_cast<std::uint32_t>(j), 1, i, 1, module});
    };
    // A word that the reference repeats is looked up once.
    fill(words2, itself);
    first_.clear();
    for (const std::int32_t word : words2) {
        first_.push_back(index_.place[index_.head[static_cast<std::size_t>(word)] - 1]);
    }
    const auto each_word = [&](auto&& see) {
        for (std::size_t j = 0; j < words2.size(); ++j) {
            if (first_[j] == j) see(j);
        }
    };
    fill(words1, itself);
    each_word([&](std::size_t j) {
        each(static_cast<std::uint32_t>(words2[j]), [&](std::uint32_t i) { add(j, i, 0); });
    });
    if (modules_run > 1) {
        fill(words1, [&](std::size_t word, auto&& key) { key(texts_.stems[word]); });
        each_word([&](std::size_t j) {
            const auto stem = texts_.stems[static_cast<std::size_t>(words2[j])];
            each(static_cast<std::uint32_t>(stem), [&](std::uint32_t i) {
                if (words1[i] != words2[j]) add(j, i, 1);
            });
        });
    }
    if (modules_run > 2) {
        const auto synsets = [&](std::size_t word) {
            const auto first = static_cast<std::size_t>(texts_.synset_starts[word]);
            const auto last = static_cast<std::size_t>(texts_.synset_starts[word + 1]);
            return texts_.synsets.subspan(first, last - first);
        };
        fill(words1, [&](std::size_t word, auto&& key) {
            for (const std::int32_t synset : synsets(word)) key(synset);
        });
        each_word([&](std::size_t j) {
            hits_.clear();
            for (const std::int32_t synset : synsets(static_cast<std::size_t>(words2[j]))) {
                each(static_cast<std::uint32_t>(synset), [&](std::uint32_t i) {
                    if (words1[i] != words2[j]) hits_.push_back(i);
                });
            }
            std::ranges::sort(hits_);
            const auto end = std::unique(hits_.begin(), hits_.end());
            for (auto i = hits_.begin(); i != end; ++i) add(j, *i, 2);
        });
    }
    for (std::size_t j = 0; j < words2.size(); ++j) {
        if (first_[j] != j) found.copy(first_[j], j);
    }
    if (modules_run > 3 && !phrases_.node_words.empty()) {
        paraphrases(words2, words1, true, found);
        paraphrases(words1, words2, false, found);
    }
}

void Matcher::paraphrases(std::span<const std::int32_t> words, std::span<const std::int32_t> others,
                          bool from_reference, Matches& found) {
    const auto key = [&](std::int32_t word) {
        return texts_.phrase_words[static_cast<std::size_t>(word)];
    };
    // The table is too large to be checked in every call, so what is used of it is.
    const auto range = [](std::span<const std::int32_t> starts, std::size_t i, std::size_t end) {
        if (starts[i] < 0 || starts[i] > starts[i + 1] ||
            static_cast<std::size_t>(starts[i + 1]) > end) {
            throw std::invalid_argument("METEOR's table is not consistent");
        }
        return std::pair(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(starts[i + 1]));
    };
    index_.clear();
    for (std::size_t i = others.size(); i-- > 0;) {
        const std::int32_t k = key(others[i]);
        if (k >= 0) index_.add(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(i));
    }
    for (std::size_t start = 0; start < words.size(); ++start) {
        std::size_t node = 0;
        for (std::size_t end = start; end < words.size(); ++end) {
            const auto [begin, stop] = range(phrases_.first_child, node, phrases_.node_words.size());
            const std::int32_t* first = phrases_.node_words.data() + begin;
            const std::int32_t* last = phrases_.node_words.data() + stop;
            const std::int32_t wanted = key(words[end]);
            const std::int32_t* child = std::lower_bound(first, last, wanted);
            if (child == last || *child != wanted) break;
            node = static_cast<std::size_t>(child - phrases_.node_words.data());
            const auto [entry_begin, entry_stop] =
                range(phrases_.first_entry, node, phrases_.entry_starts.size() - 1);
            for (std::size_t e = entry_begin; e < entry_stop; ++e) {
                const auto [from, to] = range(phrases_.entry_starts, e, phrases_.entry_words.size());
                const auto entry = phrases_.entry_words.subspan(from, to - from);
                if (entry.empty()) continue;
                const auto head = static_cast<std::uint32_t>(entry[0]);
                if (head >= index_.head.size()) continue;
                for (std::uint32_t p = index_.head[head]; p != 0; p = index_.next[p - 1]) {
                    const std::size_t there = index_.place[p - 1];
                    if (there + entry.size() > others.size()) continue;
                    std::size_t k = 1;
                    while (k < entry.size() && key(others[there + k]) == entry[k]) ++k;
                    if (k < entry.size()) continue;
                    const auto here = static_cast<std::uint32_t>(start);
                    const auto length = static_cast<std::uint32_t>(end + 1 - start);
                    const auto other = static_cast<std::uint32_t>(there);
                    const auto other_length = static_cast<std::uint32_t>(entry.size());
                    found.add(from_reference ? Match{here, length, other, other_length, 3}
                                             : Match{other, other_length, here, length, 3});
                }
            }
        }
    }
}

}  // namespace rubrica::meteor
