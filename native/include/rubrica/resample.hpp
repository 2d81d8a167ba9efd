// Resampling rows of a score table.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rubrica {

// For each round from `first` on, draw `rows` rows with replacement and write the sums of the drawn rows'
// columns: out[(round - first) * columns + c]. `values` is row-major. Draw i of round r is row
// floor(uniform(stream_key(seed, r), i) * rows); each sum takes the rows in their order, times how
// often they were drawn.
void bootstrap_sums(const double* values, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t rounds, std::uint64_t seed, double* out);

}  // namespace rubrica
