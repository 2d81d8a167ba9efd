// Sums after exchanges between metrics, where an exchange changes them cell by cell.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rubrica {

// Sums of the weights [cell][kind] of the cells that a round exchanges, in the order of the cells:
// out[round * kinds + kind]; swaps[round][cell] are 0 or 1.
void masked_sums(const double* weights, std::size_t cells, std::size_t kinds,
                 const std::uint8_t* swaps, std::size_t rounds, std::size_t threads, double* out);

// What units (systems, inputs or cells) add to the sums of x, x x and x z, z divided by its norm:
// tables[sum][metric][unit][column], and the points of each column.
struct Moments {
    const double* tables;
    const double* points;
    std::size_t kinds, units, columns;
};

// Pearson's correlation of the first metric of each pair less that of the second, summed over
// columns, after exchanging the units where swaps[round][unit][column] is 1:
// out[round * pair_count + pair]. cancelled[pair] becomes 1 where a sum of squares lost too many digits.
void exchanged_pearson(const Moments& moments, const std::int64_t* pairs, std::size_t pair_count,
                       const std::uint8_t* swaps, std::size_t rounds, std::size_t threads,
                       double* out, std::uint8_t* cancelled);

}  // namespace rubrica
