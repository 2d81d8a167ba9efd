#include "rubrica/score_pair.hpp"

namespace rubrica {
namespace {

template <class Code>
void make_codes(std::span<const double* const> metrics, const double* human,
                const std::vector<double>& present, bool whole, std::size_t systems,
                std::size_t inputs, std::vector<Code>& x, std::vector<Code>& y,
                std::vector<Code>& z, std::vector<Code>& mask) {
    const std::size_t stride = code_stride(inputs), size = systems * stride;
    x.resize(metrics.size() * size);
    column_codes(metrics, systems, inputs, x.data());
    y.assign(x.begin() + static_cast<std::ptrdiff_t>(size), x.end());
    x.resize(size);
    z.resize(size);
    column_codes(std::span(&human, 1), systems, inputs, z.data());
    if (whole) return;
    mask.assign(size, Code{0});
    for (std::size_t i = 0; i < systems * inputs; ++i) {
        mask[i / inputs * stride + i % inputs] = present[i] > 0 ? Code{-1} : Code{0};
    }
}

}  // namespace

ScorePair::ScorePair(const Scores& scores, std::size_t a, std::size_t b, bool two, Level of,
                     Coefficient by)
    : systems(scores.systems), inputs(scores.inputs), level(of), coefficient(by) {
    const std::size_t count = systems * inputs;
    const double* left = scores.metrics + a * count;
    const double* right = scores.metrics + b * count;
    x.assign(left, left + count);
    z.assign(scores.human, scores.human + count);
    if (two) y.assign(right, right + count);
    present.assign(count, 1.0);
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isnan(x[i]) && !std::isnan(z[i]) && !(two && std::isnan(y[i]))) continue;
        whole = false;
        present[i] = x[i] = z[i] = 0.0;
        if (two) y[i] = 0.0;
    }
    narrow = systems <= 8191;  // twice as many codes, and sums of weights, stay below 2^15
    if (level == Level::summary && coefficient != Coefficient::pearson) {
        const double* both[] = {x.data(), y.data()};
        const std::span<const double* const> metrics(both, two ? 2 : 1);
        if (narrow) {
            make_codes(metrics, z.data(), present, whole, systems, inputs, x16, y16, z16, present16);
        } else {
            make_codes(metrics, z.data(), present, whole, systems, inputs, x32, y32, z32, present32);
        }
    }
    if (level != Level::global) return;
    for (std::size_t i = 0; i < count; ++i) {
        if (present[i] > 0) cells.push_back(static_cast<std::uint32_t>(i));
    }
    if (!two && coefficient != Coefficient::pearson) {
        // Rank coefficients are sums of whole numbers, in any order; in this one they need no sorting.
        std::stable_sort(cells.begin(), cells.end(),
                         [&](std::uint32_t i, std::uint32_t k) { return x[i] < x[k]; });
    }
    for (const std::uint32_t i : cells) {
        cell_x.push_back(x[i]);
        cell_z.push_back(z[i]);
        if (two) cell_y.push_back(y[i]);
    }
    if (coefficient == Coefficient::pearson) return;
    LongColumn column;
    std::vector<double> joint(cell_x);
    joint.insert(joint.end(), cell_y.begin(), cell_y.end());
    std::vector<std::int32_t> codes(joint.size());
    kinds_x = column.codes(joint, codes.data());
    const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(cells.size());
    code_x.assign(codes.begin(), middle);
    code_y.assign(middle, codes.end());
    code_z.resize(cells.size());
    kinds_z = column.codes(cell_z, code_z.data());
}

double mean_over_inputs(const double* r, const double* points, const std::int32_t* counts,
                        std::size_t inputs, bool zero) {
    double total = 0, number = 0;
    for (std::size_t j = 0; j < inputs; ++j) {
        const bool defined = !std::isnan(r[j]);
        const double times = counts == nullptr ? 1.0 : counts[j];
        total += (defined ? r[j] : 0.0) * times;
        number += (zero ? points[j] > 0 : defined) ? times : 0.0;
    }
    return number > 0 ? total / number : undefined;
}

double correlate_means(LongColumn& column, std::span<const double> x, std::span<const double> z,
                       std::span<const std::int32_t> weights, Coefficient coefficient,
                       std::vector<std::int32_t>& codes) {
    if (coefficient == Coefficient::pearson) return column.pearson(x, z, weights);
    // Sums of huge numbers may be infinite, and their differences nothing.
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i]) || std::isnan(z[i])) return undefined;
    }
    codes.resize(2 * x.size());
    const std::size_t kinds_x = column.codes(x, codes.data());
    const std::size_t kinds_z = column.codes(z, codes.data() + x.size());
    const std::span<const std::int32_t> both(codes);
    return column.rank(both.first(x.size()), kinds_x, both.last(x.size()), kinds_z, weights,
                       coefficient);
}

}  // namespace rubrica
