// Spearman's rho and Kendall's tau-b after exchanges, at the summary and the global level.
#include <algorithm>
#include <cmath>
#include <vector>

#include "rubrica/input_means.hpp"
#include "rubrica/parallel.hpp"
#include "rubrica/permutations.hpp"
#include "rubrica/permuted_ranks.hpp"
#include "rubrica/score_pair.hpp"

namespace rubrica {

std::vector<std::vector<std::uint32_t>> column_cells(const Scores& scores, Level level) {
    const std::size_t cells = scores.systems * scores.inputs;
    std::vector<std::vector<std::uint32_t>> out(level == Level::summary ? scores.inputs : 1);
    for (std::size_t i = 0; i < cells; ++i) {
        bool present = !std::isnan(scores.human[i]);
        for (std::size_t m = 0; m < scores.kinds; ++m) {
            present = present && !std::isnan(scores.metrics[m * cells + i]);
        }
        if (!present) continue;
        out[level == Level::summary ? i % scores.inputs : 0].push_back(
            static_cast<std::uint32_t>(i));
    }
    return out;
}

#if defined(__GNUC__)
namespace {

using permuted::width;

constexpr std::size_t most_cells = 1 << 18;  // whose masks take 8 MB a thread
constexpr std::size_t most_values = 4'000'000;

class RoundWorker {
public:
    RoundWorker(const std::vector<permuted::Human>& columns, Coefficient coefficient, std::size_t cells,
           bool zero)
        : columns_(columns), ranks_(coefficient == Coefficient::spearman), zero_(zero),
          masks_(cells) {
        for (const permuted::Human& one : columns) untied_.push_back(below(one, 0));
    }

    void read(const std::uint8_t* swaps, std::size_t rounds) {
        for (std::size_t k = 0; k < rounds; ++k, swaps += masks_.size()) {
            for (std::size_t i = 0; i < masks_.size(); ++i) masks_[i].at[k] = swaps[i] != 0 ? -1 : 0;
        }
    }

    // Both sides of a pair: out[round * stride] and the place behind.
    void correlate(const std::vector<permuted::PairColumn>& pair, std::size_t rounds, Level level,
                   double* out, std::size_t stride) {
        InputMeans<width> lefts(zero_), rights(zero_);
        double r[2][width];
        // An empty table has no correlation.
        std::fill_n(&r[0][0], 2 * width, undefined);
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            permuted::Sums left, right;
            if (ranks_) {
                sum_ranks(columns_[j], pair[j], masks_.data(), left, right);
            } else {
                sum_pairs(columns_[j], pair[j], masks_.data(), counts_, left, right);
            }
            coefficients(j, left, pair[j].tied, r[0]);
            coefficients(j, right, pair[j].tied, r[1]);
            lefts.add(r[0], columns_[j].points);
            rights.add(r[1], columns_[j].points);
        }
        for (std::size_t k = 0; k < rounds; ++k) {
            out[k * stride] = level == Level::global ? r[0][k] : lefts.of(k);
            out[k * stride + 1] = level == Level::global ? r[1][k] : rights.of(k);
        }
    }

private:
    double below(const permuted::Human& human, std::int64_t ties) const {
        const double n = human.points, tied = static_cast<double>(ties);
        if (ranks_) return std::sqrt((n * n * n - n - tied) / 3 * human.squares);
        return std::sqrt((n * n - n - tied) / 2 * human.untied);
    }

    void coefficients(std::size_t j, const permuted::Sums& sums, bool tied, double* r) const {
        for (std::size_t k = 0; k < width; ++k) {
            const double under = tied ? below(columns_[j], sums.tied[k]) : untied_[j];
            r[k] = ratio(static_cast<double>(sums.above[k]), under);
        }
    }

    const std::vector<permuted::Human>& columns_;
    bool ranks_, zero_;
    std::vector<permuted::Narrow> masks_;
    permuted::Counts counts_;
    std::vector<double> untied_;  // what is divided by, of columns without ties
};

}  // namespace

bool permuted_ranks(const Scores& scores, Level level, Coefficient coefficient,
                     const std::int64_t* pairs, std::size_t pair_count, const std::uint8_t* swaps,
                     std::size_t rounds, bool zero, std::size_t threads, double* out) {
    const bool ranks = coefficient == Coefficient::spearman;
    const std::size_t cells = scores.systems * scores.inputs;
    if (level == Level::system || !(ranks || coefficient == Coefficient::tau_b) ||
        cells > most_cells) {
        return false;
    }
    std::vector<permuted::Human> columns;
    for (auto& one : column_cells(scores, level)) {
        columns.push_back(permuted::human_column(scores.human, std::move(one)));
        const permuted::Human& made = columns.back();
        if (ranks ? made.cells.size() > permuted::most_points
                  : made.kinds > permuted::most_kinds || made.cells.size() > 4 * permuted::most_points) {
            return false;
        }
    }
    const std::size_t group = std::max<std::size_t>(1, most_values / (2 * cells + 1));
    for (std::size_t first = 0; first < pair_count; first += group) {
        const std::size_t last = std::min(first + group, pair_count);
        std::vector<std::vector<permuted::PairColumn>> sorted;
        for (std::size_t p = first; p < last; ++p) {
            const double* x = scores.metrics + static_cast<std::size_t>(pairs[2 * p]) * cells;
            const double* y = scores.metrics + static_cast<std::size_t>(pairs[2 * p + 1]) * cells;
            std::vector<permuted::PairColumn>& made = sorted.emplace_back();
            for (const permuted::Human& human : columns) {
                made.push_back(permuted::pair_column(human, x, y, ranks));
            }
        }
        in_parallel(rounds, width, threads, [&] {
            return [&, worker = RoundWorker(columns, coefficient, cells, zero)](
                       std::size_t from, std::size_t to) mutable {
                worker.read(swaps + from * cells, to - from);
                for (std::size_t p = first; p < last; ++p) {
                    worker.correlate(sorted[p - first], to - from, level,
                                     out + (from * pair_count + p) * 2, pair_count * 2);
                }
            };
        });
    }
    return true;
}
#else
bool permuted_ranks(const Scores&, Level, Coefficient, const std::int64_t*, std::size_t,
                     const std::uint8_t*, std::size_t, bool, std::size_t, double*) {
    return false;
}
#endif

}  // namespace rubrica
