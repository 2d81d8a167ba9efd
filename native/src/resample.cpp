#include "rubrica/resample.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "rubrica/draw_counts.hpp"
#include "rubrica/random.hpp"

namespace rubrica {

void bootstrap_sums(const double* values, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t rounds, std::uint64_t seed, double* out) {
    // Half of the work of a draw depends on its index alone, the same in every round.
    std::vector<std::uint64_t> mixed(rows);
    for (std::size_t index = 0; index < rows; ++index) mixed[index] = mix64(index);
    const auto draw = [&](std::size_t round, auto take) {
        const std::uint64_t key = stream_key(seed, round);
        const auto scale = static_cast<double>(rows);
        // Rows are known before they are counted: the machine need not guess which counts are the same.
        std::uint32_t drawn[256];
        for (std::size_t start = 0; start < rows; start += std::size(drawn)) {
            const std::size_t count = std::min(std::size(drawn), rows - start);
            for (std::size_t i = 0; i < count; ++i) {
                drawn[i] = static_cast<std::uint32_t>(place(uniform_mixed(key, mixed[start + i]), scale));
            }
            take(drawn, count);
        }
    };
    counted_sums(values, rows, columns, first, first + rounds, draw, out);
}

}  // namespace rubrica
