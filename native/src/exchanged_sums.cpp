#include "rubrica/exchanged_sums.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "rubrica/lanes.hpp"
#include "rubrica/parallel.hpp"

namespace rubrica {
namespace {

constexpr std::size_t width = 8;      // rounds side by side
constexpr std::size_t tile = 8'192;   // bytes of weights that several rounds read while they are near
// Sums of squares this much smaller than the squares they come from have lost too many digits.
constexpr double cancellation = 1e-3;
// So have sums this much smaller than those that the exchange took them from.
constexpr double difference = 1e-6;

RUBRICA_CLONES void add_rows(const double* weights, std::size_t kinds, const std::uint32_t* rows,
                             std::size_t count, double* sums) {
    for (std::size_t i = 0; i < count; ++i) {
        const double* row = weights + rows[i] * kinds;
        for (std::size_t k = 0; k < kinds; ++k) sums[k] += row[k];
    }
}

#if defined(__GNUC__)
// GCC would work on units side by side, and gather their numbers.
typedef double Four __attribute__((vector_size(32)));
struct alignas(32) Lane {
    union {
        double at[width];
        Four half[2];
    };
};
#else
struct Lane {
    double at[width];
};
#endif

// Adds what the units that are exchanged move to the sums of all metrics.
RUBRICA_CLONES void add_units(const double* values, std::size_t units, std::size_t sums,
                              const Lane* masks, Lane* moved) {
    for (std::size_t i = 0; i < sums; ++i) {
        Lane total{};
        for (std::size_t u = 0; u < units; ++u) {
            const double value = values[u * sums + i];
#if defined(__GNUC__)
            total.half[0] += masks[u].half[0] * value;
            total.half[1] += masks[u].half[1] * value;
#else
            for (std::size_t k = 0; k < width; ++k) total.at[k] += masks[u].at[k] * value;
#endif
        }
        moved[i] = total;
    }
}

// Adds the correlations of a metric that keeps `own` and takes `taken`; three sums each. `all` is the sum of
// squares of both metrics.
RUBRICA_CLONES void add_side(const Lane* own, const Lane* taken, double share, double all, Lane& values,
                             Lane& cancelled) {
    double varied[width], lost[width], r[width];
    for (std::size_t k = 0; k < width; ++k) {
        const double x = own[0].at[k] + taken[0].at[k];
        const double squares = own[1].at[k] + taken[1].at[k];
        varied[k] = squares - x * x * share;
        lost[k] = varied[k] > std::max(cancellation * squares, difference * all) ? 0.0 : 1.0;
    }
    for (std::size_t k = 0; k < width; ++k) {
        r[k] = (own[2].at[k] + taken[2].at[k]) / std::sqrt(varied[k]);
    }
    for (std::size_t k = 0; k < width; ++k) {
        values.at[k] += r[k];
        cancelled.at[k] += lost[k];
    }
}

// One thread's exchanges, eight rounds at a time.
class MomentExchanger {
public:
    MomentExchanger(const Moments& moments, const std::vector<double>& tables,
                    const std::vector<double>& totals, const std::int64_t* pairs,
                    std::size_t pair_count)
        : m_(moments), tables_(tables), totals_(totals), pairs_(pairs), count_(pair_count),
          masks_(moments.units), moved_(3 * moments.kinds), unmoved_(3 * moments.kinds), first_(pair_count),
          second_(pair_count), cancelled_(pair_count) {}

    void rounds(const std::uint8_t* swaps, std::size_t number, double* out) {
        std::fill(first_.begin(), first_.end(), Lane{});
        std::fill(second_.begin(), second_.end(), Lane{});
        std::fill(cancelled_.begin(), cancelled_.end(), Lane{});
        for (std::size_t j = 0; j < m_.columns; ++j) column(swaps, number, j);
        for (std::size_t k = 0; k < number; ++k) {
            for (std::size_t p = 0; p < count_; ++p) {
                out[k * count_ + p] = first_[p].at[k] - second_[p].at[k];
            }
        }
    }

    bool cancelled(std::size_t pair, std::size_t number) const {
        const double* rounds = cancelled_[pair].at;
        return std::any_of(rounds, rounds + number, [](double times) { return times > 0; });
    }

private:
    void column(const std::uint8_t* swaps, std::size_t number, std::size_t j) {
        const std::size_t sums = 3 * m_.kinds;
        for (std::size_t k = 0; k < number; ++k) {
            const std::uint8_t* swap = swaps + k * m_.units * m_.columns + j;
            for (std::size_t u = 0; u < m_.units; ++u) {
                masks_[u].at[k] = swap[u * m_.columns] != 0 ? 1.0 : 0.0;
            }
        }
        add_units(tables_.data() + j * m_.units * sums, m_.units, sums, masks_.data(), moved_.data());
        for (std::size_t i = 0; i < sums; ++i) {
            for (std::size_t k = 0; k < width; ++k) {
                unmoved_[i].at[k] = totals_[j * sums + i] - moved_[i].at[k];
            }
        }
        const double share = 1.0 / m_.points[j];
        for (std::size_t p = 0; p < count_; ++p) {
            const std::size_t a = 3 * static_cast<std::size_t>(pairs_[2 * p]);
            const std::size_t b = 3 * static_cast<std::size_t>(pairs_[2 * p + 1]);
            const Lane *kept = unmoved_.data(), *taken = moved_.data();
            const double all = totals_[j * sums + a + 1] + totals_[j * sums + b + 1];
            add_side(kept + a, taken + b, share, all, first_[p], cancelled_[p]);
            add_side(kept + b, taken + a, share, all, second_[p], cancelled_[p]);
        }
    }

    const Moments& m_;
    const std::vector<double>&tables_, &totals_;
    const std::int64_t* pairs_;
    std::size_t count_;
    std::vector<Lane> masks_, moved_, unmoved_, first_, second_, cancelled_;
};

}  // namespace

void masked_sums(const double* weights, std::size_t cells, std::size_t kinds,
                 const std::uint8_t* swaps, std::size_t rounds, std::size_t threads, double* out) {
    const std::size_t step = std::max<std::size_t>(1, tile / (sizeof(double) * (kinds + 1)));
    in_parallel(rounds, width, threads, [&] {
        return [&, rows = std::vector<std::uint32_t>(step)](std::size_t from, std::size_t to) mutable {
            std::fill(out + from * kinds, out + to * kinds, 0.0);
            for (std::size_t start = 0; start < cells; start += step) {
                const std::size_t number = std::min(step, cells - start);
                for (std::size_t round = from; round < to; ++round) {
                    const std::uint8_t* swap = swaps + round * cells + start;
                    std::size_t count = 0;
                    for (std::size_t i = 0; i < number; ++i) {
                        rows[count] = static_cast<std::uint32_t>(i);
                        count += swap[i] != 0;
                    }
                    add_rows(weights + start * kinds, kinds, rows.data(), count, out + round * kinds);
                }
            }
        };
    });
}

void exchanged_pearson(const Moments& moments, const std::int64_t* pairs, std::size_t pair_count,
                       const std::uint8_t* swaps, std::size_t rounds, std::size_t threads,
                       double* out, std::uint8_t* cancelled) {
    const std::size_t sums = 3 * moments.kinds, cells = moments.units * moments.columns;
    // [column][unit][metric][sum], so that a unit's numbers lie side by side.
    std::vector<double> tables(cells * sums), totals(moments.columns * sums);
    for (std::size_t i = 0; i < sums; ++i) {
        const double* from = moments.tables + (i % 3 * moments.kinds + i / 3) * cells;
        for (std::size_t j = 0; j < moments.columns; ++j) {
            for (std::size_t u = 0; u < moments.units; ++u) {
                const double value = from[u * moments.columns + j];
                tables[(j * moments.units + u) * sums + i] = value;
                totals[j * sums + i] += value;
            }
        }
    }
    std::vector<std::atomic<std::uint8_t>> flags(pair_count);
    in_parallel(rounds, width, threads, [&] {
        return [&, worker = MomentExchanger(moments, tables, totals, pairs, pair_count)](
                   std::size_t from, std::size_t to) mutable {
            worker.rounds(swaps + from * cells, to - from, out + from * pair_count);
            for (std::size_t p = 0; p < pair_count; ++p) {
                if (worker.cancelled(p, to - from)) flags[p] = 1;
            }
        };
    });
    std::copy(flags.begin(), flags.end(), cancelled);
}

}  // namespace rubrica
