// Clipped n-gram matches: how many of the reference's n-grams the summary has, each used once.
#pragma once
#include <cstdint>
#include <vector>

#include "rubrica/match_rows.hpp"

namespace rubrica {

// hits[n - 1] for n = 1..most, for references of up to 128 words. By bits: the rows where the
// n-gram ending at a summary word ends in the reference are those of the (n-1)-gram before it,
// moved on by one, that match the word; of these one unused row is taken.
void ngram_hits_short(const MatchRows& rows, WordIds summary, std::size_t most, std::uint64_t* hits);
inline bool ngrams_are_short(const MatchRows& rows, std::size_t most) {
    return rows.blocks() <= 2 && most <= 8;
}

// The same for any length. Distinct n-grams of the reference get numbers, and an n-gram is the
// pair of the (n-1)-gram before its last word and that word: so every level is one table of pairs.
class NgramCounts {
public:
    void set_reference(WordIds reference, std::size_t distinct, std::size_t most);
    void hits(WordIds summary, std::uint64_t* hits);

private:
    struct Slot {
        std::uint64_t pair;
        std::uint32_t number;  // 0: free
    };
    struct Level {
        std::vector<Slot> slots;  // empty for n = 1, where the words' own numbers serve
        unsigned shift = 0;
        std::vector<std::uint32_t> wanted;  // how often the reference has each; [0] = 0
        std::vector<std::uint32_t> used;    // how often the summary had it so far

        std::size_t place(std::uint64_t pair) const;
    };
    std::vector<Level> levels_;
    std::vector<std::uint32_t> grams_;
};

}  // namespace rubrica
