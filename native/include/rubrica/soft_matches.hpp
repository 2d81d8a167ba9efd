// N-grams of two texts that match by the similarity of their words' vectors (ROUGE-WE).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace rubrica {

// The vectors of numbered words; those of words that have none are not read.
struct WordVectors {
    std::size_t dimensions = 0;
    std::span<const double> values;
    std::span<const std::uint8_t> known;
};

struct SoftMatches {
    std::int64_t matches = 0, reference = 0, summary = 0;
};

// How many n-grams of the reference are matched, and how many n-grams both texts have. The distinct
// n-grams of the summary choose in the order of their first appearance, among the n-grams of the
// reference that are left: the most similar to 12 decimals, the first of several.
SoftMatches soft_matches(std::span<const std::int64_t> summary,
                         std::span<const std::int64_t> reference, std::size_t n,
                         const WordVectors& vectors, double threshold);

}  // namespace rubrica
