#include "rubrica/permuted_ranks.hpp"

#include "rubrica/lanes.hpp"

#if defined(__GNUC__)
namespace rubrica::permuted {
namespace {

typedef std::int32_t Wide __attribute__((vector_size(32)));

// What turns the mask of an exchange into that of being on the first side.
inline std::int16_t flip_of(const Value& value) { return static_cast<std::int16_t>(~value.of_y); }

// The second side's sums are the first one's, and what the exchanged cells add.
RUBRICA_CLONES void add_excess(const Human& human, const PairColumn& pair, const Narrow* masks,
                               const Long& left, Long& right) {
    Wide low0{}, low1{}, high0{}, high1{};
    const std::size_t count = human.cells.size();
    const bool split = !pair.high.empty();
    for (std::size_t i = 0; i < count; ++i) {
        const Narrow& mask = masks[human.cells[i]];
        const Wide mask0 = __builtin_convertvector(mask.part[0], Wide);
        const Wide mask1 = __builtin_convertvector(mask.part[1], Wide);
        low0 += mask0 & pair.low[i];
        low1 += mask1 & pair.low[i];
        if (split) {
            high0 += mask0 & pair.high[i];
            high1 += mask1 & pair.high[i];
        }
    }
    for (std::size_t k = 0; k < width; ++k) {
        const std::int64_t high = k < 8 ? high0[k] : high1[k - 8];
        right[k] = left[k] + pair.base + high * 65536 + (k < 8 ? low0[k] : low1[k - 8]);
    }
}

RUBRICA_CLONES void sum_leads(const Human& human, const PairColumn& pair, const Narrow* masks,
                              Counts& counts, Sums& left, Sums& right) {
    const Value* values = pair.values.data();
    const std::size_t count = pair.values.size(), blocks = (human.kinds + 3) / 4;
    for (std::size_t k = 0; k < 4 * blocks; ++k) {
        counts.equal[k].all = Half{};
        counts.low[k].all = Half{};
    }
    for (std::size_t b = 0; b < blocks; ++b) counts.high[b].all = Half{};
    Half points{};  // all so far
    Wide sum0{}, sum1{};
    const auto lead = [&](const Value& value) {
        const auto z = static_cast<std::size_t>(value.z);
        Half lower = counts.low[z].all + counts.high[z / 4].all;
        Narrow made;
        made.all = (lower + lower + counts.equal[z].all - points) &
                   (masks[value.cell].all ^ flip_of(value));
        sum0 += __builtin_convertvector(made.part[0], Wide);
        sum1 += __builtin_convertvector(made.part[1], Wide);
    };
    // Every value takes the same steps, whatever its human score: a branch would be guessed wrong.
    const auto add = [&](const Value& value, Half& drawn) {
        const auto z = static_cast<std::size_t>(value.z);
        const Half active = masks[value.cell].all ^ flip_of(value);
        const Narrow* inside = counts.inside[z % 4];
        const Narrow* behind = counts.behind[z / 4];
        Narrow* low = counts.low + z / 4 * 4;
        counts.equal[z].all -= active;
        for (std::size_t k = 1; k < 4; ++k) low[k].all -= active & inside[k].all;
        for (std::size_t b = 1; b < blocks; ++b) counts.high[b].all -= active & behind[b].all;
        points -= active;
        drawn -= active;
    };
    for (std::size_t first = 0, last; first < count; first = last) {
        if (values[first].last != 0) {
            Half one{};
            lead(values[first]);
            add(values[first], one);
            last = first + 1;
            continue;
        }
        for (last = first; values[last++].last == 0;) {
        }
        for (std::size_t i = first; i < last; ++i) lead(values[i]);
        Half drawn{};
        for (std::size_t i = first; i < last; ++i) add(values[i], drawn);
        for (std::size_t k = 0; k < width; ++k) {
            const std::int64_t one = drawn[k];
            const std::int64_t other = static_cast<std::int64_t>(last - first) - one;
            left.tied[k] += one * (one - 1);
            right.tied[k] += other * (other - 1);
        }
    }
    for (std::size_t k = 0; k < width; ++k) left.above[k] = k < 8 ? sum0[k] : sum1[k - 8];
}

RUBRICA_CLONES void sum_ranks(const PairColumn& pair, const Narrow* masks, Sums& left, Sums& right) {
    // Summed by parts: the human ranks add up to 0, so the product of ranks is less the sum of
    // what they add up to before and behind each value.
    const Value* values = pair.values.data();
    const std::size_t count = pair.values.size();
    Wide prefix0{}, prefix1{}, part0{}, part1{};
    for (std::size_t first = 0, last; first < count; first = last) {
        for (last = first; values[last++].last == 0;) {
        }
        Wide drawn0{}, drawn1{}, sum0{}, sum1{};
        for (std::size_t i = first; i < last; ++i) {
            const Narrow& mask = masks[values[i].cell];
            const std::int32_t flip = flip_of(values[i]), z = values[i].z;
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
                const std::int64_t other = static_cast<std::int64_t>(last - first) - t;
                left.above[k] -= t * (2 * before + (k < 8 ? sum0[at] : sum1[at]));
                left.tied[k] += t * t * t - t;
                right.tied[k] += other * other * other - other;
            }
        }
        prefix0 += sum0;
        prefix1 += sum1;
        // Before 32 bits overflow.
        if (first / 256 != last / 256 || last == count) {
            for (std::size_t k = 0; k < width; ++k) {
                left.above[k] -= k < 8 ? part0[k] : part1[k - 8];
            }
            part0 = part1 = Wide{};
        }
    }
}

}  // namespace

Counts::Counts() {
    const auto fill = [](Narrow& where, bool set) {
        for (std::int16_t& one : where.at) one = set ? -1 : 0;
    };
    for (std::size_t a = 0; a < most_kinds / 4; ++a) {
        for (std::size_t b = 0; b < most_kinds / 4; ++b) fill(behind[a][b], b > a);
    }
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) fill(inside[a][b], b > a);
    }
}

void sum_pairs(const Human& human, const PairColumn& pair, const Narrow* masks, Counts& counts,
                Sums& left, Sums& right) {
    sum_leads(human, pair, masks, counts, left, right);
    add_excess(human, pair, masks, left.above, right.above);
}

void sum_ranks(const Human& human, const PairColumn& pair, const Narrow* masks, Sums& left,
                Sums& right) {
    sum_ranks(pair, masks, left, right);
    add_excess(human, pair, masks, left.above, right.above);
}

}  // namespace rubrica::permuted
#endif
