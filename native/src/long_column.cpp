#include "rubrica/long_column.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rubrica/simd.hpp"

namespace rubrica {
namespace {

// A loop of fixed shape over few numbers; that beats a tree up to millions of codes.
RUBRICA_SIMD void add_behind(std::int32_t* sums, std::int32_t count, std::int32_t place,
                             std::int32_t weight) {
    for (std::int32_t i = 0; i < count; ++i) sums[i] += i > place ? weight : 0;
}

// Pairs with unequal codes: (n^2 - sum of squares) / 2, for the weight of each code.
double untied(const std::vector<std::int64_t>& mass, double points) {
    double squares = 0;
    for (const std::int64_t m : mass) squares += static_cast<double>(m) * static_cast<double>(m);
    return (points * points - squares) / 2;
}

double kinds(const std::vector<std::int64_t>& mass) {
    return static_cast<double>(std::count_if(mass.begin(), mass.end(), [](auto m) { return m > 0; }));
}

// From weights by code to smaller less greater points: twice the centred average rank.
void to_centred_ranks(std::vector<std::int64_t>& mass, std::int64_t points) {
    std::int64_t below = 0;
    for (std::int64_t& m : mass) {
        const std::int64_t here = m;
        m = below - (points - below - here);
        below += here;
    }
}

}  // namespace

void WeightsBelow::reset(std::size_t codes) {
    shift_ = 3;
    while ((std::size_t{1} << (2 * shift_)) < codes + 1) ++shift_;
    const std::size_t blocks = ((codes >> shift_) + 8) / 8 * 8;
    inside_.assign(blocks << shift_, 0);
    before_.assign(blocks, 0);
}

void WeightsBelow::add(std::int32_t code, std::int32_t weight) {
    const std::int32_t block = code >> shift_, size = std::int32_t{1} << shift_;
    add_behind(inside_.data() + (static_cast<std::size_t>(block) << shift_), size,
               code & (size - 1), weight);
    add_behind(before_.data(), static_cast<std::int32_t>(before_.size()), block, weight);
}

double pairwise_sum(const double* values, std::size_t count) {
    if (count < 8) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += values[i];
        return sum;
    }
    if (count <= 128) {
        double r[8];
        std::copy_n(values, 8, r);
        std::size_t i = 8;
        for (; i + 8 <= count; i += 8) {
            for (std::size_t k = 0; k < 8; ++k) r[k] += values[i + k];
        }
        double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        for (; i < count; ++i) sum += values[i];
        return sum;
    }
    const std::size_t half = count / 2 - count / 2 % 8;
    return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
}

double LongColumn::pearson(std::span<const double> x, std::span<const double> z,
                           std::span<const std::int32_t> weights) const {
    double n = 0, sx = 0, sz = 0, xx = 0, zz = 0, xz = 0;
    double low_x = std::numeric_limits<double>::infinity(), high_x = -low_x;
    double low_z = low_x, high_z = -low_x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double w = weights[i];
        n += w;
        sx += w * x[i];
        sz += w * z[i];
        if (weights[i] > 0) {
            low_x = std::min(low_x, x[i]);
            high_x = std::max(high_x, x[i]);
            low_z = std::min(low_z, z[i]);
            high_z = std::max(high_z, z[i]);
        }
    }
    if (!(n >= 2 && low_x < high_x && low_z < high_z)) return undefined;
    const double mean_x = sx / n, mean_z = sz / n;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double w = weights[i], dx = x[i] - mean_x, dz = z[i] - mean_z;
        xx += w * (dx * dx);
        zz += w * (dz * dz);
        xz += w * (dx * dz);
    }
    return ratio(xz, std::sqrt(xx) * std::sqrt(zz));
}

double LongColumn::rank(std::span<const std::int32_t> x, std::size_t kinds_x,
                        std::span<const std::int32_t> z, std::size_t kinds_z,
                        std::span<const std::int32_t> weights, Coefficient coefficient) {
    mass_x_.assign(kinds_x, 0);
    mass_z_.assign(kinds_z, 0);
    std::int64_t points = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        mass_x_[static_cast<std::size_t>(x[i])] += weights[i];
        mass_z_[static_cast<std::size_t>(z[i])] += weights[i];
        points += weights[i];
    }
    if (coefficient == Coefficient::spearman) {
        return spearman(x, z, weights, static_cast<double>(points));
    }
    PairCounts counts;
    counts.points = static_cast<double>(points);
    counts.untied_x = untied(mass_x_, counts.points);
    counts.untied_z = untied(mass_z_, counts.points);
    counts.kinds_x = kinds(mass_x_);
    counts.kinds_z = kinds(mass_z_);
    if (counts.untied_x > 0 && counts.untied_z > 0) count_pairs(x, z, weights, counts);
    return kendall(counts, coefficient);
}

double LongColumn::spearman(std::span<const std::int32_t> x, std::span<const std::int32_t> z,
                            std::span<const std::int32_t> weights, double points) {
    to_centred_ranks(mass_x_, static_cast<std::int64_t>(points));
    to_centred_ranks(mass_z_, static_cast<std::int64_t>(points));
    double xx = 0, zz = 0, xz = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double w = weights[i];
        const auto rx = static_cast<double>(mass_x_[static_cast<std::size_t>(x[i])]);
        const auto rz = static_cast<double>(mass_z_[static_cast<std::size_t>(z[i])]);
        xx += w * rx * rx;
        zz += w * rz * rz;
        xz += w * rx * rz;
    }
    return ratio(xz, std::sqrt(xx * zz));
}

// Knight (1966), with weights: in ascending order of x, compare z with what came before.
void LongColumn::count_pairs(std::span<const std::int32_t> x, std::span<const std::int32_t> z,
                             std::span<const std::int32_t> weights, PairCounts& counts) {
    // Counting sort by x; points of weight 0 stay behind.
    start_.assign(mass_x_.size() + 1, 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        start_[static_cast<std::size_t>(x[i]) + 1] += weights[i] > 0;
    }
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    sorted_.resize(start_.back());
    order_.assign(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (weights[i] > 0) sorted_[order_[static_cast<std::size_t>(x[i])]++] = {z[i], weights[i]};
    }
    below_.reset(mass_z_.size());
    std::int64_t before = 0, balance = 0;
    for (std::size_t group = 0; group + 1 < start_.size(); ++group) {
        const std::span<const Point> equal(sorted_.data() + start_[group],
                                           start_[group + 1] - start_[group]);
        for (const Point& p : equal) {
            balance += p.weight * (below_.of(p.code) + below_.of(p.code + 1) - before);
        }
        for (const Point& p : equal) {
            below_.add(p.code, p.weight);
            before += p.weight;
        }
    }
    counts.balance = static_cast<double>(balance);
}

std::size_t LongColumn::codes(std::span<const double> values, std::int32_t* out) {
    order_.resize(values.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::int32_t code = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (i > 0 && values[order_[i]] > values[order_[i - 1]]) ++code;
        out[order_[i]] = code;
    }
    return values.empty() ? 0 : static_cast<std::size_t>(code) + 1;
}

}  // namespace rubrica
