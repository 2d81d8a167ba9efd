// The correlation of one long list of weighted points: system means, or all cells of a matrix.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rubrica/coefficient.hpp"

namespace rubrica {

// Sums as numpy takes them: eight side by side up to 128 numbers, halves above. A mean of scores
// must not depend on which of two programs took it, or ties between systems would break.
double pairwise_sum(const double* values, std::size_t count);

// How much weight lies below a code. A tree of sixteenths: each level keeps, for every entry, the
// weight of those before it among its sixteen. The total must stay below 2^31.
class WeightsBelow {
public:
    void reset(std::size_t codes);
    void add(std::int32_t code, std::int32_t weight);
    std::int64_t of(std::int32_t code) const {
        auto at = static_cast<std::size_t>(code);
        std::int64_t sum = 0;
        for (const std::int32_t* level : levels_) {
            sum += level[at];
            at >>= 4;
        }
        return sum;
    }

private:
    std::vector<std::int32_t> sums_;
    std::vector<std::size_t> starts_;
    std::vector<std::int32_t*> levels_;
};

// Scratch memory and code for one thread. Weights are whole numbers; 0 leaves a point out.
class LongColumn {
public:
    double pearson(std::span<const double> x, std::span<const double> z,
                   std::span<const std::int32_t> weights) const;

    // Codes 0, 1, ... < kinds in ascending order of value.
    double rank(std::span<const std::int32_t> x, std::size_t kinds_x,
                std::span<const std::int32_t> z, std::size_t kinds_z,
                std::span<const std::int32_t> weights, Coefficient coefficient);

    // Codes of values; returns how many there are.
    std::size_t codes(std::span<const double> values, std::int32_t* out);

private:
    double spearman(std::span<const std::int32_t> x, std::span<const std::int32_t> z,
                    std::span<const std::int32_t> weights, double points);
    void sort_points(std::span<const std::int32_t> x, std::span<const std::int32_t> z,
                     std::span<const std::int32_t> weights);
    void count_pairs(std::span<const std::int32_t> x, std::span<const std::int32_t> z,
                     std::span<const std::int32_t> weights, PairCounts& counts);

    struct Point {
        std::int32_t x, z, weight;
    };
    std::vector<std::int32_t> mass_x_, mass_z_;  // the weight of each code
    WeightsBelow below_;
    std::vector<std::size_t> order_;
    std::vector<std::uint32_t> place_;
    std::vector<Point> sorted_;
};

}  // namespace rubrica
