// The last step of every coefficient: from sums to a value, NaN where it is undefined.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace rubrica {

enum class Coefficient { pearson, spearman, tau_b, tau_a, tau_c };

inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

inline double ratio(double above, double below) {
    // Sums that overflow, or hold infinite values, say nothing.
    if (!(below > 0 && std::isfinite(below) && std::isfinite(above))) return undefined;
    return std::clamp(above / below, -1.0, 1.0);
}

// Whole numbers of weighted pairs. Where no pair is untied the values are constant, or too few.
struct PairCounts {
    double points = 0;    // the sum of weights
    double balance = 0;   // concordant less discordant pairs
    double untied_x = 0, untied_z = 0;
    double kinds_x = 0, kinds_z = 0;  // distinct values; tau-c alone needs them
};

inline double kendall(const PairCounts& c, Coefficient coefficient) {
    if (!(c.untied_x > 0 && c.untied_z > 0)) return undefined;
    if (coefficient == Coefficient::tau_a) return ratio(c.balance, c.points * (c.points - 1) / 2);
    if (coefficient == Coefficient::tau_c) {
        const double kinds = std::min(c.kinds_x, c.kinds_z);
        return ratio(c.balance, c.points * c.points * ((kinds - 1) / kinds / 2));
    }
    return ratio(c.balance, std::sqrt(c.untied_x * c.untied_z));
}

}  // namespace rubrica
