#include "rubrica/columns.hpp"

#include <algorithm>
#include <cstring>

#include "rubrica/lanes.hpp"

namespace rubrica {
namespace {

// ---- Pearson: sums over the systems in order, all inputs side by side.

RUBRICA_CLONES void add_means(const double* x, const double* z, const double* present, double weight,
                            std::size_t inputs, double* n, double* sx, double* sz, double* bounds) {
    double* low_x = bounds;
    double* high_x = low_x + inputs;
    double* low_z = high_x + inputs;
    double* high_z = low_z + inputs;
    const double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < inputs; ++j) {
        const double w = weight * present[j];
        n[j] += w;
        sx[j] += w * x[j];
        sz[j] += w * z[j];
        const bool there = w > 0;
        const double lx = there ? x[j] : infinity, hx = there ? x[j] : -infinity;
        const double lz = there ? z[j] : infinity, hz = there ? z[j] : -infinity;
        low_x[j] = lx < low_x[j] ? lx : low_x[j];
        high_x[j] = hx > high_x[j] ? hx : high_x[j];
        low_z[j] = lz < low_z[j] ? lz : low_z[j];
        high_z[j] = hz > high_z[j] ? hz : high_z[j];
    }
}

RUBRICA_CLONES void add_squares(const double* x, const double* z, const double* present,
                              double weight, std::size_t inputs, const double* mean_x,
                              const double* mean_z, double* xx, double* zz, double* xz) {
    for (std::size_t j = 0; j < inputs; ++j) {
        const double w = weight * present[j];
        const double dx = x[j] - mean_x[j], dz = z[j] - mean_z[j];
        xx[j] += w * (dx * dx);
        zz[j] += w * (dz * dz);
        xz[j] += w * (dx * dz);
    }
}

template <class Code>
void add_products(const Code* rx, const Code* rz, double weight, std::size_t inputs, double* xx,
                  double* zz, double* xz) {
    for (std::size_t j = 0; j < inputs; ++j) {
        const double x = rx[j], z = rz[j];
        xx[j] += weight * x * x;
        zz[j] += weight * z * z;
        xz[j] += weight * x * z;
    }
}

// ---- Ranks: for each system, its comparisons with those before it, all inputs side by side.

template <class Code>
constexpr std::size_t lane_count = lane_bytes / sizeof(Code);

template <class Code>
inline void load(Lanes<Code>& lanes, const Code* from) {
    std::memcpy(&lanes, from, lane_bytes);
}

// Of one block of inputs: concordant less discordant pairs, and pairs untied in x and in z. `unit`:
// all weights are 1, as when metrics exchange scores.
template <class Code, bool gaps, bool unit>
void sum_pairs_in(const CodeColumns<Code>& m, std::span<const Row> rows, std::size_t block,
                  std::int64_t* totals) {
    const std::size_t stride = code_stride(m.inputs), n = lane_count<Code>;
    for (std::size_t side = 0; side < 3; ++side) std::fill_n(totals + side * stride + block, n, 0);
    for (std::size_t a = 1; a < rows.size(); ++a) {
        const std::size_t at = rows[a].index * stride + block;
        Lanes<Code> xa, za, balance{}, untied_x{}, untied_z{};
        load<Code>(xa, m.x + at);
        load<Code>(za, m.z + at);
        for (std::size_t b = 0; b < a; ++b) {
            const std::size_t other = rows[b].index * stride + block;
            Lanes<Code> xb, zb;
            load<Code>(xb, m.x + other);
            load<Code>(zb, m.z + other);
            const Lanes<Code> more_x = xa > xb, less_x = xa < xb;
            const Lanes<Code> more_z = za > zb, less_z = za < zb;
            Lanes<Code> same = (less_x - more_x) * (less_z - more_z);
            Lanes<Code> other_x = more_x | less_x, other_z = more_z | less_z;
            if constexpr (gaps) {
                Lanes<Code> there;
                load<Code>(there, m.present + other);
                same = same & there;
                other_x = other_x & there;
                other_z = other_z & there;
            }
            if constexpr (unit) {
                balance = balance + same;
                untied_x = untied_x - other_x;
                untied_z = untied_z - other_z;
            } else {
                Lanes<Code> w;
                spread<Code>(w, static_cast<Code>(rows[b].weight));
                balance = balance + same * w;
                untied_x = untied_x + (other_x & w);
                untied_z = untied_z + (other_z & w);
            }
        }
        for (std::size_t j = 0; j < n; ++j) {
            std::int64_t w = rows[a].weight;
            if constexpr (gaps) w &= m.present[at + j];
            totals[block + j] += w * balance[j];
            totals[stride + block + j] += w * untied_x[j];
            totals[2 * stride + block + j] += w * untied_z[j];
        }
    }
}

// Of one block of inputs: smaller less greater points, which is twice the centred average rank.
template <class Code, bool gaps, bool unit>
void rank_in(const Code* codes, const Code* present, std::size_t stride, std::span<const Row> rows,
             std::size_t block, Code* ranks) {
    for (std::size_t a = 0; a < rows.size(); ++a) {
        const std::size_t at = rows[a].index * stride + block;
        Lanes<Code> here, sum{};
        load<Code>(here, codes + at);
        for (const Row& row : rows) {
            const std::size_t other = row.index * stride + block;
            Lanes<Code> there;
            load<Code>(there, codes + other);
            Lanes<Code> more = here > there, less = here < there;
            if constexpr (gaps) {
                Lanes<Code> known;
                load<Code>(known, present + other);
                more = more & known;
                less = less & known;
            }
            if constexpr (unit) {
                sum = sum - more + less;
            } else {
                Lanes<Code> w;
                spread<Code>(w, static_cast<Code>(row.weight));
                sum = sum + (more & w) - (less & w);
            }
        }
        if constexpr (gaps) {
            Lanes<Code> known;
            load<Code>(known, present + at);
            sum = sum & known;
        }
        std::memcpy(ranks + a * stride + block, &sum, lane_bytes);
    }
}

// Calls work<gaps, unit>(block) for all blocks of inputs.
template <class Code, class Work>
void for_blocks(const Code* present, std::size_t inputs, std::span<const Row> rows, Work work) {
    const bool unit = std::all_of(rows.begin(), rows.end(), [](Row r) { return r.weight == 1; });
    for (std::size_t block = 0; block < inputs; block += lane_count<Code>) {
        if (present == nullptr) {
            unit ? work.template operator()<false, true>(block)
                 : work.template operator()<false, false>(block);
        } else {
            unit ? work.template operator()<true, true>(block)
                 : work.template operator()<true, false>(block);
        }
    }
}

template <class Code>
void sum_pairs(const CodeColumns<Code>& m, std::span<const Row> rows, std::int64_t* totals) {
    for_blocks(m.present, m.inputs, rows, [&]<bool gaps, bool unit>(std::size_t block) {
        sum_pairs_in<Code, gaps, unit>(m, rows, block, totals);
    });
}

template <class Code>
void centred_ranks(const Code* codes, const Code* present, std::size_t inputs,
                   std::span<const Row> rows, Code* ranks) {
    for_blocks(present, inputs, rows, [&]<bool gaps, bool unit>(std::size_t block) {
        rank_in<Code, gaps, unit>(codes, present, code_stride(inputs), rows, block, ranks);
    });
}

template <class Code>
double distinct(const Code* codes, const Code* present, std::size_t stride, std::size_t input,
                std::span<const Row> rows) {
    double kinds = 0;
    for (std::size_t a = 0; a < rows.size(); ++a) {
        const std::size_t at = rows[a].index * stride + input;
        bool fresh = present == nullptr || present[at] != 0;
        for (std::size_t b = 0; b < a && fresh; ++b) {
            const std::size_t other = rows[b].index * stride + input;
            fresh = codes[at] != codes[other] || (present != nullptr && present[other] == 0);
        }
        kinds += fresh;
    }
    return kinds;
}

template <class Code>
std::vector<Code>& scratch(std::vector<std::int16_t>& narrow, std::vector<std::int32_t>& wide) {
    if constexpr (sizeof(Code) == 2) {
        return narrow;
    } else {
        return wide;
    }
}

}  // namespace

void Columns::pearson(const ValueColumns& m, std::span<const Row> rows, double* out,
                      double* points) {
    const std::size_t n = m.inputs;
    sums_.assign(9 * n, 0.0);
    double *sx = sums_.data(), *sz = sx + n, *bounds = sz + n;
    double *xx = bounds + 4 * n, *zz = xx + n, *xz = zz + n;
    const double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t side = 0; side < 4; ++side) {
        std::fill_n(bounds + side * n, n, side % 2 == 0 ? infinity : -infinity);
    }
    std::fill_n(points, n, 0.0);
    for (const Row& row : rows) {
        const std::size_t at = row.index * n;
        add_means(m.x + at, m.z + at, m.present + at, row.weight, n, points, sx, sz, bounds);
    }
    for (std::size_t j = 0; j < n; ++j) {
        sx[j] = points[j] > 0 ? sx[j] / points[j] : 0.0;
        sz[j] = points[j] > 0 ? sz[j] / points[j] : 0.0;
    }
    for (const Row& row : rows) {
        const std::size_t at = row.index * n;
        add_squares(m.x + at, m.z + at, m.present + at, row.weight, n, sx, sz, xx, zz, xz);
    }
    for (std::size_t j = 0; j < n; ++j) {
        const bool varied = points[j] >= 2 && bounds[j] < bounds[n + j] &&
                            bounds[2 * n + j] < bounds[3 * n + j];
        out[j] = varied ? ratio(xz[j], std::sqrt(xx[j]) * std::sqrt(zz[j])) : undefined;
    }
}

template <class Code>
void Columns::rank(const CodeColumns<Code>& m, std::span<const Row> rows, Coefficient coefficient,
                   double* out, double* points, bool same_z) {
    const std::size_t n = m.inputs, stride = code_stride(n);
    std::fill_n(points, n, 0.0);
    for (const Row& row : rows) {
        const Code* present = m.present == nullptr ? nullptr : m.present + row.index * stride;
        for (std::size_t j = 0; j < n; ++j) {
            points[j] += present == nullptr || present[j] != 0 ? row.weight : 0;
        }
    }
    if (coefficient == Coefficient::spearman) {
        std::vector<Code>& ranks = scratch<Code>(narrow_, wide_);
        ranks.resize(2 * rows.size() * stride);
        Code *rx = ranks.data(), *rz = rx + rows.size() * stride;
        centred_ranks(m.x, m.present, n, rows, rx);
        if (!same_z) centred_ranks(m.z, m.present, n, rows, rz);
        sums_.assign(3 * n, 0.0);
        double *xx = sums_.data(), *zz = xx + n, *xz = zz + n;
        for (std::size_t a = 0; a < rows.size(); ++a, rx += stride, rz += stride) {
            add_products(rx, rz, rows[a].weight, n, xx, zz, xz);
        }
        for (std::size_t j = 0; j < n; ++j) out[j] = ratio(xz[j], std::sqrt(xx[j] * zz[j]));
        return;
    }
    totals_.resize(3 * stride);
    sum_pairs(m, rows, totals_.data());
    for (std::size_t j = 0; j < n; ++j) {
        PairCounts counts;
        counts.points = points[j];
        counts.balance = static_cast<double>(totals_[j]);
        counts.untied_x = static_cast<double>(totals_[stride + j]);
        counts.untied_z = static_cast<double>(totals_[2 * stride + j]);
        if (coefficient == Coefficient::tau_c) {
            counts.kinds_x = distinct(m.x, m.present, stride, j, rows);
            counts.kinds_z = distinct(m.z, m.present, stride, j, rows);
        }
        out[j] = kendall(counts, coefficient);
    }
}

template <class Code>
void column_codes(std::span<const double* const> matrices, std::size_t systems, std::size_t inputs,
                  Code* out) {
    const std::size_t stride = code_stride(inputs), count = matrices.size() * systems;
    std::fill_n(out, count * stride, Code{0});
    std::vector<std::size_t> order(count);
    std::vector<double> values(count);
    for (std::size_t j = 0; j < inputs; ++j) {
        for (std::size_t k = 0; k < count; ++k) {
            values[k] = matrices[k / systems][k % systems * inputs + j];
            order[k] = k;
        }
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
        Code code = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0 && values[order[i]] > values[order[i - 1]]) ++code;
            out[order[i] * stride + j] = code;
        }
    }
}

template void Columns::rank(const CodeColumns<std::int16_t>&, std::span<const Row>, Coefficient,
                            double*, double*, bool);
template void Columns::rank(const CodeColumns<std::int32_t>&, std::span<const Row>, Coefficient,
                            double*, double*, bool);
template void column_codes(std::span<const double* const>, std::size_t, std::size_t,
                           std::int16_t*);
template void column_codes(std::span<const double* const>, std::size_t, std::size_t,
                           std::int32_t*);

}  // namespace rubrica
