// The values of both metrics are sorted once. A round then walks through them in ascending order and
// passes over those that the exchange gave to the other side: no sorting, no comparing, and every
// round takes the same steps, so that sixteen take them together.
#include "rubrica/exchange_ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rubrica/lanes.hpp"
#include "rubrica/parallel.hpp"
#include "rubrica/score_pair.hpp"

namespace rubrica {
namespace {

constexpr std::size_t width = 16;  // rounds side by side
using Wide = std::array<std::int32_t, width>;
using Long = std::array<std::int64_t, width>;

constexpr std::size_t most_kinds = 64;       // of human scores; each costs a step per value
constexpr std::size_t most_points = 4'000;   // 256 prefix sums of centred ranks stay below 2^31
constexpr std::size_t most_cells = 1 << 18;  // whose masks take 16 MB a thread
constexpr std::size_t most_values = 4'000'000;

struct Value {
    std::uint32_t cell;
    std::int32_t z;     // code, or for Spearman the centred rank, of the human score
    std::int32_t of_y;  // 0 or -1
    std::int32_t last;  // of those that are equal
};

// What the human scores alone decide of a column: an input, or all cells.
struct Human {
    std::vector<std::uint32_t> cells;
    std::vector<std::int32_t> codes, ranks;
    std::size_t kinds = 0;
    double points = 0, untied = 0, squares = 0;
};

Human human_column(const double* z, std::vector<std::uint32_t> cells) {
    Human made;
    const auto n = static_cast<std::int32_t>(cells.size());
    std::sort(cells.begin(), cells.end(), [&](auto a, auto b) { return z[a] < z[b]; });
    made.codes.resize(cells.size());
    made.ranks.resize(cells.size());
    double ties = 0;
    for (std::int32_t first = 0, last; first < n; first = last) {
        const auto at = [&](std::int32_t i) { return z[cells[static_cast<std::size_t>(i)]]; };
        for (last = first + 1; last < n && !(at(first) < at(last));) ++last;
        for (std::int32_t i = first; i < last; ++i) {
            made.codes[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(made.kinds);
            // Smaller less greater ones: twice the centred average rank.
            made.ranks[static_cast<std::size_t>(i)] = first - (n - last);
        }
        const double rank = first - (n - last), count = last - first;
        made.squares += count * rank * rank;
        ties += count * count;
        ++made.kinds;
    }
    made.points = n;
    made.untied = (made.points * made.points - ties) / 2;
    made.cells = std::move(cells);
    return made;
}

std::vector<Value> ascending(const Human& human, const double* x, const double* y, bool ranks) {
    std::vector<Value> made;
    made.reserve(2 * human.cells.size());
    for (std::size_t i = 0; i < human.cells.size(); ++i) {
        const std::int32_t z = ranks ? human.ranks[i] : human.codes[i];
        made.push_back({human.cells[i], z, 0, 0});
        made.push_back({human.cells[i], z, -1, 0});
    }
    const auto value = [&](const Value& one) { return one.of_y != 0 ? y[one.cell] : x[one.cell]; };
    std::sort(made.begin(), made.end(),
              [&](const Value& a, const Value& b) { return value(a) < value(b); });
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].last = i + 1 == made.size() || value(made[i]) < value(made[i + 1]);
    }
    return made;
}

// Of sixteen rounds. `side` is 0 or -1; a mask is -1 where the cell was exchanged.
struct Sums {
    Long above{};  // tau: concordant less discordant pairs; Spearman: product of centred ranks
    Long tied{};   // tau: ordered pairs tied in x; Spearman: sum of t^3 - t over ties
};

RUBRICA_CLONES void walk_pairs(const Value* values, std::size_t count, const Wide* masks,
                               std::int32_t side, std::int32_t kinds, Wide* lead, Sums& sums) {
    // lead[k]: points so far with a human score below k, less those above.
    std::fill_n(lead, static_cast<std::size_t>(kinds), Wide{});
    Wide balance{};
    for (std::size_t first = 0, last; first < count; first = last) {
        for (last = first; values[last++].last == 0;) {
        }
        Wide drawn{};
        for (std::size_t i = first; i < last; ++i) {
            const Wide& mask = masks[values[i].cell];
            const std::int32_t flip = ~(values[i].of_y ^ side);
            const Wide& ahead = lead[values[i].z];
            for (std::size_t k = 0; k < width; ++k) {
                const std::int32_t active = mask[k] ^ flip;
                balance[k] += ahead[k] & active;
                drawn[k] -= active;
            }
        }
        for (std::size_t i = first; i < last; ++i) {
            const Wide& mask = masks[values[i].cell];
            const std::int32_t flip = ~(values[i].of_y ^ side);
            Wide active;
            for (std::size_t k = 0; k < width; ++k) active[k] = mask[k] ^ flip;
            for (std::int32_t kind = 0; kind < values[i].z; ++kind) {
                for (std::size_t k = 0; k < width; ++k) lead[kind][k] += active[k];
            }
            for (std::int32_t kind = values[i].z + 1; kind < kinds; ++kind) {
                for (std::size_t k = 0; k < width; ++k) lead[kind][k] -= active[k];
            }
        }
        if (last - first == 1) continue;
        for (std::size_t k = 0; k < width; ++k) {
            sums.tied[k] += static_cast<std::int64_t>(drawn[k]) * (drawn[k] - 1);
        }
    }
    for (std::size_t k = 0; k < width; ++k) sums.above[k] = balance[k];
}

RUBRICA_CLONES void walk_ranks(const Value* values, std::size_t count, const Wide* masks,
                               std::int32_t side, Sums& sums) {
    // Summed by parts: the human ranks add up to 0, so the product of ranks is less the sum of
    // what they add up to before and behind each value.
    Wide prefix{}, part{};
    for (std::size_t first = 0, last; first < count; first = last) {
        for (last = first; values[last++].last == 0;) {
        }
        if (last - first == 1) {
            const Wide& mask = masks[values[first].cell];
            const std::int32_t flip = ~(values[first].of_y ^ side), z = values[first].z;
            for (std::size_t k = 0; k < width; ++k) {
                const std::int32_t active = mask[k] ^ flip;
                part[k] += (2 * prefix[k] + z) & active;
                prefix[k] += z & active;
            }
        } else {
            Wide drawn{}, sum{};
            for (std::size_t i = first; i < last; ++i) {
                const Wide& mask = masks[values[i].cell];
                const std::int32_t flip = ~(values[i].of_y ^ side), z = values[i].z;
                for (std::size_t k = 0; k < width; ++k) {
                    const std::int32_t active = mask[k] ^ flip;
                    drawn[k] -= active;
                    sum[k] += z & active;
                }
            }
            for (std::size_t k = 0; k < width; ++k) {
                const std::int64_t t = drawn[k];
                sums.above[k] -= t * (2 * static_cast<std::int64_t>(prefix[k]) + sum[k]);
                sums.tied[k] += t * t * t - t;
                prefix[k] += sum[k];
            }
        }
        // Before 32 bits overflow.
        if (first / 256 != last / 256 || last == count) {
            for (std::size_t k = 0; k < width; ++k) {
                sums.above[k] -= part[k];
                part[k] = 0;
            }
        }
    }
}

class Walker {
public:
    Walker(const std::vector<Human>& columns, Coefficient coefficient, std::size_t cells, bool zero)
        : columns_(columns), coefficient_(coefficient), zero_(zero), masks_(cells) {
        std::size_t kinds = 0;
        for (const Human& one : columns) {
            kinds = std::max(kinds, one.kinds);
            points_.push_back(one.points);
        }
        lead_.resize(kinds);
        r_.resize(width * columns.size());
    }

    void read(const std::uint8_t* swaps, std::size_t rounds) {
        for (std::size_t k = 0; k < rounds; ++k, swaps += masks_.size()) {
            for (std::size_t i = 0; i < masks_.size(); ++i) masks_[i][k] = -(swaps[i] != 0);
        }
    }

    // out[round * stride] for one side of a pair.
    void correlate(const std::vector<std::vector<Value>>& pair, std::int32_t side,
                   std::size_t rounds, Level level, double* out, std::size_t stride) {
        const std::size_t count = columns_.size();
        for (std::size_t j = 0; j < count; ++j) {
            const Human& human = columns_[j];
            const double n = human.points;
            Sums sums;
            if (coefficient_ == Coefficient::spearman) {
                walk_ranks(pair[j].data(), pair[j].size(), masks_.data(), side, sums);
            } else {
                walk_pairs(pair[j].data(), pair[j].size(), masks_.data(), side,
                           static_cast<std::int32_t>(human.kinds), lead_.data(), sums);
            }
            for (std::size_t k = 0; k < rounds; ++k) {
                const auto above = static_cast<double>(sums.above[k]);
                const auto tied = static_cast<double>(sums.tied[k]);
                double below;
                if (coefficient_ == Coefficient::spearman) {
                    below = std::sqrt((n * n * n - n - tied) / 3 * human.squares);
                } else {
                    below = std::sqrt((n * n - n - tied) / 2 * human.untied);
                }
                r_[k * count + j] = ratio(above, below);
            }
        }
        for (std::size_t k = 0; k < rounds; ++k) {
            const double* r = r_.data() + k * count;
            out[k * stride] = level == Level::global
                                  ? r[0]
                                  : mean_over_inputs(r, points_.data(), nullptr, count, zero_);
        }
    }

private:
    const std::vector<Human>& columns_;
    Coefficient coefficient_;
    bool zero_;
    std::vector<Wide> masks_, lead_;
    std::vector<double> points_, r_;
};

}  // namespace

bool exchanged_ranks(const Scores& scores, Level level, Coefficient coefficient,
                     const std::int64_t* pairs, std::size_t pair_count, const std::uint8_t* swaps,
                     std::size_t rounds, bool zero, std::size_t threads, double* out) {
    const bool ranks = coefficient == Coefficient::spearman;
    const std::size_t cells = scores.systems * scores.inputs;
    if (level == Level::system || !(ranks || coefficient == Coefficient::tau_b) ||
        cells > most_cells) {
        return false;
    }
    std::vector<std::vector<std::uint32_t>> members(level == Level::summary ? scores.inputs : 1);
    for (std::size_t i = 0; i < cells; ++i) {
        bool present = !std::isnan(scores.human[i]);
        for (std::size_t m = 0; m < scores.kinds; ++m) {
            present = present && !std::isnan(scores.metrics[m * cells + i]);
        }
        if (!present) continue;
        members[level == Level::summary ? i % scores.inputs : 0].push_back(
            static_cast<std::uint32_t>(i));
    }
    std::vector<Human> columns;
    for (auto& one : members) {
        columns.push_back(human_column(scores.human, std::move(one)));
        const Human& made = columns.back();
        if (ranks ? made.cells.size() > most_points
                  : made.kinds > most_kinds || made.cells.size() > 10 * most_points) {
            return false;
        }
    }
    const std::size_t group = std::max<std::size_t>(1, most_values / (2 * cells + 1));
    for (std::size_t first = 0; first < pair_count; first += group) {
        const std::size_t last = std::min(first + group, pair_count);
        std::vector<std::vector<std::vector<Value>>> sorted;
        for (std::size_t p = first; p < last; ++p) {
            const double* x = scores.metrics + static_cast<std::size_t>(pairs[2 * p]) * cells;
            const double* y = scores.metrics + static_cast<std::size_t>(pairs[2 * p + 1]) * cells;
            std::vector<std::vector<Value>>& made = sorted.emplace_back();
            for (const Human& human : columns) made.push_back(ascending(human, x, y, ranks));
        }
        in_parallel(rounds, width, threads, [&] {
            return [&, worker = Walker(columns, coefficient, cells, zero)](
                       std::size_t from, std::size_t to) mutable {
                worker.read(swaps + from * cells, to - from);
                for (std::size_t p = first; p < last; ++p) {
                    for (std::int32_t side = 0; side < 2; ++side) {
                        double* at = out + (from * pair_count + p) * 2;
                        worker.correlate(sorted[p - first], -side, to - from, level, at + side,
                                         pair_count * 2);
                    }
                }
            };
        });
    }
    return true;
}

}  // namespace rubrica
