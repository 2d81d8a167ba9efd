#include "rubrica/ngrams.hpp"

#include <algorithm>
#include <bit>

namespace rubrica {
namespace {

template <std::size_t blocks>
void short_hits(const MatchRows& rows, WordIds summary, std::size_t most, std::uint64_t* hits) {
    std::uint64_t ending[8][blocks] = {}, free[8][blocks], before[blocks];
    for (auto& level : free) std::fill(level, level + blocks, ~std::uint64_t{0});
    for (std::size_t n = 0; n < most; ++n) hits[n] = 0;
    for (const std::uint32_t word : summary) {
        const std::uint64_t* match = rows.dense(word);
        // For n = 1 there is nothing before: every row may be the next.
        std::fill(before, before + blocks, ~std::uint64_t{0});
        for (std::size_t n = 0; n < most; ++n) {
            std::uint64_t carry = n == 0 ? 1 : 0, taken = 0;
            for (std::size_t b = 0; b < blocks; ++b) {
                const std::uint64_t moved = before[b] << 1 | carry;
                carry = before[b] >> 63;
                before[b] = ending[n][b];
                const std::uint64_t here = moved & match[b];
                ending[n][b] = here;
                std::uint64_t open = here & free[n][b];
                if (blocks > 1 && taken) open = 0;
                free[n][b] &= ~(open & (~open + 1));
                taken |= open;
            }
            hits[n] += taken != 0;
        }
    }
}

}  // namespace

void ngram_hits_short(const MatchRows& rows, WordIds summary, std::size_t most,
                      std::uint64_t* hits) {
    if (rows.blocks() == 1) {
        short_hits<1>(rows, summary, most, hits);
    } else {
        short_hits<2>(rows, summary, most, hits);
    }
}

void NgramCounts::set_reference(WordIds reference, std::size_t distinct, std::size_t most) {
    levels_.resize(most);
    levels_[0].wanted.assign(distinct + 1, 0);
    levels_[0].used.assign(distinct + 1, 0);
    for (const std::uint32_t word : reference) ++levels_[0].wanted[word];

    // grams_[i]: the number of the n-gram that ends at word i.
    grams_.assign(reference.begin(), reference.end());
    const std::size_t bits = std::bit_width(8 * reference.size());
    for (std::size_t n = 2; n <= most; ++n) {
        Level& level = levels_[n - 1];
        level.slots.assign(std::size_t{1} << bits, 0);
        level.shift = 64 - bits;
        // As many numbers as there might be; a new pair is always written down, and stays if it
        // was new, so that no branch depends on it.
        level.pairs.resize(reference.size() + 1);
        level.wanted.assign(reference.size() + 1, 0);
        level.pairs[0] = 0;
        std::uint32_t next = 1;
        for (std::size_t i = reference.size(); i-- > n - 1;) {
            const std::uint64_t pair = std::uint64_t{grams_[i - 1]} << 32 | reference[i];
            std::uint32_t& slot = level.slots[level.place(pair)];
            level.pairs[next] = pair;
            const std::uint32_t number = slot == 0 ? next : slot;
            next += slot == 0;
            slot = number;
            ++level.wanted[number];
            grams_[i] = number;
        }
        level.wanted.resize(next);
        level.used.assign(level.wanted.size(), 0);
    }
}

void NgramCounts::hits(WordIds summary, std::uint64_t* hits) {
    std::fill(hits, hits + levels_.size(), 0);
    grams_.assign(summary.begin(), summary.end());
    for (std::size_t n = 1; n <= levels_.size(); ++n) {
        Level& level = levels_[n - 1];
        std::uint64_t count = 0;
        for (std::size_t i = summary.size(); i-- > n - 1;) {
            std::uint32_t gram = grams_[i];
            if (n > 1) {
                // Unknown words and n-grams have number 0, and no pair of the table holds a 0.
                gram = level.slots[level.place(std::uint64_t{grams_[i - 1]} << 32 | summary[i])];
                grams_[i] = gram;
            }
            count += level.used[gram] < level.wanted[gram];
            ++level.used[gram];
        }
        std::fill(level.used.begin(), level.used.end(), 0);
        hits[n - 1] = count;
        if (count == 0) return;  // no n-gram, so nothing longer
    }
}

}  // namespace rubrica
