// Correlations of metrics with human scores when systems and inputs are resampled, or when two
// metrics exchange scores. Matrices are systems x inputs, row-major, NaN where a score is absent.
#pragma once
#include <cstddef>
#include <cstdint>

#include "rubrica/coefficient.hpp"

namespace rubrica {

enum class Level { summary, system, global };

struct Scores {
    const double* metrics;  // [metric][system][input]
    const double* human;    // [system][input]
    std::size_t kinds, systems, inputs;
};

// Within each input: out[metric * inputs + input].
void column_correlations(const Scores& scores, Coefficient coefficient, double* out);

// System i counts system_counts[round][i] times, input j input_counts[round][j] times:
// out[round * kinds + metric]. `zero`: an undefined input counts as 0 at the summary level.
void resampled_correlations(const Scores& scores, Level level, Coefficient coefficient,
                            const std::int32_t* system_counts, const std::int32_t* input_counts,
                            std::size_t rounds, bool zero, std::size_t threads, double* out);

// Both metrics of each pair after exchanging the cells where swaps[round][system][input] is 1:
// out[(round * pair_count + pair) * 2 + side]. What any matrix lacks must be NaN in all.
void swapped_correlations(const Scores& scores, Level level, Coefficient coefficient,
                          const std::int64_t* pairs, std::size_t pair_count,
                          const std::uint8_t* swaps, std::size_t rounds, bool zero,
                          std::size_t threads, double* out);

}  // namespace rubrica
