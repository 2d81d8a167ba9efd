// How often each row was drawn in a few rounds, and the sums of the drawn rows that follow from it.
//
// A round of a bootstrap draws as many rows as there are. Adding up each drawn row where it stands
// misses the cache at every draw of a large table. Counted first, a draw touches one byte, and the
// table is read from end to end, once for all rounds held here.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "rubrica/interrupt.hpp"
#include "rubrica/simd.hpp"

namespace rubrica {

class DrawCounts {
public:
    static constexpr std::size_t rounds = 4;

    explicit DrawCounts(std::size_t rows) : rows_(rows), counts_(rows * rounds) { check(rows); }

    // Throws where rows cannot be numbered; to be asked before threads are started.
    static void check(std::size_t rows) {
        if (rows > UINT32_MAX) throw std::length_error("more than 2^32 rows to draw from");
    }

    void clear() {
        std::fill(counts_.begin(), counts_.end(), std::uint8_t{0});
        wrapped_.clear();
    }

    void draw(std::size_t round, const std::uint32_t* drawn, std::size_t count) {
        std::uint8_t* counts = counts_.data() + round * rows_;
        for (std::size_t i = 0; i < count; ++i) {
            if (++counts[drawn[i]] == 0) wrapped_.emplace_back(round, drawn[i]);
        }
    }

    // out[round * columns + c] = the sum of column c over the drawn rows, in the order of the rows,
    // each times how often it was drawn. `values` is row-major.
    template <typename Value>
    void sums(const Value* values, std::size_t columns, double* out) const {
        std::vector<double> sums(columns * rounds), converted;
        // A block stays in the first cache while the columns are taken a few at a time.
        double times[block][rounds];
        for (std::size_t first = 0; first < rows_; first += block) {
            const std::size_t rows = std::min(block, rows_ - first);
            for (std::size_t k = 0; k < rounds; ++k) {
                const std::uint8_t* counts = counts_.data() + k * rows_ + first;
                for (std::size_t row = 0; row < rows; ++row) times[row][k] = counts[row];
            }
            const double* here;
            if constexpr (std::is_same_v<Value, double>) {
                here = values + first * columns;
            } else {
                converted.assign(values + first * columns, values + (first + rows) * columns);
                here = converted.data();
            }
            std::size_t c = 0;
            for (; c + 4 <= columns; c += 4) add<4>(times, rows, here + c, columns, &sums[c * rounds]);
            for (; c + 2 <= columns; c += 2) add<2>(times, rows, here + c, columns, &sums[c * rounds]);
            for (; c < columns; ++c) add<1>(times, rows, here + c, columns, &sums[c * rounds]);
        }
        for (std::size_t k = 0; k < rounds; ++k) {
            for (std::size_t c = 0; c < columns; ++c) out[k * columns + c] = sums[c * rounds + k];
        }
        for (const auto& [round, row] : wrapped_) {
            for (std::size_t c = 0; c < columns; ++c) {
                out[round * columns + c] += 256.0 * static_cast<double>(values[row * columns + c]);
            }
        }
    }

private:
    static constexpr std::size_t block = 128;

    template <std::size_t width>
    static void add(const double (*times)[rounds], std::size_t rows, const double* values,
                    std::size_t columns, double* out) {
#if RUBRICA_AVX2
        if (has_avx2) {
            add_avx2<width>(times, rows, values, columns, out);
            return;
        }
#endif
        add_rows<width>(times, rows, values, columns, out);
    }

#if RUBRICA_AVX2
    // The same operations in the same order, four rounds in one register.
    template <std::size_t width>
    RUBRICA_TARGET_AVX2 static void add_avx2(const double (*times)[rounds], std::size_t rows,
                                             const double* values, std::size_t columns,
                                             double* out) {
        static_assert(rounds == 4);
        __m256d sums[width];
        for (std::size_t c = 0; c < width; ++c) sums[c] = _mm256_loadu_pd(out + c * rounds);
        for (std::size_t row = 0; row < rows; ++row, values += columns) {
            const __m256d drawn = _mm256_loadu_pd(times[row]);
            for (std::size_t c = 0; c < width; ++c) {
                sums[c] = _mm256_add_pd(sums[c], _mm256_mul_pd(drawn, _mm256_set1_pd(values[c])));
            }
        }
        for (std::size_t c = 0; c < width; ++c) _mm256_storeu_pd(out + c * rounds, sums[c]);
    }
#endif

    // The rounds are what the machine does at once; every sum still takes row after row.
    template <std::size_t width>
    static void add_rows(const double (*times)[rounds], std::size_t rows, const double* values,
                         std::size_t columns, double* out) {
        double sums[width][rounds] = {};
        for (std::size_t c = 0; c < width; ++c) {
            for (std::size_t k = 0; k < rounds; ++k) sums[c][k] = out[c * rounds + k];
        }
        for (std::size_t row = 0; row < rows; ++row, values += columns) {
            for (std::size_t c = 0; c < width; ++c) {
                for (std::size_t k = 0; k < rounds; ++k) sums[c][k] += times[row][k] * values[c];
            }
        }
        for (std::size_t c = 0; c < width; ++c) {
            for (std::size_t k = 0; k < rounds; ++k) out[c * rounds + k] = sums[c][k];
        }
    }

    std::size_t rows_;
    std::vector<std::uint8_t> counts_;
    std::vector<std::pair<std::size_t, std::size_t>> wrapped_;
};

// For rounds `first` to `last`: out[(round - first) * columns + c], the sum of column c over the rows
// that draw(round, take) takes, some at a time: take(rows, count).
template <typename Value, typename Draw>
void counted_sums(const Value* values, std::size_t rows, std::size_t columns, std::size_t first,
                  std::size_t last, Draw draw, double* out) {
    DrawCounts counts(rows);
    std::vector<double> sums(DrawCounts::rounds * columns);
    for (std::size_t round = first; round < last; round += DrawCounts::rounds) {
        const std::size_t now = std::min(DrawCounts::rounds, last - round);
        check_interrupt();
        counts.clear();
        for (std::size_t k = 0; k < now; ++k) {
            draw(round + k, [&](const std::uint32_t* drawn, std::size_t count) {
                counts.draw(k, drawn, count);
            });
        }
        counts.sums(values, columns, sums.data());
        out = std::copy_n(sums.data(), now * columns, out);
    }
}

}  // namespace rubrica
