#include "rubrica/rouge155.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace rubrica {
namespace {

double round5_by_printing(double value) {
    char text[512];  // the greatest double has 309 digits before the point
    std::snprintf(text, sizeof text, "%.5f", value);
    return std::strtod(text, nullptr);
}

double round5_one(double value) {
    // Scores and small counts. The exact product value * 10^5 differs from `scaled` by less than
    // 2^-53 * scaled: unless a tie lies within that, the nearest integer is the one printed. And
    // the quotient of two exact doubles, correctly rounded, is what reading "0.12345" gives.
    const double scaled = value * 1e5;
    if (!(std::fabs(scaled) < 1e9)) return round5_by_printing(value);
    const double whole = std::floor(scaled), rest = scaled - whole;
    if (std::fabs(rest - 0.5) < 1e-6) return round5_by_printing(value);
    return std::copysign(rest < 0.5 ? whole : whole + 1.0, value) / 1e5;
}

}  // namespace

void rouge_scores(const double* counts, std::size_t rows, std::size_t measures,
                  const double* exponents, const RougeFinish& finish, double* out) {
    for (std::size_t i = 0; i < rows * measures; ++i, counts += 3, out += 3) {
        // A count is at least 1, or 0 (for py-rouge even less), and then there are no hits either.
        double recall = counts[0] / std::max(counts[1], 1.0);
        double precision = counts[0] / std::max(counts[2], 1.0);
        const double exponent = exponents[i % measures];
        if (exponent != 1.0) {
            recall = std::pow(recall, exponent);
            precision = std::pow(precision, exponent);
        }
        if (finish.printed) {
            recall = round5_one(recall);
            precision = round5_one(precision);
        }
        if (finish.scale_first) {
            recall *= finish.scale;
            precision *= finish.scale;
        }
        double f;
        if (finish.epsilon > 0) {
            f = 2.0 * ((precision * recall) / (precision + recall + finish.epsilon));
        } else {
            const double below = (1 - finish.alpha) * precision + finish.alpha * recall;
            f = precision * recall / (below == 0 ? 1.0 : below);
        }
        if (finish.printed) f = round5_one(f);
        const double scale = finish.scale_first ? 1.0 : finish.scale;
        const bool digits = finish.printed && !finish.scale_first;
        const auto scaled = [=](double score) {
            // The five digits stay exact: 0.26906 gives 26.906, unlike a product.
            return digits ? std::rint(score * 1e5) / (1e5 / scale) : score * scale;
        };
        out[0] = scaled(recall);
        out[1] = scaled(precision);
        out[2] = scaled(f);
    }
}

void round5(const double* values, std::size_t count, double* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = round5_one(values[i]);
}

}  // namespace rubrica
