// Pearson's correlation after exchanges, eight rounds side by side. The sums are taken in the order
// of the points, as everywhere; what the human scores decide is computed once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "rubrica/input_means.hpp"
#include "rubrica/lanes.hpp"
#include "rubrica/parallel.hpp"
#include "rubrica/permutations.hpp"
#include "rubrica/score_pair.hpp"

namespace rubrica {
namespace {

constexpr std::size_t width = 8;             // rounds side by side
constexpr std::size_t most_cells = 1 << 18;  // whose masks take 16 MB a thread

#if defined(__GNUC__)
typedef double Four __attribute__((vector_size(32)));
typedef std::int64_t Bits __attribute__((vector_size(32)));
struct alignas(32) Masks {
    union {
        Bits part[2];
        std::int64_t at[width];  // -1 where the cell was exchanged
    };
};

// A column: an input, or all cells. `dz` are the human scores less their mean.
struct Column {
    std::vector<std::uint32_t> cells;
    std::vector<double> dz;
    double points = 0, norm = 0;  // the norm is 0 where the human scores are constant
};

Column column_of(const double* z, std::vector<std::uint32_t> cells) {
    Column made;
    double sum = 0, squares = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const std::uint32_t i : cells) {
        sum += z[i];
        low = std::min(low, z[i]);
        high = std::max(high, z[i]);
    }
    made.points = static_cast<double>(cells.size());
    for (const std::uint32_t i : cells) {
        const double dz = z[i] - sum / made.points;
        squares += dz * dz;
        made.dz.push_back(dz);
    }
    made.norm = low < high ? std::sqrt(squares) : 0.0;
    made.cells = std::move(cells);
    return made;
}

// `x` is what is kept and `y` what comes in exchange; neither holds a negative zero, so that equal
// values have equal bits. xx is 0 where all values are equal.
RUBRICA_CLONES void walk(const Column& column, const double* x, const double* y, const Masks* masks,
                         double* xx, double* xz) {
    const std::size_t count = column.cells.size();
    const std::uint32_t* cells = column.cells.data();
    Four sum0{}, sum1{};
    Bits first0{}, first1{}, differs0{}, differs1{};
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t cell = cells[i];
        const auto kept = std::bit_cast<std::int64_t>(x[cell]);
        const std::int64_t change = kept ^ std::bit_cast<std::int64_t>(y[cell]);
        const Bits v0 = kept ^ (change & masks[cell].part[0]), v1 = kept ^ (change & masks[cell].part[1]);
        if (i == 0) {
            first0 = v0;
            first1 = v1;
        }
        differs0 |= v0 ^ first0;
        differs1 |= v1 ^ first1;
        sum0 += (Four)v0;
        sum1 += (Four)v1;
    }
    const Four mean0 = sum0 / column.points, mean1 = sum1 / column.points;
    Four xx0{}, xx1{}, xz0{}, xz1{};
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t cell = cells[i];
        const auto kept = std::bit_cast<std::int64_t>(x[cell]);
        const std::int64_t change = kept ^ std::bit_cast<std::int64_t>(y[cell]);
        const double dz = column.dz[i];
        const Four d0 = (Four)(kept ^ (change & masks[cell].part[0])) - mean0;
        const Four d1 = (Four)(kept ^ (change & masks[cell].part[1])) - mean1;
        xx0 += d0 * d0;
        xx1 += d1 * d1;
        xz0 += d0 * dz;
        xz1 += d1 * dz;
    }
    for (std::size_t k = 0; k < 4; ++k) {
        xx[k] = differs0[k] != 0 ? xx0[k] : 0.0;
        xx[k + 4] = differs1[k] != 0 ? xx1[k] : 0.0;
        xz[k] = xz0[k];
        xz[k + 4] = xz1[k];
    }
}

class RoundWorker {
public:
    RoundWorker(const std::vector<Column>& columns, std::size_t cells, Level level, bool zero)
        : columns_(columns), level_(level), zero_(zero), masks_(cells) {}

    void read(const std::uint8_t* swaps, std::size_t rounds) {
        for (std::size_t k = 0; k < rounds; ++k, swaps += masks_.size()) {
            for (std::size_t i = 0; i < masks_.size(); ++i) masks_[i].at[k] = swaps[i] != 0 ? -1 : 0;
        }
    }

    // out[round * stride] for one side of a pair.
    void correlate(const double* x, const double* y, std::size_t rounds, double* out,
                   std::size_t stride) {
        InputMeans<width> means(zero_);
        double r[width];
        // An empty table has no correlation.
        std::fill_n(r, width, undefined);
        for (const Column& column : columns_) {
            double xx[width] = {}, xz[width] = {};
            if (column.points >= 2) walk(column, x, y, masks_.data(), xx, xz);
            for (std::size_t k = 0; k < width; ++k) {
                r[k] = ratio(xz[k], std::sqrt(xx[k]) * column.norm);
            }
            means.add(r, column.points);
        }
        for (std::size_t k = 0; k < rounds; ++k) {
            out[k * stride] = level_ == Level::global ? r[k] : means.of(k);
        }
    }

private:
    const std::vector<Column>& columns_;
    Level level_;
    bool zero_;
    std::vector<Masks> masks_;
};

#endif

}  // namespace

#if defined(__GNUC__)
bool permuted_values(const Scores& scores, Level level, const std::int64_t* pairs,
                      std::size_t pair_count, const std::uint8_t* swaps, std::size_t rounds,
                      bool zero, std::size_t threads, double* out) {
    const std::size_t cells = scores.systems * scores.inputs;
    if (level == Level::system || cells > most_cells) return false;
    std::vector<Column> columns;
    for (auto& one : column_cells(scores, level)) {
        columns.push_back(column_of(scores.human, std::move(one)));
    }
    std::vector<double> metrics(scores.metrics, scores.metrics + scores.kinds * cells);
    for (double& value : metrics) value += 0.0;
    in_parallel(rounds, width, threads, [&] {
        return [&, worker = RoundWorker(columns, cells, level, zero)](std::size_t from,
                                                                 std::size_t to) mutable {
            worker.read(swaps + from * cells, to - from);
            for (std::size_t p = 0; p < pair_count; ++p) {
                const double* x = metrics.data() + static_cast<std::size_t>(pairs[2 * p]) * cells;
                const double* y = metrics.data() + static_cast<std::size_t>(pairs[2 * p + 1]) * cells;
                double* at = out + (from * pair_count + p) * 2;
                worker.correlate(x, y, to - from, at, pair_count * 2);
                worker.correlate(y, x, to - from, at + 1, pair_count * 2);
            }
        };
    });
    return true;
}
#else
bool permuted_values(const Scores&, Level, const std::int64_t*, std::size_t, const std::uint8_t*,
                      std::size_t, bool, std::size_t, double*) {
    return false;
}
#endif

}  // namespace rubrica
