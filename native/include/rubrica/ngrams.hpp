// Clipped n-gram matches: how many of the reference's n-grams the summary has, each used once.
#pragma once
#include <cstdint>
#include <vector>

#include "rubrica/match_rows.hpp"

namespace rubrica {

// hits[n - 1] for n = 1..most, for references of up to 128 words. By bits: the rows where the
// n-gram ending at a summary word ends in the reference are those of the (n-1)-gram before it,
// moved on by one, that match the word; of these one unused row is taken.
void ngram_hits_short(const MatchRows& rows, WordIds summary, std::size_t most,
                      std::uint64_t* hits);
inline bool ngrams_are_short(std::size_t reference_length, std::size_t most) {
    return reference_length <= 128 && most <= 8;
}

// The same for any length. Distinct n-grams of the reference get numbers, and an n-gram is the
// pair of the (n-1)-gram before its last word and that word: so every level is one table of pairs.
class NgramCounts {
public:
    void set_reference(WordIds reference, std::size_t distinct, std::size_t most);
    void hits(WordIds summary, std::uint64_t* hits);

private:
    struct Level {
        std::vector<std::uint32_t> slots;  // numbers, by hash of the pair; unused for n = 1
        std::vector<std::uint64_t> pairs;  // by number; [0] is no pair
        std::size_t shift = 0;
        std::vector<std::uint32_t> wanted;  // by number: how often the reference has it; [0] = 0
        std::vector<std::uint32_t> used;    // how often the summary had it so far

        // The slot that holds the pair's number, or the free one (0) where it belongs. One slot in
        // eight is taken, so the first one nearly always answers, and no branch depends on
        // whether the pair is there.
        std::size_t place(std::uint64_t pair) const {
            const std::uint64_t x = (pair ^ (pair >> 29)) * 0x9E3779B97F4A7C15ull;
            std::size_t i = x >> shift;
            while (int{slots[i] != 0} & int{pairs[slots[i]] != pair}) i = (i + 1) & (slots.size() - 1);
            return i;
        }
    };
    std::vector<Level> levels_;
    std::vector<std::uint32_t> grams_;
};

}  // namespace rubrica
