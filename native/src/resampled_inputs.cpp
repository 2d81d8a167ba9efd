// Correlations within inputs, the systems drawn again in each round. What the human scores decide is computed once a
// round for all metrics. Rank correlations are sums over pairs of systems, whose signs are the same in all rounds.
#include "rubrica/resampled_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rubrica/lanes.hpp"
#include "rubrica/parallel.hpp"
#include "rubrica/score_pair.hpp"

namespace rubrica {

#if defined(__GNUC__)
namespace {

constexpr std::size_t width = 16;       // inputs side by side
constexpr std::int64_t most_points = 46;  // sums of cubes of weights stay below 2^15
constexpr std::size_t most_signs = 1 << 26;
// Below this share of the greatest square, sums of squares may be those of equal numbers.
constexpr double rounding = 1e-12;

typedef std::int16_t Sixteen __attribute__((vector_size(32)));
typedef double Four __attribute__((vector_size(32)));
struct alignas(32) Signs {
    union {
        Sixteen all;
        std::int16_t at[width];
    };
};
struct alignas(32) Values {
    union {
        Four part[4];
        double at[width];
    };
};

// Two different systems that are drawn, and the product of their weights.
struct DrawnPair {
    std::uint32_t index;
    std::int16_t weight, first, second;  // the places of both among the systems drawn
};

struct Drawn {
    std::vector<Row> rows;
    std::vector<DrawnPair> pairs;
    double points = 0, squares = 0, cubes = 0;  // sums of the weights
};

std::size_t pair_index(std::size_t first, std::size_t second) { return second * (second - 1) / 2 + first; }

// sign(x_a - x_b) of every two systems a < b: [block of inputs][pair].
struct Comparisons {
    std::vector<Signs> signs;
    std::vector<std::uint8_t> tied;  // by block: whether some scores of an input are equal
};

Comparisons compare_systems(const double* scores, std::size_t systems, std::size_t inputs) {
    const std::size_t blocks = (inputs + width - 1) / width, pairs = systems * (systems - 1) / 2;
    Comparisons made{std::vector<Signs>(blocks * pairs), std::vector<std::uint8_t>(blocks)};
    for (std::size_t b = 1; b < systems; ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            for (std::size_t j = 0; j < inputs; ++j) {
                const double x = scores[a * inputs + j], y = scores[b * inputs + j];
                made.signs[j / width * pairs + pair_index(a, b)].at[j % width] =
                    static_cast<std::int16_t>((x > y) - (x < y));
                if (!(x < y) && !(x > y)) made.tied[j / width] = 1;
            }
        }
    }
    return made;
}

RUBRICA_CLONES void weigh_signs(const std::vector<DrawnPair>& pairs, const Signs* signs, Signs& untied) {
    Sixteen sum{};
    for (const DrawnPair& pair : pairs) {
        const Sixteen& sign = signs[pair.index].all;
        sum += sign * sign * pair.weight;
    }
    untied.all = sum;
}

// The sum of the signs times what a pair counts.
RUBRICA_CLONES void sum_signs(const std::vector<DrawnPair>& pairs, const Signs* signs, const Signs* human, Signs& out) {
    Sixteen sum{};
    for (std::size_t i = 0; i < pairs.size(); ++i) sum += signs[pairs[i].index].all * human[i].all;
    out.all = sum;
}

RUBRICA_CLONES void weigh_human(const std::vector<DrawnPair>& pairs, const Signs* signs, Signs* human) {
    for (std::size_t i = 0; i < pairs.size(); ++i) human[i].all = signs[pairs[i].index].all * pairs[i].weight;
}

// Smaller less greater points of each system that is drawn: twice the centred average rank.
RUBRICA_CLONES void rank_systems(const Drawn& drawn, const Signs* signs, Signs* ranks) {
    for (std::size_t i = 0; i < drawn.rows.size(); ++i) ranks[i].all = Sixteen{};
    for (const DrawnPair& pair : drawn.pairs) {
        const auto first = static_cast<std::size_t>(pair.first), second = static_cast<std::size_t>(pair.second);
        const Sixteen& sign = signs[pair.index].all;
        ranks[first].all += sign * static_cast<std::int16_t>(drawn.rows[second].weight);
        ranks[second].all -= sign * static_cast<std::int16_t>(drawn.rows[first].weight);
    }
}

RUBRICA_CLONES void sum_squares(const Drawn& drawn, const Signs* ranks, Signs& out) {
    Sixteen sum{};
    for (std::size_t i = 0; i < drawn.rows.size(); ++i) {
        sum += ranks[i].all * ranks[i].all * static_cast<std::int16_t>(drawn.rows[i].weight);
    }
    out.all = sum;
}

RUBRICA_CLONES void weigh_ranks(const std::vector<DrawnPair>& pairs, const Signs* ranks, Signs* human) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto first = static_cast<std::size_t>(pairs[i].first), second = static_cast<std::size_t>(pairs[i].second);
        human[i].all = (ranks[first].all - ranks[second].all) * pairs[i].weight;
    }
}

// Deviations from the mean of sixteen inputs, and their squares; sums are taken in the order of the systems.
RUBRICA_CLONES void centre(const Values* scores, const Drawn& drawn, Values* centred, Values& squares) {
    Values mean{};
    for (const Row& row : drawn.rows) {
        const double weight = row.weight;
        const Values& own = scores[row.index];
        for (std::size_t q = 0; q < 4; ++q) mean.part[q] += weight * own.part[q];
    }
    for (std::size_t q = 0; q < 4; ++q) mean.part[q] /= drawn.points;
    squares = Values{};
    for (std::size_t i = 0; i < drawn.rows.size(); ++i) {
        const double weight = drawn.rows[i].weight;
        const Values& own = scores[drawn.rows[i].index];
        for (std::size_t q = 0; q < 4; ++q) {
            const Four d = own.part[q] - mean.part[q];
            centred[i].part[q] = d;
            squares.part[q] += weight * (d * d);
        }
    }
}

RUBRICA_CLONES void multiply(const Values* x, const Values* z, const Drawn& drawn, Values& out) {
    Values sum{};
    for (std::size_t i = 0; i < drawn.rows.size(); ++i) {
        const double weight = drawn.rows[i].weight;
        for (std::size_t q = 0; q < 4; ++q) sum.part[q] += weight * (x[i].part[q] * z[i].part[q]);
    }
    out = sum;
}

struct Table {
    Comparisons ranks;
    std::vector<Values> values;    // [block of inputs][system]
    std::vector<double> greatest;  // the greatest square within each input
};

Table table_of(const double* scores, const Scores& m, Coefficient coefficient) {
    Table made;
    if (coefficient != Coefficient::pearson) {
        made.ranks = compare_systems(scores, m.systems, m.inputs);
        return made;
    }
    const std::size_t blocks = (m.inputs + width - 1) / width;
    made.values.resize(blocks * m.systems);
    made.greatest.assign(blocks * width, 0.0);
    for (std::size_t i = 0; i < m.systems; ++i) {
        for (std::size_t j = 0; j < m.inputs; ++j) {
            const double value = scores[i * m.inputs + j];
            made.values[j / width * m.systems + i].at[j % width] = value;
            made.greatest[j] = std::max(made.greatest[j], value * value);
        }
    }
    return made;
}

class RoundWorker {
public:
    RoundWorker(const Scores& scores, const std::vector<Table>& metrics, const Table& human, Coefficient coefficient,
                bool zero)
        : m_(scores), metrics_(metrics), human_(human), coefficient_(coefficient), zero_(zero),
          stride_((scores.inputs + width - 1) / width * width), r_(scores.kinds * stride_), points_(scores.inputs),
          weighed_(scores.systems * scores.systems), ranks_(scores.systems), own_(scores.systems),
          others_(scores.systems) {}

    // out[metric].
    void correlate(const std::int32_t* systems, const std::int32_t* inputs, double* out) {
        // Where only inputs are drawn, their correlations stay the same.
        if (last_.empty() || !std::equal(systems, systems + m_.systems, last_.begin())) {
            last_.assign(systems, systems + m_.systems);
            read(systems);
            std::fill(points_.begin(), points_.end(), drawn_.points);
            for (std::size_t block = 0; block * width < m_.inputs; ++block) {
                if (coefficient_ == Coefficient::pearson) {
                    pearson(block);
                } else {
                    coefficient_ == Coefficient::spearman ? spearman(block) : kendall(block);
                }
            }
        }
        for (std::size_t k = 0; k < m_.kinds; ++k) {
            out[k] = mean_over_inputs(r_.data() + k * stride_, points_.data(), inputs, m_.inputs, zero_);
        }
    }

private:
    void read(const std::int32_t* counts) {
        drawn_ = {};
        const bool paired = coefficient_ != Coefficient::pearson;
        for (std::size_t i = 0; i < m_.systems; ++i) {
            if (counts[i] == 0) continue;
            for (std::size_t a = 0; paired && a < drawn_.rows.size(); ++a) {
                const Row& row = drawn_.rows[a];
                drawn_.pairs.push_back({static_cast<std::uint32_t>(pair_index(row.index, i)),
                                        static_cast<std::int16_t>(row.weight * counts[i]), static_cast<std::int16_t>(a),
                                        static_cast<std::int16_t>(drawn_.rows.size())});
            }
            const double weight = counts[i];
            drawn_.rows.push_back({i, counts[i]});
            drawn_.points += weight;
            drawn_.squares += weight * weight;
            drawn_.cubes += weight * weight * weight;
        }
    }

    const Signs* signs_of(const Table& table, std::size_t block) const {
        return table.ranks.signs.data() + block * (m_.systems * (m_.systems - 1) / 2);
    }

    void kendall(std::size_t block) {
        const double n = drawn_.points, different = (n * n - drawn_.squares) / 2;
        Signs untied_x, untied_z, balance;
        const bool tied = human_.ranks.tied[block] != 0;
        if (tied) weigh_signs(drawn_.pairs, signs_of(human_, block), untied_z);
        weigh_human(drawn_.pairs, signs_of(human_, block), weighed_.data());
        for (std::size_t k = 0; k < m_.kinds; ++k) {
            const Signs* signs = signs_of(metrics_[k], block);
            const bool tied_too = metrics_[k].ranks.tied[block] != 0;
            if (tied_too) weigh_signs(drawn_.pairs, signs, untied_x);
            sum_signs(drawn_.pairs, signs, weighed_.data(), balance);
            for (std::size_t j = 0; j < width; ++j) {
                PairCounts counts;
                counts.points = n;
                counts.balance = balance.at[j];
                counts.untied_x = tied_too ? untied_x.at[j] : different;
                counts.untied_z = tied ? untied_z.at[j] : different;
                r_[k * stride_ + block * width + j] = rubrica::kendall(counts, coefficient_);
            }
        }
    }

    void spearman(std::size_t block) {
        const double n = drawn_.points, different = (n * n * n - drawn_.cubes) / 3;
        Signs xx, zz, product;
        rank_systems(drawn_, signs_of(human_, block), ranks_.data());
        sum_squares(drawn_, ranks_.data(), zz);
        weigh_ranks(drawn_.pairs, ranks_.data(), weighed_.data());
        for (std::size_t k = 0; k < m_.kinds; ++k) {
            const Signs* signs = signs_of(metrics_[k], block);
            const bool tied = metrics_[k].ranks.tied[block] != 0;
            if (tied) {
                rank_systems(drawn_, signs, ranks_.data());
                sum_squares(drawn_, ranks_.data(), xx);
            }
            sum_signs(drawn_.pairs, signs, weighed_.data(), product);
            for (std::size_t j = 0; j < width; ++j) {
                const double squares = tied ? xx.at[j] : different;
                r_[k * stride_ + block * width + j] = ratio(product.at[j], std::sqrt(squares * zz.at[j]));
            }
        }
    }

    void pearson(std::size_t block) {
        Values xx, zz, xz;
        const Values* human = human_.values.data() + block * m_.systems;
        centre(human, drawn_, others_.data(), zz);
        const auto varied = [&](const Table& table, const Values& squares, std::size_t j) {
            if (squares.at[j] > rounding * drawn_.points * table.greatest[block * width + j]) return true;
            const Values* values = table.values.data() + block * m_.systems;
            return std::any_of(drawn_.rows.begin(), drawn_.rows.end(), [&](const Row& row) {
                return values[row.index].at[j] != values[drawn_.rows[0].index].at[j];
            });
        };
        for (std::size_t k = 0; k < m_.kinds; ++k) {
            centre(metrics_[k].values.data() + block * m_.systems, drawn_, own_.data(), xx);
            multiply(own_.data(), others_.data(), drawn_, xz);
            for (std::size_t j = 0; j < width; ++j) {
                const bool defined = drawn_.points >= 2 && varied(metrics_[k], xx, j) && varied(human_, zz, j);
                r_[k * stride_ + block * width + j] =
                    defined ? ratio(xz.at[j], std::sqrt(xx.at[j]) * std::sqrt(zz.at[j])) : undefined;
            }
        }
    }

    const Scores& m_;
    const std::vector<Table>& metrics_;
    const Table& human_;
    Coefficient coefficient_;
    bool zero_;
    std::size_t stride_;
    std::vector<double> r_, points_;  // r_: [metric][input]
    std::vector<Signs> weighed_, ranks_;
    std::vector<Values> own_, others_;
    std::vector<std::int32_t> last_;
    Drawn drawn_;
};

bool pays(const Scores& m, Coefficient coefficient, const std::int32_t* system_counts, std::size_t rounds) {
    const std::size_t cells = m.systems * m.inputs;
    if (m.systems == 0 || m.inputs == 0) return false;
    if (std::any_of(m.human, m.human + cells, [](double x) { return std::isnan(x); }) ||
        std::any_of(m.metrics, m.metrics + m.kinds * cells, [](double x) { return std::isnan(x); })) {
        return false;
    }
    if (coefficient == Coefficient::pearson) return true;
    if (coefficient != Coefficient::spearman && coefficient != Coefficient::tau_b) return false;
    if ((m.kinds + 1) * (m.inputs + width) > most_signs / m.systems / m.systems) return false;
    for (std::size_t k = 0; k < rounds; ++k) {
        std::int64_t points = 0;
        for (std::size_t i = 0; i < m.systems; ++i) points += system_counts[k * m.systems + i];
        if (points > most_points) return false;
    }
    return true;
}

}  // namespace

bool resampled_inputs(const Scores& scores, Coefficient coefficient, const std::int32_t* system_counts,
                      const std::int32_t* input_counts, std::size_t rounds, bool zero, std::size_t threads,
                      double* out) {
    if (!pays(scores, coefficient, system_counts, rounds)) return false;
    std::vector<Table> metrics;
    for (std::size_t k = 0; k < scores.kinds; ++k) {
        metrics.push_back(table_of(scores.metrics + k * scores.systems * scores.inputs, scores, coefficient));
    }
    const Table human = table_of(scores.human, scores, coefficient);
    in_parallel(rounds, 16, threads, [&] {
        return [&, worker = RoundWorker(scores, metrics, human, coefficient, zero)](std::size_t first,
                                                                                   std::size_t last) mutable {
            for (std::size_t round = first; round < last; ++round) {
                worker.correlate(system_counts + round * scores.systems, input_counts + round * scores.inputs,
                                 out + round * scores.kinds);
            }
        };
    });
    return true;
}
#else
bool resampled_inputs(const Scores&, Coefficient, const std::int32_t*, const std::int32_t*, std::size_t, bool,
                      std::size_t, double*) {
    return false;
}
#endif

}  // namespace rubrica
