// Correlations after exchanges between two metrics, several rounds side by side.
#pragma once
#include <vector>

#include "rubrica/correlate.hpp"

namespace rubrica {

// As swapped_correlations, at the summary and the global level: Pearson; Spearman and tau-b. False,
// and nothing done, where this way does not pay or its whole numbers would not fit.
bool permuted_values(const Scores& scores, Level level, const std::int64_t* pairs,
                      std::size_t pair_count, const std::uint8_t* swaps, std::size_t rounds,
                      bool zero, std::size_t threads, double* out);
bool permuted_ranks(const Scores& scores, Level level, Coefficient coefficient,
                     const std::int64_t* pairs, std::size_t pair_count, const std::uint8_t* swaps,
                     std::size_t rounds, bool zero, std::size_t threads, double* out);

// As swapped_correlations, at the system level.
void permuted_means(const Scores& scores, Coefficient coefficient, const std::int64_t* pairs,
                     std::size_t pair_count, const std::uint8_t* swaps, std::size_t rounds,
                     std::size_t threads, double* out);

// The cells that every matrix has, by input, or all together at the global level.
std::vector<std::vector<std::uint32_t>> column_cells(const Scores& scores, Level level);

}  // namespace rubrica
