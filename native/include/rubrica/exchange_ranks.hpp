// Rank correlations after exchanges between two metrics, sixteen rounds side by side.
#pragma once
#include "rubrica/correlate.hpp"

namespace rubrica {

// As swapped_correlations, for Spearman and tau-b at the summary and the global level. False, and
// nothing done, where this way does not pay or its whole numbers would not fit.
bool exchanged_ranks(const Scores& scores, Level level, Coefficient coefficient,
                     const std::int64_t* pairs, std::size_t pair_count, const std::uint8_t* swaps,
                     std::size_t rounds, bool zero, std::size_t threads, double* out);

}  // namespace rubrica
