// Texts as numbered words for TER; bindings.cpp says what a binding may do.
#include "bindings.hpp"

#include <cstdint>
#include <span>

#include "rubrica/ter.hpp"

using namespace nb::literals;

namespace {

using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::int64_t ter_edits(Integers summary, Integers reference) {
    const nb::gil_scoped_release release;
    return rubrica::ter_edits({summary.data(), summary.shape(0)},
                              {reference.data(), reference.shape(0)});
}

}  // namespace

void bind_ter(nb::module_& m) {
    m.def("ter_edits", &ter_edits, "summary"_a.noconvert(), "reference"_a.noconvert(),
          "Edits, shifts included, from a summary to a reference, both as numbers of words.");
}
