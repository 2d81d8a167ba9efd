// Exchanges and resampling of score tables against plain definitions, on random tables with ties and
// gaps; run under sanitizers by native/check.sh. Arguments: seed, number of tables.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "rubrica/correlate.hpp"
#include "rubrica/draws.hpp"
#include "rubrica/exchanged_sums.hpp"

namespace {

using Random = std::mt19937_64;
using rubrica::Coefficient;
using rubrica::Level;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Table {
    std::size_t kinds, systems, inputs;
    std::vector<double> metrics, human;
};

Table random_table(Random& random) {
    constexpr std::size_t sizes[] = {1, 2, 3, 7, 25, 40, 130};
    Table made{3, sizes[random() % 7], sizes[random() % 7], {}, {}};
    const std::size_t cells = made.systems * made.inputs;
    const bool few = random() % 2, gaps = random() % 2;
    std::normal_distribution<double> normal;
    const auto draw = [&] { return few ? std::round(normal(random) * 2) / 2 : normal(random); };
    for (std::size_t i = 0; i < made.kinds * cells; ++i) made.metrics.push_back(draw());
    const bool grades = random() % 4 != 0;
    for (std::size_t i = 0; i < cells; ++i) {
        made.human.push_back(grades ? std::round(normal(random) * 3) : normal(random));
    }
    for (std::size_t i = 0; gaps && i < cells; ++i) {
        if (random() % 5 != 0) continue;
        made.human[i] = nan;
        for (std::size_t m = 0; m < made.kinds; ++m) made.metrics[m * cells + i] = nan;
    }
    return made;
}

double plain(const std::vector<double>& x, const std::vector<double>& z, Coefficient coefficient) {
    const std::size_t n = x.size();
    const auto sign = [](double a, double b) { return (a > b) - (a < b); };
    double xx = 0, zz = 0, xz = 0;
    std::vector<double> a(n, 0.0), b(n, 0.0);
    if (coefficient == Coefficient::tau_b) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                xx += std::abs(sign(x[i], x[j]));
                zz += std::abs(sign(z[i], z[j]));
                xz += sign(x[i], x[j]) * sign(z[i], z[j]);
            }
        }
    } else {
        double mean_x = 0, mean_z = 0;
        for (std::size_t i = 0; i < n; ++i) {
            mean_x += x[i] / static_cast<double>(n);
            mean_z += z[i] / static_cast<double>(n);
        }
        bool constant_x = true, constant_z = true;
        for (std::size_t i = 0; i < n; ++i) {
            constant_x = constant_x && x[i] == x[0];
            constant_z = constant_z && z[i] == z[0];
            a[i] = x[i] - mean_x;
            b[i] = z[i] - mean_z;
            if (coefficient == Coefficient::pearson) continue;
            a[i] = b[i] = 0;
            for (std::size_t j = 0; j < n; ++j) {
                a[i] += sign(x[i], x[j]);
                b[i] += sign(z[i], z[j]);
            }
        }
        if (constant_x || constant_z) return nan;
        for (std::size_t i = 0; i < n; ++i) {
            xx += a[i] * a[i];
            zz += b[i] * b[i];
            xz += a[i] * b[i];
        }
    }
    return xx > 0 && zz > 0 ? xz / std::sqrt(xx) / std::sqrt(zz) : nan;
}

double plain_level(const Table& t, const std::vector<double>& x, Level level, Coefficient by) {
    std::vector<double> left, right;
    if (level == Level::global) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (std::isnan(x[i])) continue;
            left.push_back(x[i]);
            right.push_back(t.human[i]);
        }
        return plain(left, right, by);
    }
    double total = 0, number = 0;
    const bool of_inputs = level == Level::summary;
    for (std::size_t one = 0; one < (of_inputs ? t.inputs : t.systems); ++one) {
        double sum_x = 0, sum_z = 0, count = 0;
        if (of_inputs) left.clear(), right.clear();
        for (std::size_t other = 0; other < (of_inputs ? t.systems : t.inputs); ++other) {
            const std::size_t at = of_inputs ? other * t.inputs + one : one * t.inputs + other;
            if (std::isnan(x[at])) continue;
            if (of_inputs) left.push_back(x[at]), right.push_back(t.human[at]);
            sum_x += x[at];
            sum_z += t.human[at];
            ++count;
        }
        if (!of_inputs) {
            if (count > 0) left.push_back(sum_x / count), right.push_back(sum_z / count);
            continue;
        }
        const double r = plain(left, right, by);
        if (std::isnan(r)) continue;
        total += r;
        ++number;
    }
    if (!of_inputs) return plain(left, right, by);
    return number > 0 ? total / number : nan;
}

void expect_near(double found, double wanted, const char* what) {
    if (std::isnan(found) == std::isnan(wanted) &&
        (std::isnan(found) || std::fabs(found - wanted) < 1e-9)) {
        return;
    }
    std::fprintf(stderr, "%s: %.17g, should be %.17g\n", what, found, wanted);
    std::abort();
}

void check_exchanges(const Table& t, std::uint64_t seed, Level level, Coefficient by) {
    constexpr std::size_t rounds = 37;  // more than two groups of sixteen, and not whole ones
    const std::size_t cells = t.systems * t.inputs;
    std::vector<std::uint8_t> swaps(rounds * cells);
    rubrica::swap_masks(t.systems, t.inputs, rubrica::SwapScheme::cells, 0, rounds, seed,
                        swaps.data());
    const std::int64_t pairs[] = {0, 1, 2, 0, 1, 1};
    std::vector<double> one(rounds * 6), three(rounds * 6);
    const rubrica::Scores scores{t.metrics.data(), t.human.data(), t.kinds, t.systems, t.inputs};
    rubrica::swapped_correlations(scores, level, by, pairs, 3, swaps.data(), rounds, false, 1,
                                  one.data());
    rubrica::swapped_correlations(scores, level, by, pairs, 3, swaps.data(), rounds, false, 3,
                                  three.data());
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] == three[i] || (std::isnan(one[i]) && std::isnan(three[i]))) continue;
        std::fprintf(stderr, "threads change a value: %.17g, %.17g\n", one[i], three[i]);
        std::abort();
    }
    // Accidents of addition decide ties of means: there is no plain answer for rank coefficients.
    if (level == Level::system && by != Coefficient::pearson) return;
    for (const std::size_t round : {std::size_t{0}, std::size_t{15}, std::size_t{16}, rounds - 1}) {
        for (std::size_t p = 0; p < 3; ++p) {
            for (std::size_t side = 0; side < 2; ++side) {
                const auto a = static_cast<std::size_t>(pairs[2 * p + side]);
                const auto b = static_cast<std::size_t>(pairs[2 * p + 1 - side]);
                std::vector<double> mixed(cells);
                for (std::size_t i = 0; i < cells; ++i) {
                    mixed[i] = t.metrics[(swaps[round * cells + i] ? b : a) * cells + i];
                }
                const char* what[] = {"summary level", "system level", "global level"};
                expect_near(one[(round * 3 + p) * 2 + side], plain_level(t, mixed, level, by),
                            what[static_cast<int>(level)]);
            }
        }
    }
}

void check_resampling(const Table& t, std::uint64_t seed, Level level, Coefficient by) {
    constexpr std::size_t rounds = 19;
    std::vector<std::int32_t> systems(rounds * t.systems), inputs(rounds * t.inputs);
    rubrica::bootstrap_counts(t.systems, 0, rounds, seed, 0, systems.data());
    rubrica::bootstrap_counts(t.inputs, 0, rounds, seed, t.systems, inputs.data());
    for (std::size_t i = 0; i < t.systems; ++i) systems[i] = 1;
    for (std::size_t j = 0; j < t.inputs; ++j) inputs[j] = 1;
    std::vector<double> out(rounds * t.kinds);
    const rubrica::Scores scores{t.metrics.data(), t.human.data(), t.kinds, t.systems, t.inputs};
    rubrica::resampled_correlations(scores, level, by, systems.data(), inputs.data(), rounds, true, 3,
                                    out.data());
    rubrica::resampled_correlations(scores, level, by, systems.data(), inputs.data(), rounds, false,
                                    3, out.data());
    if (level == Level::system && by != Coefficient::pearson) return;
    const std::size_t cells = t.systems * t.inputs;
    for (std::size_t m = 0; m < t.kinds; ++m) {
        const std::vector<double> x(t.metrics.begin() + static_cast<std::ptrdiff_t>(m * cells),
                                    t.metrics.begin() + static_cast<std::ptrdiff_t>((m + 1) * cells));
        expect_near(out[m], plain_level(t, x, level, by), "the scores as they are");
    }
}

// Sums of weights over exchanged cells, and Pearson within inputs from sums: no gaps, no ties.
void check_sums(Random& random, std::uint64_t seed) {
    constexpr std::size_t kinds = 3, systems = 9, inputs = 5, rounds = 37, cells = systems * inputs;
    std::normal_distribution<double> normal;
    Table t{kinds, systems, inputs, {}, {}};
    for (std::size_t i = 0; i < kinds * cells; ++i) t.metrics.push_back(normal(random));
    for (std::size_t i = 0; i < cells; ++i) t.human.push_back(normal(random));
    std::vector<double> tables(3 * kinds * cells), dz(t.human);
    for (std::size_t j = 0; j < inputs; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t i = j; i < cells; i += inputs) sum += t.human[i];
        for (std::size_t i = j; i < cells; i += inputs) dz[i] -= sum / systems;
        for (std::size_t i = j; i < cells; i += inputs) squares += dz[i] * dz[i];
        for (std::size_t i = j; i < cells; i += inputs) dz[i] /= std::sqrt(squares);
    }
    for (std::size_t i = 0; i < kinds * cells; ++i) {
        tables[i] = t.metrics[i];
        tables[kinds * cells + i] = t.metrics[i] * t.metrics[i];
        tables[2 * kinds * cells + i] = t.metrics[i] * dz[i % cells];
    }
    std::vector<std::uint8_t> swaps(rounds * cells);
    rubrica::swap_masks(systems, inputs, rubrica::SwapScheme::cells, 0, rounds, seed, swaps.data());
    const std::int64_t pairs[] = {0, 1, 2, 0};
    const std::vector<double> points(inputs, systems);
    const rubrica::Moments moments{tables.data(), points.data(), kinds, systems, inputs};
    std::vector<double> found(rounds * 2), both(rounds * 4), sums(rounds);
    std::uint8_t cancelled[2];
    rubrica::exchanged_pearson(moments, pairs, 2, swaps.data(), rounds, 3, found.data(), cancelled);
    const rubrica::Scores scores{t.metrics.data(), t.human.data(), kinds, systems, inputs};
    rubrica::swapped_correlations(scores, Level::summary, Coefficient::pearson, pairs, 2,
                                  swaps.data(), rounds, false, 3, both.data());
    rubrica::masked_sums(t.human.data(), cells, 1, swaps.data(), rounds, 3, sums.data());
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t p = 0; p < 2; ++p) {
            const std::size_t at = round * 2 + p;
            if (cancelled[p]) continue;
            expect_near(found[at] / inputs, both[2 * at] - both[2 * at + 1], "sums of exchanges");
        }
        double sum = 0;
        for (std::size_t i = 0; i < cells; ++i) sum += swaps[round * cells + i] ? t.human[i] : 0.0;
        expect_near(sums[round], sum, "sums of weights");
    }
}

}  // namespace

int main(int count, char** words) {
    Random random(count > 1 ? std::strtoull(words[1], nullptr, 10) : 1);
    const int tables = count > 2 ? std::atoi(words[2]) : 40;
    for (int i = 0; i < tables; ++i) {
        const Table table = random_table(random);
        check_sums(random, random());
        for (const Level level : {Level::summary, Level::system, Level::global}) {
            for (const Coefficient by : {Coefficient::pearson, Coefficient::spearman,
                                         Coefficient::tau_b}) {
                check_exchanges(table, random(), level, by);
                check_resampling(table, random(), level, by);
            }
            // No plain judge for these, but the sanitizers look on.
            check_exchanges(table, random(), Level::system, Coefficient::tau_c);
            check_exchanges(table, random(), Level::system, Coefficient::tau_a);
        }
    }
    std::printf("%d score tables: as by the plain definitions\n", tables);
}
