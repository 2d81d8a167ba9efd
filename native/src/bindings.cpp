// The module: converts, releases the GIL, and nothing more. The other bindings_*.cpp hold the rest.
#include "bindings.hpp"

#include "rubrica/resample.hpp"

using namespace nb::literals;

namespace {

Result bootstrap_sums(Matrix values, std::size_t rounds, std::uint64_t seed, std::size_t first) {
    const std::size_t rows = values.shape(0), columns = values.shape(1);
    Result out = make_result({rounds, columns});
    const nb::gil_scoped_release release;
    rubrica::bootstrap_sums(values.data(), rows, columns, first, rounds, seed, out.data());
    return out;
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels of Rubrica; import rubrica.core.kernels instead.";
    m.attr("version") = RUBRICA_VERSION;
    m.def("bootstrap_sums", &bootstrap_sums, "values"_a.noconvert(), "rounds"_a, "seed"_a,
          "first"_a = 0, "Column sums of each bootstrap round's drawn rows, one row per round.");
    bind_dicts(m);
    bind_rouge(m);
    bind_meta(m);
    bind_meteor(m);
    bind_stem(m);
    bind_graph(m);
    bind_cider(m);
    bind_soft_matches(m);
    bind_ter(m);
}
