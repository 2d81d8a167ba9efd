#include "rubrica/rouge155.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "rubrica/simd.hpp"

namespace rubrica {
namespace {

double round5_by_printing(double value) {
    char text[512];  // the greatest double has 309 digits before the point
    std::snprintf(text, sizeof text, "%.5f", value);
    return std::strtod(text, nullptr);
}

double round5_one(double value) {
    // Scores and small counts. The exact product value * 10^5 differs from `scaled` by less than
    // 2^-53 * scaled: unless a tie lies within that, the nearest integer is the one printed. And
    // the quotient of two exact doubles, correctly rounded, is what reading "0.12345" gives.
    const double scaled = value * 1e5;
    if (!(std::fabs(scaled) < 1e9)) return round5_by_printing(value);
    const double whole = std::floor(scaled), rest = scaled - whole;
    if (std::fabs(rest - 0.5) < 1e-6) return round5_by_printing(value);
    return std::copysign(rest < 0.5 ? whole : whole + 1.0, value) / 1e5;
}

// Sums wait for the addition before, so several rounds go on side by side: each adds its rows in
// its own order. Columns are taken four at a time, copied next to each other.
constexpr std::size_t side_by_side = 4, chunk = 4;

#if RUBRICA_SSE2
struct Four {
    __m128d low = _mm_setzero_pd(), high = _mm_setzero_pd();
    void add(const double* four) {
        low = _mm_add_pd(low, _mm_loadu_pd(four));
        high = _mm_add_pd(high, _mm_loadu_pd(four + 2));
    }
    void store(double* four) const {
        _mm_storeu_pd(four, low);
        _mm_storeu_pd(four + 2, high);
    }
};
#else
struct Four {
    double sums[chunk] = {};
    void add(const double* four) {
        for (std::size_t c = 0; c < chunk; ++c) sums[c] += four[c];
    }
    void store(double* four) const { std::copy_n(sums, chunk, four); }
};
#endif

struct Table {
    Table(const double* source, std::size_t row_count, std::size_t column_count)
        : rows(row_count),
          columns(column_count),
          chunks((columns + chunk - 1) / chunk),
          values(chunks * rows * chunk, 0.0) {
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                values[(c / chunk * rows + r) * chunk + c % chunk] = source[r * columns + c];
            }
        }
    }
    std::size_t rows, columns, chunks;
    std::vector<double> values;
};

// drawn[i * side_by_side + k]: the row that draw i of round `first` + k takes.
void draw_rows(std::size_t first, std::size_t rows, std::vector<std::uint32_t>& drawn) {
    constexpr std::uint64_t low48 = (std::uint64_t{1} << 48) - 1;
    const auto scale = static_cast<double>(rows);
    std::uint64_t state[side_by_side];
    for (std::size_t k = 0; k < side_by_side; ++k) {
        state[k] = (static_cast<std::uint64_t>(first + k) & 0xFFFFFFFFu) << 16 | 0x330E;
    }
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < side_by_side; ++k) {
            state[k] = (state[k] * 0x5DEECE66Dull + 0xB) & low48;
            const double uniform =
                static_cast<double>(static_cast<std::int64_t>(state[k])) * 0x1.0p-48;
            drawn[i * side_by_side + k] =
                static_cast<std::uint32_t>(static_cast<std::int64_t>(uniform * scale));
        }
    }
}

void sum_rounds(const Table& table, std::size_t first, std::size_t last, double* out) {
    std::vector<std::uint32_t> drawn(table.rows * side_by_side);
    for (std::size_t round = first; round < last; round += side_by_side) {
        draw_rows(round, table.rows, drawn);
        for (std::size_t part = 0; part < table.chunks; ++part) {
            const double* values = table.values.data() + part * table.rows * chunk;
            Four sums[side_by_side] = {};
            for (std::size_t i = 0; i < table.rows; ++i) {
                for (std::size_t k = 0; k < side_by_side; ++k) {
                    sums[k].add(values + std::size_t{drawn[i * side_by_side + k]} * chunk);
                }
            }
            const std::size_t rounds = std::min(side_by_side, last - round);
            const std::size_t columns = std::min(chunk, table.columns - part * chunk);
            for (std::size_t k = 0; k < rounds; ++k) {
                double four[chunk];
                sums[k].store(four);
                std::copy_n(four, columns, out + (round + k) * table.columns + part * chunk);
            }
        }
    }
}

}  // namespace

void round5(const double* values, std::size_t count, double* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = round5_one(values[i]);
}

void rouge155_bootstrap_sums(const double* values, std::size_t rows, std::size_t columns,
                             std::size_t rounds, std::size_t threads, double* out) {
    if (rows > UINT32_MAX) throw std::length_error("more than 2^32 rows to draw from");
    const Table table(values, rows, columns);
    threads = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, rounds / side_by_side));
    std::vector<std::thread> others;
    const auto from = [&](std::size_t t) { return rounds * t / threads; };
    std::size_t started = 1;
    try {
        for (; started < threads; ++started) {
            others.emplace_back(sum_rounds, std::cref(table), from(started), from(started + 1),
                                out);
        }
    } catch (const std::system_error&) {
        // No more threads to be had: the rest is done here.
        sum_rounds(table, from(started), rounds, out);
    }
    sum_rounds(table, 0, from(1), out);
    for (std::thread& other : others) other.join();
}

}  // namespace rubrica
