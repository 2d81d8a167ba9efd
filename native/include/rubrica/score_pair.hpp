// One metric, or two that exchange scores, beside the human scores, ready for one level.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "rubrica/columns.hpp"
#include "rubrica/correlate.hpp"
#include "rubrica/long_column.hpp"

namespace rubrica {

// The matrices without NaN, where the cells are, and their order codes as the level needs them.
// With one metric `y` is empty. Codes of x and y are made together, so that they compare.
struct ScorePair {
    ScorePair(const Scores& scores, std::size_t a, std::size_t b, bool two, Level level,
              Coefficient coefficient);

    std::size_t systems, inputs;
    Level level;
    Coefficient coefficient;
    bool whole = true;  // no cell is absent
    bool narrow;        // codes fit into 16 bits
    std::vector<double> x, y, z, present;
    // Summary level, rank coefficients: codes within inputs.
    std::vector<std::int16_t> x16, y16, z16, present16;
    std::vector<std::int32_t> x32, y32, z32, present32;
    // Global level: the cells that are there, and (rank coefficients) their codes.
    std::vector<std::uint32_t> cells;
    std::vector<double> cell_x, cell_y, cell_z;
    std::vector<std::int32_t> code_x, code_y, code_z;
    std::size_t kinds_x = 0, kinds_z = 0;
};

// A summary-level mean over inputs: those with a value, or with `zero` all that have points.
double mean_over_inputs(const double* r, const double* points, const std::int32_t* counts,
                        std::size_t inputs, bool zero);

// The correlation of system means (NaN: the system has none), a system counting weights[i] times.
double correlate_means(LongColumn& column, std::span<const double> x, std::span<const double> z,
                       std::span<const std::int32_t> weights, Coefficient coefficient,
                       std::vector<std::int32_t>& codes);

}  // namespace rubrica
