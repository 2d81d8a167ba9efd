// Correlations within many inputs at once: each input is a column, the systems are its points.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rubrica/coefficient.hpp"

namespace rubrica {

// A system that takes part, and how often.
struct Row {
    std::size_t index;
    std::int32_t weight;
};

// Two matrices, systems x inputs. `present` is 1 where both have a score, 0 elsewhere; where it is
// 0 the values must be finite but do not matter.
struct ValueColumns {
    const double* x;
    const double* z;
    const double* present;
    std::size_t inputs;
};

// Codes are compared for many inputs at a time; rows of codes are padded to whole lanes.
inline std::size_t code_stride(std::size_t inputs) { return (inputs + 31) / 32 * 32; }

// The same by order alone: within a column, codes compare as the values do. A row has
// code_stride(inputs) codes, those behind the last input 0. `present` is all ones (-1) or 0, or
// null where every cell is there.
template <class Code>
struct CodeColumns {
    const Code* x;
    const Code* z;
    const Code* present;
    std::size_t inputs;
};

// Scratch memory and code for one thread. With `same_z` the caller promises that z, its gaps and the
// rows are those of the call before, so that what depends on them alone need not be done again.
// Results: out[input], NaN where undefined; points[input]
// is the number of points (weights counted).
class Columns {
public:
    void pearson(const ValueColumns& m, std::span<const Row> rows, double* out, double* points);
    template <class Code>
    void rank(const CodeColumns<Code>& m, std::span<const Row> rows, Coefficient coefficient,
              double* out, double* points, bool same_z = false);

private:
    std::vector<double> sums_;
    std::vector<std::int16_t> narrow_;
    std::vector<std::int32_t> wide_;
    std::vector<std::int64_t> totals_;
};

// Codes within each column, over all the matrices together: 0, 1, ... in ascending order of value.
// out[matrix][system][code_stride(inputs)].
template <class Code>
void column_codes(std::span<const double* const> matrices, std::size_t systems, std::size_t inputs,
                  Code* out);

}  // namespace rubrica
