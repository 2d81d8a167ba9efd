// Exchanges at the system level. Each metric's scores are summed twice a round, over the cells that
// it keeps and over those that it gives away; all pairs of metrics share these sums.
#include <algorithm>
#include <cmath>
#include <numeric>
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
struct Ranks {
    std::int64_t at[width];
};

// The human means, and what they decide.
struct Human {
    std::vector<double> number, means, ranks;  // ranks: smaller less greater systems
    std::vector<std::size_t> systems;          // those that have scores
    double untied = 0, squares = 0;
};

// Ascending human means; NaN, where sums of huge numbers cancel, come last.
void sort_by_mean(Human& human) {
    std::vector<std::size_t> order(human.means.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const double left = human.means[a], right = human.means[b];
        return left < right || (std::isnan(right) && !std::isnan(left));
    });
    const Human before = human;
    for (std::size_t i = 0; i < order.size(); ++i) {
        human.systems[i] = before.systems[order[i]];
        human.number[i] = before.number[order[i]];
        human.means[i] = before.means[order[i]];
    }
}

Human human_of(const Scores& scores, Coefficient coefficient) {
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
    // Pearson's sums are taken in the order of the systems.
    if (coefficient != Coefficient::pearson) sort_by_mean(made);
    for (const double one : made.means) {
        double rank = 0;
        for (const double other : made.means) rank += (other < one) - (other > one);
        for (const double other : made.means) made.untied += (other < one);
        made.ranks.push_back(rank);
        made.squares += rank * rank;
    }
    return made;
}

// Concordant less discordant pairs, and pairs untied in x, of eight rounds. The human scores ascend.
RUBRICA_CLONES void compare_pairs(const Side* x, const double* z, std::size_t count, double* balance,
                                  double* untied) {
    std::int64_t more[width] = {}, less[width] = {}, other[width] = {};
    for (std::size_t i = 1; i < count; ++i) {
        std::size_t lower = 0;
        while (lower < i && z[lower] < z[i]) ++lower;
        std::int64_t above[width] = {}, below[width] = {};
        for (std::size_t j = 0; j < lower; ++j) {
            for (std::size_t k = 0; k < width; ++k) {
                above[k] += static_cast<std::int64_t>(x[i].at[k] > x[j].at[k]);
                below[k] += static_cast<std::int64_t>(x[i].at[k] < x[j].at[k]);
            }
        }
        for (std::size_t k = 0; k < width; ++k) {
            more[k] += above[k];
            less[k] += below[k];
        }
        for (std::size_t j = lower; j < i; ++j) {
            for (std::size_t k = 0; k < width; ++k) {
                other[k] += static_cast<std::int64_t>(x[i].at[k] > x[j].at[k]) +
                            static_cast<std::int64_t>(x[i].at[k] < x[j].at[k]);
            }
        }
    }
    for (std::size_t k = 0; k < width; ++k) {
        balance[k] = static_cast<double>(more[k] - less[k]);
        untied[k] = static_cast<double>(more[k] + less[k] + other[k]);
    }
}

// Products of centred ranks, and their squares in x; `ranks` is scratch memory.
RUBRICA_CLONES void compare_ranks(const Side* x, const double* z, std::size_t count, Ranks* ranks,
                                  double* product, double* squares) {
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t rank[width] = {};
        for (std::size_t j = 0; j < i; ++j) {
            for (std::size_t k = 0; k < width; ++k) {
                const std::int64_t sign = static_cast<std::int64_t>(x[i].at[k] > x[j].at[k]) -
                                          static_cast<std::int64_t>(x[i].at[k] < x[j].at[k]);
                rank[k] += sign;
                ranks[j].at[k] -= sign;
            }
        }
        std::copy_n(rank, width, ranks[i].at);
    }
    double xz[width] = {}, xx[width] = {};
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < width; ++k) {
            const auto rank = static_cast<double>(ranks[i].at[k]);
            xz[k] += rank * z[i];
            xx[k] += rank * rank;
        }
    }
    std::copy_n(xz, width, product);
    std::copy_n(xx, width, squares);
}

struct Sums {
    Side kept, given;
};

// As pairwise_sum, of at most 128 scores, in eight rounds: those that are kept, and those given away.
RUBRICA_CLONES void sum_block(const double* scores, const Side* masks, std::size_t count, Sums& out) {
    constexpr std::size_t slots = 8;
    Side kept[slots], given[slots];
    const std::size_t whole = count / slots * slots;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        double own[width] = {}, moved[width] = {};
        for (std::size_t i = slot; i < whole; i += slots) {
            for (std::size_t k = 0; k < width; ++k) {
                const double part = masks[i].at[k] * scores[i];
                moved[k] += part;
                own[k] += scores[i] - part;
            }
        }
        std::copy_n(own, width, kept[slot].at);
        std::copy_n(moved, width, given[slot].at);
    }
    for (std::size_t k = 0; k < width; ++k) {
        const auto all = [k](const Side* r) {
            return ((r[0].at[k] + r[1].at[k]) + (r[2].at[k] + r[3].at[k])) +
                   ((r[4].at[k] + r[5].at[k]) + (r[6].at[k] + r[7].at[k]));
        };
        out.kept.at[k] = all(kept);
        out.given.at[k] = all(given);
    }
    for (std::size_t i = whole; i < count; ++i) {
        for (std::size_t k = 0; k < width; ++k) {
            const double part = masks[i].at[k] * scores[i];
            out.given.at[k] += part;
            out.kept.at[k] += scores[i] - part;
        }
    }
}

void masked_sums(const double* scores, const Side* masks, std::size_t count, Sums& out) {
    if (count <= 128) {
        sum_block(scores, masks, count, out);
        return;
    }
    const std::size_t half = count / 2 - count / 2 % 8;
    Sums right;
    masked_sums(scores, masks, half, out);
    masked_sums(scores + half, masks + half, count - half, right);
    for (std::size_t k = 0; k < width; ++k) {
        out.kept.at[k] += right.kept.at[k];
        out.given.at[k] += right.given.at[k];
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
        ranks_.resize(human.systems.size());
        masks_.resize(scores.inputs);
    }

    void read(const std::uint8_t* swaps, std::size_t rounds) {
        const std::size_t count = human_.systems.size(), inputs = scores_.inputs;
        for (std::size_t s = 0; s < count; ++s) {
            const std::size_t at = human_.systems[s] * inputs;
            for (std::size_t k = 0; k < rounds; ++k) {
                const std::uint8_t* swap = swaps + k * scores_.systems * inputs + at;
                for (std::size_t j = 0; j < inputs; ++j) masks_[j].at[k] = swap[j] != 0 ? 1.0 : 0.0;
            }
            for (std::size_t m = 0; m < scores_.kinds; ++m) {
                const double* metric = filled_.data() + m * scores_.systems * inputs;
                Sums sums;
                masked_sums(metric + at, masks_.data(), inputs, sums);
                kept_[m * count + s] = sums.kept;
                given_[m * count + s] = sums.given;
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
            compare_ranks(mixed_.data(), human_.ranks.data(), count, ranks_.data(), above, in_x);
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
    std::vector<Side> masks_, kept_, given_, mixed_;  // [metric][system]
    std::vector<Ranks> ranks_;
    std::vector<double> column_x_;
    std::vector<std::int32_t> ones_, codes_;
};

}  // namespace

void permuted_means(const Scores& scores, Coefficient coefficient, const std::int64_t* pairs,
                     std::size_t pair_count, const std::uint8_t* swaps, std::size_t rounds,
                     std::size_t threads, double* out) {
    const Human human = human_of(scores, coefficient);
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
