// Skip-bigrams: ordered pairs of words with at most `gap` others between them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "rubrica/match_rows.hpp"

namespace rubrica {

using Gap = std::optional<std::size_t>;  // none: any number of words

// How many pairs a text of `length` words has.
std::uint64_t skip_bigram_count(std::size_t length, Gap gap);

// Clipped matches, one first word after another, so that memory is linear whatever the gap. With
// a gap, time is (gap + 1) steps per word; without, one pass over the text for each distinct word
// that both texts have.
class SkipBigrams {
public:
    // Words numbered 1..distinct in the reference, 0 in the summary for others.
    std::uint64_t hits(WordIds reference, WordIds summary, std::size_t distinct, Gap gap);

private:
    // Where each word stands in a text.
    struct Positions {
        std::vector<std::uint32_t> first, at;
        void build(WordIds text, std::size_t distinct);
        WordIds of(std::uint32_t word) const {
            return WordIds(at).subspan(first[word], first[word + 1] - first[word]);
        }
    };
    Positions in_reference_, in_summary_;
    std::vector<std::uint64_t> wanted_, found_;  // of one first word; all 0 between uses
};

}  // namespace rubrica
