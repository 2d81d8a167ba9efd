// ROUGE-1.5.5's average of a system: over seeded resamples of its evaluations.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rubrica {

// out[round * columns + c] = the sum of column c over the rows drawn in that round, added in the
// order drawn; `values` is row-major. Round s seeds drand48, which is Perl's rand, with s and
// draws as many rows as there are: floor(rand * rows).
void rouge155_bootstrap_sums(const double* values, std::size_t rows, std::size_t columns,
                             std::size_t rounds, std::size_t threads, double* out);

// The same of whole numbers, in any order: their sums, below 2^53, are exact. Several times faster
// where the table is larger than a cache.
void rouge155_whole_sums(const std::int32_t* values, std::size_t rows, std::size_t columns,
                         std::size_t rounds, std::size_t threads, double* out);

}  // namespace rubrica
