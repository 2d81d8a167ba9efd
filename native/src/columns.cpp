#include "rubrica/columns.hpp"

#include <algorithm>
#include <numeric>

#include "rubrica/simd.hpp"

namespace rubrica {
namespace {

// ---- Pearson: sums over the systems in order, all inputs side by side.

RUBRICA_SIMD void add_means(const double* x, const double* z, const double* present, double weight,
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

RUBRICA_SIMD void add_squares(const double* x, const double* z, const double* present,
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

// ---- Ranks: for each system, its comparisons with those before it, all inputs side by side.

template <class Code>
inline Code sign(Code a, Code b) {
    return static_cast<Code>(static_cast<Code>(a > b) - static_cast<Code>(a < b));
}

// Sums over one earlier system: balance and untied pairs, counted `weight` times.
template <class Code>
[[gnu::always_inline]] inline void add_pair(const Code* xa, const Code* xb, const Code* za,
                                            const Code* zb, const Code* pa, const Code* pb,
                                            Code weight, std::size_t inputs, Code* balance,
                                            Code* untied_x, Code* untied_z) {
    for (std::size_t j = 0; j < inputs; ++j) {
        const Code w = pa == nullptr ? weight : static_cast<Code>(weight & pa[j] & pb[j]);
        const Code sx = sign(xa[j], xb[j]), sz = sign(za[j], zb[j]);
        balance[j] = static_cast<Code>(balance[j] + static_cast<Code>(sx * sz) * w);
        untied_x[j] = static_cast<Code>(untied_x[j] + static_cast<Code>(sx * sx) * w);
        untied_z[j] = static_cast<Code>(untied_z[j] + static_cast<Code>(sz * sz) * w);
    }
}

// Smaller less greater points, of two systems at once: twice the centred average rank.
template <class Code>
[[gnu::always_inline]] inline void add_rank(const Code* a, const Code* b, const Code* pa,
                                            const Code* pb, Code weight_a, Code weight_b,
                                            std::size_t inputs, Code* rank_a, Code* rank_b) {
    for (std::size_t j = 0; j < inputs; ++j) {
        Code s = sign(a[j], b[j]);
        if (pa != nullptr) s = static_cast<Code>(s & pa[j] & pb[j]);
        rank_a[j] = static_cast<Code>(rank_a[j] + s * weight_b);
        rank_b[j] = static_cast<Code>(rank_b[j] - s * weight_a);
    }
}

#define RUBRICA_PAIR_LOOPS(Code)                                                                  \
    RUBRICA_SIMD void pair_sums(const CodeColumns<Code>& m, std::span<const Row> rows,            \
                                std::size_t a, Code* sums) {                                      \
        const std::size_t inputs = m.inputs, at = rows[a].index * inputs;                         \
        std::fill(sums, sums + 3 * inputs, Code{0});                                              \
        for (std::size_t b = 0; b < a; ++b) {                                                     \
            const std::size_t other = rows[b].index * inputs;                                     \
            const auto w = static_cast<Code>(rows[b].weight);                                     \
            if (m.present == nullptr) {                                                           \
                add_pair<Code>(m.x + at, m.x + other, m.z + at, m.z + other, nullptr, nullptr, w, \
                               inputs, sums, sums + inputs, sums + 2 * inputs);                   \
            } else {                                                                              \
                add_pair<Code>(m.x + at, m.x + other, m.z + at, m.z + other, m.present + at,      \
                               m.present + other, w, inputs, sums, sums + inputs,                 \
                               sums + 2 * inputs);                                                \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
    RUBRICA_SIMD void centred_ranks(const Code* codes, const Code* present, std::size_t inputs,   \
                                    std::span<const Row> rows, Code* ranks) {                     \
        std::fill(ranks, ranks + rows.size() * inputs, Code{0});                                  \
        for (std::size_t a = 1; a < rows.size(); ++a) {                                           \
            const std::size_t at = rows[a].index * inputs;                                        \
            for (std::size_t b = 0; b < a; ++b) {                                                 \
                const std::size_t other = rows[b].index * inputs;                                 \
                const auto wa = static_cast<Code>(rows[a].weight);                                \
                const auto wb = static_cast<Code>(rows[b].weight);                                \
                Code* ra = ranks + a * inputs;                                                    \
                Code* rb = ranks + b * inputs;                                                    \
                if (present == nullptr) {                                                         \
                    add_rank<Code>(codes + at, codes + other, nullptr, nullptr, wa, wb, inputs,   \
                                   ra, rb);                                                       \
                } else {                                                                          \
                    add_rank<Code>(codes + at, codes + other, present + at, present + other, wa,  \
                                   wb, inputs, ra, rb);                                           \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }

// target_clones does not work on templates: one function for each width.
RUBRICA_PAIR_LOOPS(std::int16_t)
RUBRICA_PAIR_LOOPS(std::int32_t)
#undef RUBRICA_PAIR_LOOPS

template <class Code>
double distinct(const Code* codes, const Code* present, std::size_t inputs, std::size_t input,
                std::span<const Row> rows) {
    double kinds = 0;
    for (std::size_t a = 0; a < rows.size(); ++a) {
        const std::size_t at = rows[a].index * inputs + input;
        bool fresh = present == nullptr || present[at] != 0;
        for (std::size_t b = 0; b < a && fresh; ++b) {
            const std::size_t other = rows[b].index * inputs + input;
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
                   double* out, double* points) {
    const std::size_t n = m.inputs;
    std::fill_n(points, n, 0.0);
    for (const Row& row : rows) {
        const Code* present = m.present == nullptr ? nullptr : m.present + row.index * n;
        for (std::size_t j = 0; j < n; ++j) {
            points[j] += present == nullptr || present[j] != 0 ? row.weight : 0;
        }
    }
    std::vector<Code>& codes = scratch<Code>(narrow_, wide_);
    if (coefficient == Coefficient::spearman) {
        codes.resize(2 * rows.size() * n);
        Code *rx = codes.data(), *rz = rx + rows.size() * n;
        centred_ranks(m.x, m.present, n, rows, rx);
        centred_ranks(m.z, m.present, n, rows, rz);
        sums_.assign(3 * n, 0.0);
        double *xx = sums_.data(), *zz = xx + n, *xz = zz + n;
        for (std::size_t a = 0; a < rows.size(); ++a, rx += n, rz += n) {
            for (std::size_t j = 0; j < n; ++j) {
                const double w = rows[a].weight, x = rx[j], z = rz[j];
                xx[j] += w * x * x;
                zz[j] += w * z * z;
                xz[j] += w * x * z;
            }
        }
        for (std::size_t j = 0; j < n; ++j) out[j] = ratio(xz[j], std::sqrt(xx[j] * zz[j]));
        return;
    }
    codes.resize(3 * n);
    totals_.assign(3 * n, 0);
    for (std::size_t a = 1; a < rows.size(); ++a) {
        pair_sums(m, rows, a, codes.data());
        for (std::size_t side = 0; side < 3; ++side) {
            for (std::size_t j = 0; j < n; ++j) {
                const std::size_t at = side * n + j;
                const bool there = m.present == nullptr || m.present[rows[a].index * n + j] != 0;
                totals_[at] += there ? std::int64_t{rows[a].weight} * codes[at] : 0;
            }
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        PairCounts counts;
        counts.points = points[j];
        counts.balance = static_cast<double>(totals_[j]);
        counts.untied_x = static_cast<double>(totals_[n + j]);
        counts.untied_z = static_cast<double>(totals_[2 * n + j]);
        if (coefficient == Coefficient::tau_c) {
            counts.kinds_x = distinct(m.x, m.present, n, j, rows);
            counts.kinds_z = distinct(m.z, m.present, n, j, rows);
        }
        out[j] = kendall(counts, coefficient);
    }
}

template <class Code>
void column_codes(std::span<const double* const> matrices, std::size_t systems, std::size_t inputs,
                  Code* out) {
    const std::size_t cells = systems * inputs, count = matrices.size() * systems;
    std::vector<std::size_t> order(count);
    std::vector<double> values(count);
    for (std::size_t j = 0; j < inputs; ++j) {
        std::size_t known = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t cell = k % systems * inputs + j;
            values[k] = matrices[k / systems][cell];
            out[k / systems * cells + cell] = 0;
            if (!std::isnan(values[k])) order[known++] = k;
        }
        std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(known),
                  [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
        Code code = 0;
        for (std::size_t i = 0; i < known; ++i) {
            if (i > 0 && values[order[i]] > values[order[i - 1]]) ++code;
            out[order[i] / systems * cells + order[i] % systems * inputs + j] = code;
        }
    }
}

template void Columns::rank(const CodeColumns<std::int16_t>&, std::span<const Row>, Coefficient,
                            double*, double*);
template void Columns::rank(const CodeColumns<std::int32_t>&, std::span<const Row>, Coefficient,
                            double*, double*);
template void column_codes(std::span<const double* const>, std::size_t, std::size_t,
                           std::int16_t*);
template void column_codes(std::span<const double* const>, std::size_t, std::size_t,
                           std::int32_t*);

}  // namespace rubrica
