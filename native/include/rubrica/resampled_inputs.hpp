// The summary level of the bootstrap, all metrics together.
#pragma once
#include "rubrica/correlate.hpp"

namespace rubrica {

// As resampled_correlations, at the summary level: Pearson, and for few systems Spearman and tau-b. False, and nothing
// done, where a score is absent or this way does not pay.
bool resampled_inputs(const Scores& scores, Coefficient coefficient, const std::int32_t* system_counts,
                      const std::int32_t* input_counts, std::size_t rounds, bool zero, std::size_t threads,
                      double* out);

}  // namespace rubrica
