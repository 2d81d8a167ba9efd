#include "rubrica/resample.hpp"

#include "rubrica/random.hpp"

namespace rubrica {

void bootstrap_sums(const double* values, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t rounds, std::uint64_t seed, double* out) {
    for (std::size_t round = 0; round < rounds; ++round) {
        const std::uint64_t key = stream_key(seed, first + round);
        double* sums = out + round * columns;
        for (std::size_t c = 0; c < columns; ++c) sums[c] = 0.0;
        for (std::size_t i = 0; i < rows; ++i) {
            const auto row = static_cast<std::size_t>(uniform(key, i) * static_cast<double>(rows));
            const double* drawn = values + row * columns;
            for (std::size_t c = 0; c < columns; ++c) sums[c] += drawn[c];
        }
    }
}

}  // namespace rubrica
