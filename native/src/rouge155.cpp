#include "rubrica/rouge155.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

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

void draw_rounds(const double* values, std::size_t rows, std::size_t columns, std::size_t first,
                 std::size_t last, double* out) {
    constexpr std::uint64_t low48 = (std::uint64_t{1} << 48) - 1;
    const auto scale = static_cast<double>(rows);
    for (std::size_t round = first; round < last; ++round) {
        double* sums = out + round * columns;
        std::fill(sums, sums + columns, 0.0);
        std::uint64_t x = (static_cast<std::uint64_t>(round) & 0xFFFFFFFFu) << 16 | 0x330E;
        for (std::size_t i = 0; i < rows; ++i) {
            x = (x * 0x5DEECE66Dull + 0xB) & low48;
            const double uniform = static_cast<double>(static_cast<std::int64_t>(x)) * 0x1.0p-48;
            const double* drawn = values + static_cast<std::size_t>(uniform * scale) * columns;
            for (std::size_t c = 0; c < columns; ++c) sums[c] += drawn[c];
        }
    }
}

}  // namespace

void round5(const double* values, std::size_t count, double* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = round5_one(values[i]);
}

void rouge155_bootstrap_sums(const double* values, std::size_t rows, std::size_t columns,
                             std::size_t rounds, std::size_t threads, double* out) {
    threads = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, rounds));
    std::vector<std::thread> others;
    const auto from = [&](std::size_t t) { return rounds * t / threads; };
    std::size_t done = 1;
    try {
        for (; done < threads; ++done) {
            others.emplace_back(draw_rounds, values, rows, columns, from(done), from(done + 1), out);
        }
    } catch (...) {
        // No more threads to be had: the rest is done here.
        draw_rounds(values, rows, columns, from(done), rounds, out);
    }
    draw_rounds(values, rows, columns, 0, from(1), out);
    for (std::thread& other : others) other.join();
}

}  // namespace rubrica
