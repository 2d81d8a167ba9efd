#include "rubrica/resample.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "rubrica/draw_counts.hpp"
#include "rubrica/random.hpp"

namespace rubrica {

void bootstrap_sums(const double* values, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t rounds, std::uint64_t seed, double* out) {
    if (rows > UINT32_MAX) throw std::length_error("more than 2^32 rows to draw from");
    DrawCounts counts(rows);
    std::vector<double> sums(DrawCounts::rounds * columns);
    const auto scale = static_cast<double>(rows);
    // Rows are known before they are counted: the machine need not guess which counts are the same.
    std::uint32_t drawn[256];
    for (std::size_t round = 0; round < rounds; round += DrawCounts::rounds) {
        const std::size_t now = std::min(DrawCounts::rounds, rounds - round);
        counts.clear();
        for (std::size_t k = 0; k < now; ++k) {
            const std::uint64_t key = stream_key(seed, first + round + k);
            for (std::size_t start = 0; start < rows; start += std::size(drawn)) {
                const std::size_t count = std::min(std::size(drawn), rows - start);
                for (std::size_t i = 0; i < count; ++i) {
                    drawn[i] = static_cast<std::uint32_t>(place(uniform(key, start + i), scale));
                }
                counts.draw(k, drawn, count);
            }
        }
        counts.sums(values, columns, sums.data());
        std::copy_n(sums.data(), now * columns, out + round * columns);
    }
}

}  // namespace rubrica
