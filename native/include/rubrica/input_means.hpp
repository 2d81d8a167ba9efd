// Means over inputs of the correlations of several rounds side by side, as mean_over_inputs has them.
#pragma once
#include <cstddef>

#include "rubrica/coefficient.hpp"

namespace rubrica {

template <std::size_t width>
class InputMeans {
public:
    explicit InputMeans(bool zero) : zero_(zero) {}

    // r is NaN where a round has no correlation; with `zero` that counts as 0 if there are points.
    void add(const double (&r)[width], double points) {
        const double always = zero_ && points > 0 ? 1.0 : 0.0;
        for (std::size_t k = 0; k < width; ++k) {
            const bool defined = r[k] == r[k];
            total_[k] += defined ? r[k] : 0.0;
            number_[k] += defined && !zero_ ? 1.0 : always;
        }
    }

    double of(std::size_t k) const { return number_[k] > 0 ? total_[k] / number_[k] : undefined; }

private:
    bool zero_;
    double total_[width] = {}, number_[width] = {};
};

}  // namespace rubrica
