// The global level of the bootstrap, sixteen rounds side by side.
#pragma once
#include "rubrica/score_pair.hpp"

namespace rubrica {

// The correlation of all cells of one metric when system i and input j count as often as each round says:
// out[round * stride]. Pearson's sums are taken in the order of the cells. False, and nothing done, for other
// coefficients, and where whole numbers would not fit.
bool resampled_global(const ScorePair& scores, const std::int32_t* system_counts,
                      const std::int32_t* input_counts, std::size_t rounds, std::size_t threads,
                      double* out, std::size_t stride);

}  // namespace rubrica
