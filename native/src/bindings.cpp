// The only file that knows Python: converts, releases the GIL, and nothing more.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "rubrica/resample.hpp"

namespace nb = nanobind;
using namespace nb::literals;

// Every array argument is bound with .noconvert(): nanobind would otherwise cast silently.
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

namespace {

Result bootstrap_sums(Matrix values, std::size_t rounds, std::uint64_t seed, std::size_t first) {
    const std::size_t rows = values.shape(0), columns = values.shape(1);
    auto* out = new double[rounds * columns];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    {
        nb::gil_scoped_release release;
        rubrica::bootstrap_sums(values.data(), rows, columns, first, rounds, seed, out);
    }
    return Result(out, {rounds, columns}, owner);
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels of Rubrica; import rubrica.core.kernels instead.";
    m.attr("version") = RUBRICA_VERSION;
    m.def("bootstrap_sums", &bootstrap_sums, "values"_a.noconvert(), "rounds"_a, "seed"_a, "first"_a = 0,
          "Column sums of each bootstrap round's drawn rows, one row per round.");
}
