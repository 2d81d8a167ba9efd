#include "rubrica/skipgrams.hpp"

#include <algorithm>

namespace rubrica {
namespace {

// The greatest distance of a pair's words that the text can have.
std::size_t reach_of(std::size_t length, Gap gap) {
    const std::size_t most = length == 0 ? 0 : length - 1;
    return gap && *gap < most ? *gap + 1 : most;
}

}  // namespace

std::uint64_t skip_bigram_count(std::size_t length, Gap gap) {
    const std::uint64_t reach = reach_of(length, gap);
    return reach * length - reach * (reach + 1) / 2;
}

void SkipBigrams::Positions::build(WordIds text, std::size_t distinct) {
    first.assign(distinct + 2, 0);
    for (const std::uint32_t word : text) ++first[word + 1];
    for (std::size_t w = 0; w <= distinct; ++w) first[w + 1] += first[w];
    at.resize(text.size());
    // Filling moves each start to the next one's place; moving them back restores the table.
    for (std::size_t i = 0; i < text.size(); ++i)
        at[first[text[i]]++] = static_cast<std::uint32_t>(i);
    for (std::size_t w = distinct + 1; w > 0; --w) first[w] = first[w - 1];
    first[0] = 0;
}

namespace {

// Calls see(v, times) so that, over all calls, `times` adds up to the number of pairs (word, v),
// where `places` are the positions of `word`.
template <class See>
void for_pairs(WordIds text, WordIds places, std::size_t reach, See see) {
    if (places.empty()) return;
    if (reach < (text.size() - places[0]) / places.size()) {
        for (const std::uint32_t place : places) {
            const std::size_t stop = std::min(text.size(), place + reach + 1);
            for (std::size_t j = place + std::size_t{1}; j < stop; ++j) see(text[j], 1);
        }
        return;
    }
    // Frequent words and wide gaps: walk the text once and know how many are within reach.
    std::size_t entered = 0, left = 0;
    for (std::size_t j = places[0]; j < text.size(); ++j) {
        left += left < places.size() && places[left] + reach < j;
        see(text[j], entered - left);
        entered += entered < places.size() && places[entered] == j;
    }
}

}  // namespace

std::uint64_t SkipBigrams::hits(WordIds reference, WordIds summary, std::size_t distinct, Gap gap) {
    in_reference_.build(reference, distinct);
    in_summary_.build(summary, distinct);
    wanted_.resize(std::max(wanted_.size(), distinct + 1), 0);
    found_.resize(std::max(found_.size(), distinct + 1), 0);
    const std::size_t reference_reach = reach_of(reference.size(), gap);
    const std::size_t summary_reach = reach_of(summary.size(), gap);
    std::uint64_t hits = 0;
    for (std::uint32_t word = 1; word <= distinct; ++word) {
        const WordIds here = in_reference_.of(word), there = in_summary_.of(word);
        if (here.empty() || there.empty()) continue;
        for_pairs(reference, here, reference_reach,
                  [&](std::uint32_t v, std::uint64_t times) { wanted_[v] += times; });
        for_pairs(summary, there, summary_reach, [&](std::uint32_t v, std::uint64_t times) {
            const std::uint64_t before = std::min(found_[v], wanted_[v]);
            found_[v] += times;
            hits += std::min(found_[v], wanted_[v]) - before;
        });
        for_pairs(reference, here, reference_reach,
                  [&](std::uint32_t v, std::uint64_t) { wanted_[v] = 0; });
        for_pairs(summary, there, summary_reach,
                  [&](std::uint32_t v, std::uint64_t) { found_[v] = 0; });
    }
    return hits;
}

}  // namespace rubrica
