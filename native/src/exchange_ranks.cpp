// The values of both metrics are sorted once. A round then walks through them in ascending order and
// passes over those that the exchange gave to the other side: no sorting, no comparing, and every
// round takes the same steps, so that sixteen take them together.
#include "rubrica/exchanges.hpp"

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
#if defined(__GNUC__)
typedef std::int16_t Half __attribute__((vector_size(32)));
typedef std::int16_t Quarter __attribute__((vector_size(16)));
typedef std::int32_t Wide __attribute__((vector_size(32)));
// Sixteen numbers of 16 bits, in a struct since a template would forget their alignment.
struct alignas(32) Narrow {
    union {
        Half all;
        Quarter part[2];
        std::int16_t at[width];
    };
};
using Long = std::array<std::int64_t, width>;

constexpr std::size_t most_kinds = 64;       // of human scores; each costs a step per value
constexpr std::size_t most_points = 4'000;   // 256 prefix sums of centred ranks stay below 2^31;
                                             // four times as many counts below 2^15, twice
constexpr std::size_t most_cells = 1 << 18;  // whose masks take 8 MB a thread
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

// What turns the mask of an exchange into that of being on this side.
inline std::int16_t flip_of(const Value& value, std::int32_t side) {
    return static_cast<std::int16_t>(~(value.of_y ^ side));
}

RUBRICA_CLONES void walk_pairs(const Value* values, std::size_t count, const Narrow* masks,
                               std::int32_t side, std::int32_t kinds, Narrow* below, Sums& sums) {
    // below[k]: points so far with a human score below k; below[kinds]: all of them.
    for (std::int32_t kind = 0; kind <= kinds; ++kind) below[kind].all = Half{};
    Wide low{}, high{};
    for (std::size_t first = 0, last; first < count; first = last) {
        for (last = first; values[last++].last == 0;) {
        }
        for (std::size_t i = first; i < last; ++i) {
            const Half active = masks[values[i].cell].all ^ flip_of(values[i], side);
            const Narrow* at = below + values[i].z;
            Narrow lead;
            lead.all = (at[0].all + at[1].all - below[kinds].all) & active;
            low += __builtin_convertvector(lead.part[0], Wide);
            high += __builtin_convertvector(lead.part[1], Wide);
        }
        Half drawn{};
        for (std::size_t i = first; i < last; ++i) {
            const Half active = masks[values[i].cell].all ^ flip_of(values[i], side);
            for (std::int32_t kind = values[i].z + 1; kind <= kinds; ++kind) {
                below[kind].all -= active;
            }
            drawn -= active;
        }
        if (last - first == 1) continue;
        for (std::size_t k = 0; k < width; ++k) {
            sums.tied[k] += static_cast<std::int64_t>(drawn[k]) * (drawn[k] - 1);
        }
    }
    for (std::size_t k = 0; k < width; ++k) sums.above[k] = k < 8 ? low[k] : high[k - 8];
}

RUBRICA_CLONES void walk_ranks(const Value* values, std::size_t count, const Narrow* masks,
                               std::int32_t side, Sums& sums) {
    // Summed by parts: the human ranks add up to 0, so the product of ranks is less the sum of
    // what they add up to before and behind each value.
    Wide prefix0{}, prefix1{}, part0{}, part1{};
    for (std::size_t first = 0, last; first < count; first = last) {
        for (last = first; values[last++].last == 0;) {
        }
        Wide drawn0{}, drawn1{}, sum0{}, sum1{};
        for (std::size_t i = first; i < last; ++i) {
            const Narrow& mask = masks[values[i].cell];
            const std::int32_t flip = flip_of(values[i], side), z = values[i].z;
            const Wide active0 = __builtin_convertvector(mask.part[0], Wide) ^ flip;
            const Wide active1 = __builtin_convertvector(mask.part[1], Wide) ^ flip;
            drawn0 -= active0;
            drawn1 -= active1;
            sum0 += z & active0;
            sum1 += z & active1;
        }
        if (last - first == 1) {
            part0 += (prefix0 + prefix0 + sum0) & -drawn0;
            part1 += (prefix1 + prefix1 + sum1) & -drawn1;
        } else {
            for (std::size_t k = 0; k < width; ++k) {
                const std::size_t at = k % 8;
                const std::int64_t t = k < 8 ? drawn0[at] : drawn1[at];
                const std::int64_t before = k < 8 ? prefix0[at] : prefix1[at];
                sums.above[k] -= t * (2 * before + (k < 8 ? sum0[at] : sum1[at]));
                sums.tied[k] += t * t * t - t;
            }
        }
        prefix0 += sum0;
        prefix1 += sum1;
        // Before 32 bits overflow.
        if (first / 256 != last / 256 || last == count) {
            for (std::size_t k = 0; k < width; ++k) {
                sums.above[k] -= k < 8 ? part0[k] : part1[k - 8];
            }
            part0 = part1 = Wide{};
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
        below_.resize(kinds + 1);
        r_.resize(width * columns.size());
    }

    void read(const std::uint8_t* swaps, std::size_t rounds) {
        for (std::size_t k = 0; k < rounds; ++k, swaps += masks_.size()) {
            for (std::size_t i = 0; i < masks_.size(); ++i) masks_[i].at[k] = swaps[i] != 0 ? -1 : 0;
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
                           static_cast<std::int32_t>(human.kinds), below_.data(), sums);
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
    std::vector<Narrow> masks_, below_;
    std::vector<double> points_, r_;
};
#endif

}  // namespace

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
bool exchanged_ranks(const Scores& scores, Level level, Coefficient coefficient,
                     const std::int64_t* pairs, std::size_t pair_count, const std::uint8_t* swaps,
                     std::size_t rounds, bool zero, std::size_t threads, double* out) {
    const bool ranks = coefficient == Coefficient::spearman;
    const std::size_t cells = scores.systems * scores.inputs;
    if (level == Level::system || !(ranks || coefficient == Coefficient::tau_b) ||
        cells > most_cells) {
        return false;
    }
    std::vector<Human> columns;
    for (auto& one : column_cells(scores, level)) {
        columns.push_back(human_column(scores.human, std::move(one)));
        const Human& made = columns.back();
        if (ranks ? made.cells.size() > most_points
                  : made.kinds > most_kinds || made.cells.size() > 4 * most_points) {
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
#else
bool exchanged_ranks(const Scores&, Level, Coefficient, const std::int64_t*, std::size_t,
                     const std::uint8_t*, std::size_t, bool, std::size_t, double*) {
    return false;
}
#endif

}  // namespace rubrica
