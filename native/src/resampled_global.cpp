// Correlations over all cells, their weights drawn again in each round. Every round visits the same cells in the same
// order, those of weight 0 too, so that sixteen rounds take every step together.
#include "rubrica/resampled_global.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rubrica/lanes.hpp"
#include "rubrica/parallel.hpp"

namespace rubrica {

#if defined(__GNUC__)
namespace {

constexpr std::size_t width = 16;   // rounds side by side
constexpr std::size_t flushed = 64;  // points whose products are added in 32 bits
// Below this share of the greatest square, sums of squares may be those of equal numbers.
constexpr double rounding = 1e-12;

typedef std::int32_t Eight __attribute__((vector_size(32)));
typedef std::int32_t Quad __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32)));

// In a struct, since a template would forget the alignment of a vector.
struct alignas(32) Whole {
    union {
        Eight part[2];
        Quad quad[4];
        std::int32_t at[width];
    };
};
struct alignas(32) Real {
    union {
        Four part[4];
        double at[width];
    };
};

// The weights of sixteen rounds.
struct Weights {
    std::vector<Whole> systems, inputs;
};

struct Cells {
    const ScorePair& scores;
    std::vector<std::uint32_t> systems, inputs;  // of each cell
    double greatest_x = 0, greatest_z = 0;       // squares
};

[[gnu::always_inline]] inline Whole weight_of(const Cells& cells, const Weights& weights, std::size_t i) {
    const Whole &row = weights.systems[cells.systems[i]], &column = weights.inputs[cells.inputs[i]];
    Whole made;
    made.part[0] = row.part[0] * column.part[0];
    made.part[1] = row.part[1] * column.part[1];
    return made;
}

[[gnu::always_inline]] inline void add(Whole& sum, const Whole& value) {
    sum.part[0] += value.part[0];
    sum.part[1] += value.part[1];
}

// Adds the squares, or the cubes, of whole numbers.
[[gnu::always_inline]] inline void add_power(Real& sum, const Whole& value, bool cubes) {
    for (std::size_t q = 0; q < 4; ++q) {
        const Four one = __builtin_convertvector(value.quad[q], Four);
        sum.part[q] += cubes ? one * one * one : one * one;
    }
}

RUBRICA_CLONES void weigh_kinds(const Cells& cells, const Weights& weights, std::vector<Whole>& mass,
                                Whole& total) {
    const std::vector<std::int32_t>& codes = cells.scores.code_z;
    total = Whole{};
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const Whole weight = weight_of(cells, weights, i);
        add(mass[static_cast<std::size_t>(codes[i])], weight);
        add(total, weight);
    }
}

// Weights below a code: a binary indexed tree, whose places are the same in all rounds.
[[gnu::always_inline]] inline Whole below(const Whole* tree, std::size_t code) {
    Whole sum{};
    for (; code > 0; code &= code - 1) add(sum, tree[code]);
    return sum;
}

// Concordant less discordant pairs, and the sum of the squares of weights of equal x. The cells ascend.
RUBRICA_CLONES void walk_pairs(const Cells& cells, const Weights& weights, std::vector<Whole>& tree,
                               std::vector<Whole>& mass, Real& balance, Real& squares) {
    const ScorePair& m = cells.scores;
    const std::size_t count = m.code_x.size(), kinds = m.kinds_z;
    Whole before{}, sum{};
    balance = squares = Real{};
    const auto lead = [&](std::size_t i, const Whole& weight) {
        const auto z = static_cast<std::size_t>(m.code_z[i]);
        const Whole less = below(tree.data(), z);
        for (std::size_t h = 0; h < 2; ++h) {
            sum.part[h] += weight.part[h] *
                           (less.part[h] + less.part[h] + mass[z].part[h] - before.part[h]);
        }
    };
    const auto join = [&](std::size_t i, const Whole& weight) {
        const auto z = static_cast<std::size_t>(m.code_z[i]);
        add(mass[z], weight);
        for (std::size_t at = z + 1; at <= kinds; at += at & (~at + 1)) add(tree[at], weight);
    };
    const auto flush = [&] {
        for (std::size_t q = 0; q < 4; ++q) balance.part[q] += __builtin_convertvector(sum.quad[q], Four);
        sum = Whole{};
    };
    for (std::size_t first = 0, last; first < count; first = last) {
        last = first + 1;
        if (last == count || m.code_x[last] != m.code_x[first]) {
            const Whole weight = weight_of(cells, weights, first);
            lead(first, weight);
            join(first, weight);
            add(before, weight);
            add_power(squares, weight, false);
        } else {
            Whole group{};
            while (last < count && m.code_x[last] == m.code_x[first]) ++last;
            for (std::size_t i = first; i < last; ++i) {
                lead(i, weight_of(cells, weights, i));
                if (i % flushed == 0) flush();
            }
            for (std::size_t i = first; i < last; ++i) {
                const Whole weight = weight_of(cells, weights, i);
                join(i, weight);
                add(group, weight);
            }
            add(before, group);
            add_power(squares, group, false);
        }
        if (first / flushed != last / flushed) flush();
    }
    flush();
}

// The product of centred ranks, and the sum of the cubes of weights of equal x. `ranks` are those of the human scores.
RUBRICA_CLONES void walk_ranks(const Cells& cells, const Weights& weights, const std::vector<Whole>& ranks,
                               const Whole& total, Real& product, Real& cubes) {
    const ScorePair& m = cells.scores;
    const std::size_t count = m.code_x.size();
    Whole before{};
    product = cubes = Real{};
    for (std::size_t first = 0, last; first < count; first = last) {
        Whole group{}, sum{};
        for (last = first; last < count && m.code_x[last] == m.code_x[first]; ++last) {
            const Whole weight = weight_of(cells, weights, last);
            const Whole& rank = ranks[static_cast<std::size_t>(m.code_z[last])];
            add(group, weight);
            for (std::size_t h = 0; h < 2; ++h) sum.part[h] += weight.part[h] * rank.part[h];
        }
        Whole rank;
        for (std::size_t h = 0; h < 2; ++h) {
            rank.part[h] = before.part[h] + before.part[h] + group.part[h] - total.part[h];
        }
        for (std::size_t q = 0; q < 4; ++q) {
            product.part[q] += __builtin_convertvector(sum.quad[q], Four) *
                               __builtin_convertvector(rank.quad[q], Four);
        }
        add_power(cubes, group, true);
        add(before, group);
    }
}

// What Pearson's correlation consists of, each sum in the order of the cells.
struct Sums {
    Real n{}, x{}, z{}, xx{}, zz{}, xz{};
};

RUBRICA_CLONES void walk_values(const Cells& cells, const Weights& weights, Sums& sums) {
    const ScorePair& m = cells.scores;
    const std::size_t count = m.cells.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Whole weight = weight_of(cells, weights, i);
        for (std::size_t q = 0; q < 4; ++q) {
            const Four w = __builtin_convertvector(weight.quad[q], Four);
            sums.n.part[q] += w;
            sums.x.part[q] += w * m.cell_x[i];
            sums.z.part[q] += w * m.cell_z[i];
        }
    }
    Real mean_x, mean_z;
    for (std::size_t q = 0; q < 4; ++q) {
        mean_x.part[q] = sums.x.part[q] / sums.n.part[q];
        mean_z.part[q] = sums.z.part[q] / sums.n.part[q];
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Whole weight = weight_of(cells, weights, i);
        for (std::size_t q = 0; q < 4; ++q) {
            const Four w = __builtin_convertvector(weight.quad[q], Four);
            const Four dx = m.cell_x[i] - mean_x.part[q], dz = m.cell_z[i] - mean_z.part[q];
            sums.xx.part[q] += w * (dx * dx);
            sums.zz.part[q] += w * (dz * dz);
            sums.xz.part[q] += w * (dx * dz);
        }
    }
}

double greatest_square(const std::vector<double>& values) {
    double greatest = 0;
    for (const double value : values) greatest = std::max(greatest, value * value);
    return greatest;
}

class RoundWorker {
public:
    explicit RoundWorker(const Cells& cells) : cells_(cells), m_(cells.scores) {
        weights_.systems.resize(m_.systems);
        weights_.inputs.resize(m_.inputs);
    }

    // `rounds` of at most sixteen: out[round * stride].
    void correlate(const std::int32_t* systems, const std::int32_t* inputs, std::size_t rounds,
                   double* out, std::size_t stride) {
        read(systems, m_.systems, rounds, weights_.systems);
        read(inputs, m_.inputs, rounds, weights_.inputs);
        double r[width];
        if (m_.coefficient == Coefficient::pearson) {
            pearson(systems, inputs, rounds, r);
        } else {
            mass_.assign(m_.kinds_z, Whole{});
            weigh_kinds(cells_, weights_, mass_, total_);
            m_.coefficient == Coefficient::spearman ? spearman(r) : kendall(r);
        }
        for (std::size_t k = 0; k < rounds; ++k) out[k * stride] = r[k];
    }

private:
    static void read(const std::int32_t* counts, std::size_t size, std::size_t rounds,
                     std::vector<Whole>& weights) {
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t k = 0; k < width; ++k) {
                weights[i].at[k] = k < rounds ? counts[k * size + i] : 0;
            }
        }
    }

    void kendall(double* r) {
        Real squares{}, balance, tied;
        for (Whole& mass : mass_) {
            add_power(squares, mass, false);
            mass = Whole{};
        }
        tree_.assign(m_.kinds_z + 1, Whole{});
        walk_pairs(cells_, weights_, tree_, mass_, balance, tied);
        for (std::size_t k = 0; k < width; ++k) {
            PairCounts counts;
            counts.points = total_.at[k];
            counts.untied_x = (counts.points * counts.points - tied.at[k]) / 2;
            counts.untied_z = (counts.points * counts.points - squares.at[k]) / 2;
            counts.balance = balance.at[k];
            r[k] = rubrica::kendall(counts, m_.coefficient);
        }
    }

    void spearman(double* r) {
        Real cubes{}, product, tied;
        Whole before{};
        for (Whole& mass : mass_) {
            add_power(cubes, mass, true);
            const Whole here = mass;
            for (std::size_t h = 0; h < 2; ++h) {
                mass.part[h] += before.part[h] + before.part[h] - total_.part[h];
            }
            add(before, here);
        }
        walk_ranks(cells_, weights_, mass_, total_, product, tied);
        for (std::size_t k = 0; k < width; ++k) {
            // A rank is the weight of smaller less that of greater points: their squares add up to this.
            const double n = total_.at[k], all = n * n * n;
            r[k] = ratio(product.at[k],
                         std::sqrt((all - tied.at[k]) / 3 * ((all - cubes.at[k]) / 3)));
        }
    }

    void pearson(const std::int32_t* systems, const std::int32_t* inputs, std::size_t rounds, double* r) {
        Sums sums;
        walk_values(cells_, weights_, sums);
        for (std::size_t k = 0; k < rounds; ++k) {
            const double n = sums.n.at[k], xx = sums.xx.at[k], zz = sums.zz.at[k];
            if (n >= 2 && xx > rounding * n * cells_.greatest_x && zz > rounding * n * cells_.greatest_z) {
                r[k] = ratio(sums.xz.at[k], std::sqrt(xx) * std::sqrt(zz));
                continue;
            }
            // The scores drawn may all be equal.
            drawn_.resize(m_.cells.size());
            for (std::size_t i = 0; i < drawn_.size(); ++i) {
                drawn_[i] = systems[k * m_.systems + cells_.systems[i]] *
                            inputs[k * m_.inputs + cells_.inputs[i]];
            }
            r[k] = column_.pearson(m_.cell_x, m_.cell_z, drawn_);
        }
    }

    const Cells& cells_;
    const ScorePair& m_;
    Weights weights_;
    std::vector<Whole> mass_, tree_;
    Whole total_;
    LongColumn column_;
    std::vector<std::int32_t> drawn_;
};

// Whether all sums of whole numbers fit: products of weights in 32 bits, sums of cubes in a double.
bool fits(const ScorePair& m, const std::int32_t* systems, const std::int32_t* inputs, std::size_t rounds) {
    std::int64_t most = 0, largest = 0;
    for (std::size_t k = 0; k < rounds; ++k) {
        std::int64_t points[2] = {}, largest_of[2] = {};
        const auto read = [&](std::size_t side, const std::int32_t* counts, std::size_t size) {
            for (std::size_t i = 0; i < size; ++i) {
                points[side] += counts[i];
                largest_of[side] = std::max<std::int64_t>(largest_of[side], counts[i]);
            }
        };
        read(0, systems + k * m.systems, m.systems);
        read(1, inputs + k * m.inputs, m.inputs);
        // Neither product overflows: counts have 31 bits.
        most = std::max(most, points[0] < INT32_MAX && points[1] < INT32_MAX ? points[0] * points[1] : INT64_MAX);
        largest = std::max(largest, largest_of[0] * largest_of[1]);
    }
    if (most > INT32_MAX || largest > INT32_MAX) return false;
    if (m.coefficient == Coefficient::spearman) return most * most <= INT32_MAX;
    return m.coefficient == Coefficient::pearson ||
           largest * static_cast<std::int64_t>(flushed + 1) <= INT32_MAX / std::max<std::int64_t>(most, 1);
}

}  // namespace

bool resampled_global(const ScorePair& scores, const std::int32_t* system_counts,
                      const std::int32_t* input_counts, std::size_t rounds, std::size_t threads,
                      double* out, std::size_t stride) {
    const bool known = scores.coefficient == Coefficient::pearson ||
                       scores.coefficient == Coefficient::spearman ||
                       scores.coefficient == Coefficient::tau_b;
    if (!known || !fits(scores, system_counts, input_counts, rounds)) return false;
    Cells cells{scores, {}, {}};
    for (const std::uint32_t cell : scores.cells) {
        cells.systems.push_back(static_cast<std::uint32_t>(cell / scores.inputs));
        cells.inputs.push_back(static_cast<std::uint32_t>(cell % scores.inputs));
    }
    cells.greatest_x = greatest_square(scores.cell_x);
    cells.greatest_z = greatest_square(scores.cell_z);
    in_parallel(rounds, width, threads, [&] {
        return [&, worker = RoundWorker(cells)](std::size_t first, std::size_t last) mutable {
            worker.correlate(system_counts + first * scores.systems, input_counts + first * scores.inputs,
                             last - first, out + first * stride, stride);
        };
    });
    return true;
}
#else
bool resampled_global(const ScorePair&, const std::int32_t*, const std::int32_t*, std::size_t, std::size_t,
                      double*, std::size_t) {
    return false;
}
#endif

}  // namespace rubrica
