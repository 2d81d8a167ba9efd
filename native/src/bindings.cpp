// The module: converts, releases the GIL, and nothing more. The other bindings_*.cpp hold the rest.
#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "rubrica/interrupt.hpp"
#include "rubrica/key_index.hpp"
#include "rubrica/resample.hpp"

using namespace nb::literals;

namespace {

Result bootstrap_sums(Matrix values, std::size_t rounds, std::uint64_t seed, std::size_t first) {
    const std::size_t rows = values.shape(0), columns = values.shape(1);
    check_rounds(rounds, first);
    Result out = make_result({rounds, columns});
    const nb::gil_scoped_release release;
    rubrica::bootstrap_sums(values.data(), rows, columns, first, rounds, seed, out.data());
    return out;
}

// Ten times a second, for any thread: has the main thread been interrupted?
void check_signals() {
    using Clock = std::chrono::steady_clock;
    thread_local Clock::time_point next = Clock::now() + std::chrono::milliseconds(100);
    const Clock::time_point now = Clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(100);
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

using Keys = nb::ndarray<const std::uint64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

std::optional<std::pair<std::size_t, std::size_t>> add_keys(rubrica::KeyIndex& index, Keys keys) {
    std::vector<rubrica::Key> given(keys.shape(0));
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = {keys(i, 0), keys(i, 1)};
    const auto again = index.add(given.data(), given.size());
    if (!again) return std::nullopt;
    return std::pair{again->place, again->earlier};
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels of Rubrica; import rubrica.core.kernels instead.";
    m.attr("version") = RUBRICA_VERSION;
    rubrica::interrupt_check = check_signals;
    m.def("bootstrap_sums", &bootstrap_sums, "values"_a.noconvert(), "rounds"_a, "seed"_a,
          "first"_a = 0, "Column sums of each bootstrap round's drawn rows, one row per round.");
    nb::class_<rubrica::KeyIndex>(m, "KeyIndex", "Which keys of 128 bits came before.")
        .def(nb::init<>())
        .def("add", &add_keys, "keys"_a.noconvert(),
             "Take keys in, up to the first that is there: (its place, the earlier one's number).")
        .def("__len__", &rubrica::KeyIndex::size);
    bind_columns(m);
    bind_dicts(m);
    bind_digests(m);
    bind_rouge(m);
    bind_meta(m);
    bind_meteor(m);
    bind_stem(m);
    bind_graph(m);
    bind_cider(m);
    bind_soft_matches(m);
    bind_ter(m);
}
