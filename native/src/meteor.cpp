#include "rubrica/meteor.hpp"

#include <algorithm>
#include <stdexcept>

#include "rubrica/meteor_align.hpp"
#include "rubrica/parallel.hpp"

namespace rubrica::meteor {
namespace {

using Words = std::span<const std::int32_t>;

void count(const Texts& texts, std::span<const Match> chosen, Words words1, Words words2,
           double* row) {
    std::fill_n(row, columns, 0.0);
    const auto add = [&](std::size_t at, std::span<const std::int32_t> words) {
        for (const std::int32_t word : words) {
            row[at + (texts.function[static_cast<std::size_t>(word)] != 0)] += 1;
        }
    };
    std::size_t chunks = 0, last1 = 0, last2 = 0, matched1 = 0, matched2 = 0;
    bool any = false;
    for (const Match& match : chosen) {
        add(4 * match.module, words1.subspan(match.start1, match.length1));
        add(4 * match.module + 2, words2.subspan(match.start2, match.length2));
        chunks += !(any && last1 == match.start1 && last2 == match.start2);
        any = true;
        last1 = match.start1 + match.length1;
        last2 = match.start2 + match.length2;
        matched1 += match.length1;
        matched2 += match.length2;
    }
    add(4 * modules, words1);
    add(4 * modules + 2, words2);
    // Texts that fit in one piece have no fragmentation at all.
    const bool whole = chunks == 1 && matched1 == words1.size() && matched2 == words2.size();
    row[columns - 1] = whole ? 0.0 : static_cast<double>(chunks);
}

template <class Value>
bool rising_to(std::span<const Value> starts, std::size_t end) {
    return !starts.empty() && starts.front() >= 0 && std::ranges::is_sorted(starts) &&
           static_cast<std::size_t>(starts.back()) <= end;
}

template <class Value>
bool within(std::span<const Value> numbers, std::int64_t low, std::size_t high) {
    return std::ranges::all_of(numbers, [&](Value number) {
        return number >= low && (number < 0 || static_cast<std::size_t>(number) < high);
    });
}

void check(const Texts& texts, const Phrases& phrases, std::span<const Pair> pairs) {
    const std::size_t vocabulary = texts.function.size();
    const bool sound =
        rising_to(texts.starts, texts.words.size()) && within(texts.words, 0, vocabulary) &&
        texts.stems.size() == vocabulary && within(texts.stems, 0, vocabulary) &&
        texts.phrase_words.size() == vocabulary && texts.synset_starts.size() == vocabulary + 1 &&
        rising_to(texts.synset_starts, texts.synsets.size()) &&
        within(texts.synsets, 0, std::size_t{1} << 24) &&
        std::ranges::all_of(pairs, [&](const Pair& pair) {
            const auto count = static_cast<std::int64_t>(texts.starts.size()) - 1;
            return std::min(pair.summary, pair.reference) >= 0 &&
                   std::max(pair.summary, pair.reference) < count;
        });
    // The table is large: here only its shape is checked.
    const std::size_t nodes = phrases.node_words.size();
    const bool table =
        nodes == 0 ||
        (phrases.first_child.size() == nodes + 1 && phrases.first_entry.size() == nodes + 1 &&
         static_cast<std::size_t>(phrases.first_child[nodes]) == nodes &&
         !phrases.entry_starts.empty() &&
         static_cast<std::size_t>(phrases.first_entry[nodes]) + 1 == phrases.entry_starts.size() &&
         static_cast<std::size_t>(phrases.entry_starts.back()) == phrases.entry_words.size());
    if (!sound || !table) throw std::invalid_argument("METEOR's texts or table are not consistent");
}

}  // namespace

void statistics(const Texts& texts, const Phrases& phrases, std::span<const Pair> pairs,
                std::size_t modules_run, std::size_t threads, double* out) {
    check(texts, phrases, pairs);
    in_parallel(pairs.size(), 8, threads, [&] {
        return [&, matcher = Matcher(texts, phrases), found = Matches(), search = Search()](
                   std::size_t first, std::size_t last) mutable {
            for (std::size_t p = first; p < last; ++p) {
                const Words words1 = texts.text(pairs[p].summary);
                const Words words2 = texts.text(pairs[p].reference);
                matcher.find(words1, words2, modules_run, found);
                const auto chosen = search.run(found, words1.size(), words2.size());
                count(texts, chosen, words1, words2, out + p * columns);
            }
        };
    });
}

}  // namespace rubrica::meteor
