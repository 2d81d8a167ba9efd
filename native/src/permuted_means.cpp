// Exchanges at the system level. Each metric's scores are summed twice a round, over the cells that
// it keeps and over those that it gives away; all pairs of metrics share these sums.
#include <algorithm>
#include <cmath>
#include <vector>

#include "rubrica/lanes.hpp"
#include "rubrica/parallel.hpp"
#include "rubrica/permutations.hpp"
#include "rubrica/score_pair.hpp"

namespace rubrica {
namespace {

constexpr std::size_t width = 8;            // rounds side by side
constexpr std::size_t most_systems = 128;   // beyond, sorting beats comparing all with all

struct Side {
    double at[width];
};

// The human means, and what they decide.
struct Human {
    std::vector<double> number, means, ranks;  // ranks: smaller less greater systems
    std::vector<std::size_t> systems;          // those that have scores
    double untied = 0, squares = 0;
};

Human human_of(const Scores& scores) {
    Human made;
    std::vector<double> filled(scores.human, scores.human + scores.systems * scores.inputs);
    for (double& value : filled) value = std::isnan(value) ? 0.0 : value;
    for (std::size_t i = 0; i < scores.systems; ++i) {
        const double* human = scores.human + i * scores.inputs;
        double number = 0;
        for (std::size_t j = 0; j < scores.inputs; ++j) number += std::isnan(human[j]) ? 0 : 1;
        if (number == 0) continue;
        const double sum = pairwise_sum(filled.data() + i * scores.inputs, scores.inputs);
        made.systems.push_back(i);
        made.number.push_back(number);
        made.means.push_back(sum / number);
    }
    for (const double one : made.means) {
        double rank = 0;
        for (const double other : made.means) rank += (other < one) - (other > one);
        for (const double other : made.means) made.untied += (other < one);
        made.ranks.push_back(rank);
        made.squares += rank * rank;
    }
    return made;
}

// Concordant less discordant pairs, and pairs untied in x, of eight rounds.
RUBRICA_CLONES void compare_pairs(const Side* x, const double* z, std::size_t count, double* balance,
                                  double* untied) {
    double sum[width] = {}, other[width] = {};
    for (std::size_t i = 1; i < count; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double sign = (z[i] > z[j]) - (z[i] < z[j]);
            for (std::size_t k = 0; k < width; ++k) {
                const double side = (x[i].at[k] > x[j].at[k] ? 1.0 : 0.0) -
                                    (x[i].at[k] < x[j].at[k] ? 1.0 : 0.0);
                sum[k] += sign * side;
                other[k] += side * side;
            }
        }
    }
    std::copy_n(sum, width, balance);
    std::copy_n(other, width, untied);
}

// Products of centred ranks, and their squares in x.
RUBRICA_CLONES void compare_ranks(const Side* x, const double* z, std::size_t count, double* product,
                                  double* squares) {
    double xz[width] = {}, xx[width] = {};
    for (std::size_t i = 0; i < count; ++i) {
        double rank[width] = {};
        for (std::size_t j = 0; j < count; ++j) {
            for (std::size_t k = 0; k < width; ++k) {
                rank[k] += (x[i].at[k] > x[j].at[k] ? 1.0 : 0.0) -
                           (x[i].at[k] < x[j].at[k] ? 1.0 : 0.0);
            }
        }
        for (std::size_t k = 0; k < width; ++k) {
            xz[k] += rank[k] * z[i];
            xx[k] += rank[k] * rank[k];
        }
    }
    std::copy_n(xz, width, product);
    std::copy_n(xx, width, squares);
}

RUBRICA_CLONES void split(const double* scores, const std::uint8_t* swap, std::size_t count,
                          double* kept, double* given) {
    for (std::size_t j = 0; j < count; ++j) {
        kept[j] = swap[j] != 0 ? 0.0 : scores[j];
        given[j] = swap[j] != 0 ? scores[j] : 0.0;
    }
}

class Exchanger {
public:
    Exchanger(const Scores& scores, const std::vector<double>& filled, const Human& human,
              Coefficient coefficient)
        : scores_(scores), filled_(filled), human_(human), coefficient_(coefficient) {
        kept_.resize(scores.kinds * human.systems.size());
        given_.resize(kept_.size());
        mixed_.resize(human.systems.size());
        ones_.assign(human.systems.size(), 1);
        column_x_.resize(human.systems.size());
        row_.resize(2 * scores.inputs);
    }

    void read(const std::uint8_t* swaps, std::size_t rounds) {
        const std::size_t count = human_.systems.size(), inputs = scores_.inputs;
        for (std::size_t k = 0; k < rounds; ++k, swaps += scores_.systems * inputs) {
            for (std::size_t m = 0; m < scores_.kinds; ++m) {
                const double* metric = filled_.data() + m * scores_.systems * inputs;
                for (std::size_t s = 0; s < count; ++s) {
                    const std::size_t at = human_.systems[s] * inputs;
                    split(metric + at, swaps + at, inputs, row_.data(), row_.data() + inputs);
                    kept_[m * count + s].at[k] = pairwise_sum(row_.data(), inputs);
                    given_[m * count + s].at[k] = pairwise_sum(row_.data() + inputs, inputs);
                }
            }
        }
    }

    // `a` with what it takes from `b`: out[round * stride].
    void correlate(std::size_t a, std::size_t b, std::size_t rounds, double* out,
                   std::size_t stride) {
        const std::size_t count = human_.systems.size();
        const Side *own = kept_.data() + a * count, *taken = given_.data() + b * count;
        for (std::size_t s = 0; s < count; ++s) {
            for (std::size_t k = 0; k < width; ++k) {
                mixed_[s].at[k] = (own[s].at[k] + taken[s].at[k]) / human_.number[s];
            }
        }
        const bool ranked = coefficient_ == Coefficient::spearman;
        if (coefficient_ == Coefficient::pearson || coefficient_ == Coefficient::tau_c ||
            count > most_systems) {
            for (std::size_t k = 0; k < rounds; ++k) {
                for (std::size_t s = 0; s < count; ++s) column_x_[s] = mixed_[s].at[k];
                out[k * stride] = correlate_means(column_, column_x_, human_.means, ones_,
                                                  coefficient_, codes_);
            }
            return;
        }
        double above[width], in_x[width];
        if (ranked) {
            compare_ranks(mixed_.data(), human_.ranks.data(), count, above, in_x);
        } else {
            compare_pairs(mixed_.data(), human_.means.data(), count, above, in_x);
        }
        for (std::size_t k = 0; k < rounds; ++k) {
            if (ranked) {
                out[k * stride] = ratio(above[k], std::sqrt(in_x[k] * human_.squares));
                continue;
            }
            PairCounts counts;
            counts.points = static_cast<double>(count);
            counts.balance = above[k];
            counts.untied_x = in_x[k];
            counts.untied_z = human_.untied;
            out[k * stride] = kendall(counts, coefficient_);
        }
    }

private:
    const Scores& scores_;
    const std::vector<double>& filled_;
    const Human& human_;
    Coefficient coefficient_;
    LongColumn column_;
    std::vector<Side> kept_, given_, mixed_;  // [metric][system]
    std::vector<double> column_x_, row_;
    std::vector<std::int32_t> ones_, codes_;
};

}  // namespace

void permuted_means(const Scores& scores, Coefficient coefficient, const std::int64_t* pairs,
                     std::size_t pair_count, const std::uint8_t* swaps, std::size_t rounds,
                     std::size_t threads, double* out) {
    const Human human = human_of(scores);
    const std::size_t cells = scores.systems * scores.inputs;
    std::vector<double> filled(scores.metrics, scores.metrics + scores.kinds * cells);
    for (double& value : filled) value = std::isnan(value) ? 0.0 : value;
    in_parallel(rounds, width, threads, [&] {
        return [&, worker = Exchanger(scores, filled, human, coefficient)](
                   std::size_t from, std::size_t to) mutable {
            worker.read(swaps + from * cells, to - from);
            for (std::size_t p = 0; p < pair_count; ++p) {
                const auto a = static_cast<std::size_t>(pairs[2 * p]);
                const auto b = static_cast<std::size_t>(pairs[2 * p + 1]);
                double* at = out + (from * pair_count + p) * 2;
                worker.correlate(a, b, to - from, at, pair_count * 2);
                worker.correlate(b, a, to - from, at + 1, pair_count * 2);
            }
        };
    });
}

}  // namespace rubrica
