#include "rubrica/rouge155_bootstrap.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "rubrica/draw_counts.hpp"
#include "rubrica/parallel.hpp"
#include "rubrica/random.hpp"

namespace rubrica {
namespace {

constexpr std::uint64_t low48 = (std::uint64_t{1} << 48) - 1;

// x -> multiplier * x + addend modulo 2^48: drand48's step, or several steps at once.
struct Step {
    std::uint64_t multiplier = 0x5DEECE66Dull, addend = 0xB;

    std::uint64_t operator()(std::uint64_t state) const {
        return (state * multiplier + addend) & low48;
    }
    Step then(const Step& next) const {
        return {(next.multiplier * multiplier) & low48, next(addend)};
    }
};

std::uint64_t seeded(std::size_t round) {
    return (static_cast<std::uint64_t>(round) & 0xFFFFFFFFu) << 16 | 0x330E;
}

std::size_t row_of(std::uint64_t state, double rows) {
    return place(static_cast<double>(static_cast<std::int64_t>(state)) * 0x1.0p-48, rows);
}

template <typename Value>
struct Table {
    const Value* values;
    std::size_t rows, columns;
};

void sum_in_order(const Table<double>& table, std::size_t first, std::size_t last, double* out) {
    const auto scale = static_cast<double>(table.rows);
    for (std::size_t round = first; round < last; ++round) {
        check_interrupt();
        std::uint64_t state = seeded(round);
        double* sums = out + round * table.columns;
        std::fill(sums, sums + table.columns, 0.0);
        for (std::size_t i = 0; i < table.rows; ++i) {
            state = Step()(state);
            const double* drawn = table.values + row_of(state, scale) * table.columns;
            for (std::size_t c = 0; c < table.columns; ++c) sums[c] += drawn[c];
        }
    }
}

// Every fourth state from each of four starts, so that no draw waits for the one before. The order
// does not matter, they are only counted.
template <typename Take>
void draw_round(std::size_t round, std::size_t rows, Take take) {
    constexpr std::size_t lanes = 4;
    const auto scale = static_cast<double>(rows);
    std::uint64_t state[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        state[lane] = Step()(lane ? state[lane - 1] : seeded(round));
    }
    const Step two = Step().then(Step()), four = two.then(two);
    // Rows are known before they are counted: the machine need not guess which counts are the same.
    std::uint32_t drawn[64 * lanes];
    for (std::size_t first = 0; first < rows; first += std::size(drawn)) {
        const std::size_t count = std::min(std::size(drawn), rows - first);
        for (std::size_t i = 0; i < count; i += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                drawn[i + lane] = static_cast<std::uint32_t>(row_of(state[lane], scale));
                state[lane] = four(state[lane]);
            }
        }
        take(drawn, count);
    }
}

void sum_counted(const Table<std::int32_t>& table, std::size_t first, std::size_t last,
                 double* out) {
    const auto draw = [&](std::size_t round, auto take) { draw_round(round, table.rows, take); };
    counted_sums(table.values, table.rows, table.columns, first, last, draw,
                 out + first * table.columns);
}

// Shares the rounds out: sum(table, first, last, out), each thread once.
template <typename Sum, typename Rows>
void on_threads(Sum sum, const Rows& table, std::size_t rounds, std::size_t threads, double* out) {
    constexpr std::size_t together = DrawCounts::rounds;
    threads = std::clamp<std::size_t>(threads, 1, most_threads());
    const std::size_t share = rounds / threads / together * together + together;
    in_parallel(rounds, share, threads, [&] {
        return [&](std::size_t first, std::size_t last) { sum(table, first, last, out); };
    });
}

}  // namespace

void rouge155_bootstrap_sums(const double* values, std::size_t rows, std::size_t columns,
                             std::size_t rounds, std::size_t threads, double* out) {
    on_threads(sum_in_order, Table<double>{values, rows, columns}, rounds, threads, out);
}

void rouge155_whole_sums(const std::int32_t* values, std::size_t rows, std::size_t columns,
                         std::size_t rounds, std::size_t threads, double* out) {
    DrawCounts::check(rows);
    on_threads(sum_counted, Table<std::int32_t>{values, rows, columns}, rounds, threads, out);
}

}  // namespace rubrica
