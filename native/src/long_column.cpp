#include "rubrica/long_column.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "rubrica/lanes.hpp"

namespace rubrica {
namespace {

// -1 in the places behind `digit`, for each digit.
constexpr auto behind = [] {
    std::array<std::array<std::int32_t, 16>, 16> masks{};
    for (std::size_t digit = 0; digit < 16; ++digit) {
        for (std::size_t i = digit + 1; i < 16; ++i) masks[digit][i] = -1;
    }
    return masks;
}();

// Pairs with unequal codes: (n^2 - sum of squares) / 2, for the weight of each code.
double untied(const std::vector<std::int32_t>& mass, double points) {
    double squares = 0;
    for (const std::int32_t m : mass) squares += static_cast<double>(m) * static_cast<double>(m);
    return (points * points - squares) / 2;
}

double kinds(const std::vector<std::int32_t>& mass) {
    return static_cast<double>(std::count_if(mass.begin(), mass.end(), [](auto m) { return m > 0; }));
}

// From weights by code to smaller less greater points: twice the centred average rank.
void to_centred_ranks(std::vector<std::int32_t>& mass, std::int32_t points) {
    std::int32_t below = 0;
    for (std::int32_t& m : mass) {
        const std::int32_t here = m;
        m = below - (points - below - here);
        below += here;
    }
}

}  // namespace

void WeightsBelow::reset(std::size_t codes) {
    std::size_t size = 0;
    starts_.clear();
    for (std::size_t count = codes + 1;; count = (count + 15) / 16) {
        starts_.push_back(size);
        size += (count + 15) / 16 * 16;
        if (count <= 16) break;
    }
    sums_.assign(size, 0);
    levels_.clear();
    for (const std::size_t start : starts_) levels_.push_back(sums_.data() + start);
}

void WeightsBelow::add(std::int32_t code, std::int32_t weight) {
    Lanes<std::int32_t> w;
    spread<std::int32_t>(w, weight);
    auto at = static_cast<std::size_t>(code);
    for (std::int32_t* level : levels_) {
        std::int32_t* sixteen = level + at / 16 * 16;
        const std::int32_t* mask = behind[at % 16].data();
        for (std::size_t i = 0; i < 16; i += lane_bytes / sizeof(std::int32_t)) {
            Lanes<std::int32_t> sums, chosen;
            std::memcpy(&sums, sixteen + i, lane_bytes);
            std::memcpy(&chosen, mask + i, lane_bytes);
            sums = sums + (w & chosen);
            std::memcpy(sixteen + i, &sums, lane_bytes);
        }
        at /= 16;
    }
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
    to_centred_ranks(mass_x_, static_cast<std::int32_t>(points));
    to_centred_ranks(mass_z_, static_cast<std::int32_t>(points));
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

// Points in ascending order of x; those of weight 0 stay behind.
void LongColumn::sort_points(std::span<const std::int32_t> x, std::span<const std::int32_t> z,
                             std::span<const std::int32_t> weights) {
    if (std::is_sorted(x.begin(), x.end())) {
        // Which points take part is chance: nothing to branch on.
        sorted_.resize(x.size());
        std::size_t count = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            sorted_[count] = {x[i], z[i], weights[i]};
            count += weights[i] > 0;
        }
        sorted_.resize(count);
        return;
    }
    place_.assign(mass_x_.size() + 1, 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        place_[static_cast<std::size_t>(x[i]) + 1] += weights[i] > 0;
    }
    std::partial_sum(place_.begin(), place_.end(), place_.begin());
    sorted_.resize(place_.back());
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (weights[i] > 0) {
            sorted_[place_[static_cast<std::size_t>(x[i])]++] = {x[i], z[i], weights[i]};
        }
    }
}

// Knight (1966), with weights: in ascending order of x, compare z with what came before.
void LongColumn::count_pairs(std::span<const std::int32_t> x, std::span<const std::int32_t> z,
                             std::span<const std::int32_t> weights, PairCounts& counts) {
    sort_points(x, z, weights);
    below_.reset(mass_z_.size());
    std::int64_t before = 0, balance = 0;
    for (std::size_t first = 0, last = 0; first < sorted_.size(); first = last) {
        // Points of equal x are compared with those before them, then join them together.
        for (; last < sorted_.size() && sorted_[last].x == sorted_[first].x; ++last) {
            const Point& p = sorted_[last];
            balance += p.weight * (below_.of(p.z) + below_.of(p.z + 1) - before);
        }
        for (std::size_t i = first; i < last; ++i) {
            below_.add(sorted_[i].z, sorted_[i].weight);
            before += sorted_[i].weight;
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
