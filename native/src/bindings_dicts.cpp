// Rows of scores as nested dicts, made here because the interpreter would take longer to make them
// than the kernels to compute them.
#include "bindings.hpp"

#include <vector>

using namespace nb::literals;

namespace {

using Scores = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// An empty instance of `type`, a subclass of dict whose constructor is not run.
nb::object empty_dict(PyTypeObject* type, const nb::tuple& no_arguments) {
    PyObject* made = type->tp_new(type, no_arguments.ptr(), nullptr);
    if (made == nullptr) nb::raise_python_error();
    return nb::steal(made);
}

// While many containers are made, the collector would look at all of them again and again.
class WithoutCollector {
public:
    WithoutCollector() : was_enabled_(PyGC_Disable()) {}
    ~WithoutCollector() {
        if (was_enabled_) PyGC_Enable();
    }
    WithoutCollector(const WithoutCollector&) = delete;
    WithoutCollector& operator=(const WithoutCollector&) = delete;

private:
    int was_enabled_;
};

std::vector<nb::object> items(const nb::list& list) {
    std::vector<nb::object> out;
    for (const nb::handle item : list) out.push_back(nb::borrow(item));
    return out;
}

void set_item(const nb::object& dict, const nb::object& key, PyObject* value) {
    if (PyDict_SetItem(dict.ptr(), key.ptr(), value) != 0) nb::raise_python_error();
}

nb::list nested_dicts(nb::type_object type, const nb::list& outer, const nb::list& inner,
                      Scores scores) {
    auto* cls = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (!PyType_IsSubtype(cls, &PyDict_Type)) throw nb::type_error("type must extend dict");
    const std::size_t rows = scores.shape(0), measures = scores.shape(1), parts = scores.shape(2);
    if (outer.size() != measures || inner.size() != parts)
        throw nb::value_error("a name is missing for a measure or a part");
    const std::vector<nb::object> outer_keys = items(outer), inner_keys = items(inner);
    const nb::tuple no_arguments;
    const WithoutCollector quiet;
    const double* value = scores.data();
    nb::list out;
    for (std::size_t r = 0; r < rows; ++r) {
        nb::object row = empty_dict(cls, no_arguments);
        for (std::size_t m = 0; m < measures; ++m) {
            nb::object measure = empty_dict(cls, no_arguments);
            for (std::size_t p = 0; p < parts; ++p, ++value)
                set_item(measure, inner_keys[p], nb::float_(*value).ptr());
#if PY_VERSION_HEX < 0x030E0000
            // A dict of numbers is in no cycle, so the collector need not visit it; until 3.13
            // Python itself tracks it again when something else is put in.
            PyObject_GC_UnTrack(measure.ptr());
#endif
            set_item(row, outer_keys[m], measure.ptr());
        }
        out.append(row);
    }
    return out;
}

}  // namespace

void bind_dicts(nb::module_& m) {
    m.def("nested_dicts", &nested_dicts, "type"_a, "outer"_a, "inner"_a, "scores"_a.noconvert(),
          "Rows [row, measure, part] as instances of a dict subclass, its __init__ not run.");
}
