// Tables of comparisons between the cells of any two metrics, summed over units.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rubrica {

// Cells with the code of their score by each metric, their unit, and their human score.
struct RankedCells {
    const std::int32_t* codes;  // [metric][cell]
    const std::int32_t* human;  // [cell]: a code below `kinds`, or if that is 0 a number
    const std::int32_t* units;  // [cell]: below `unit_count`
    std::size_t metrics, cells, unit_count, kinds;
};

// The sum over cells c of unit i and d of unit k of sign(p_c - q_d) sign(h_c - h_d), or without kinds of
// h_c sign(p_c - q_d): out[p][q][i][k].
void rank_tables(const RankedCells& cells, std::size_t threads, double* out);

}  // namespace rubrica
