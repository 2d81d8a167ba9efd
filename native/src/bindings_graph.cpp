// Python's texts as UTF-16 for the n-gram graphs; bindings.cpp says what a binding may do.
#include "bindings.hpp"

#include <string>
#include <vector>

#include "rubrica/graph.hpp"

using namespace nb::literals;

namespace {

std::u16string units(nb::handle text) {
    if (!PyUnicode_Check(text.ptr())) throw nb::type_error("a text is a str");
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text.ptr());
    const auto kind = PyUnicode_KIND(text.ptr());
    const void* data = PyUnicode_DATA(text.ptr());
    std::u16string out;
    out.reserve(static_cast<std::size_t>(length));
    for (Py_ssize_t i = 0; i < length; ++i) {
        const Py_UCS4 letter = PyUnicode_READ(kind, data, i);
        if (letter > 0xFFFF) {
            out.push_back(static_cast<char16_t>(0xD7C0 + (letter >> 10)));
            out.push_back(static_cast<char16_t>(0xDC00 + (letter & 0x3FF)));
        } else {
            out.push_back(static_cast<char16_t>(letter));
        }
    }
    return out;
}

std::vector<std::u16string> all_units(const nb::list& texts) {
    std::vector<std::u16string> out;
    for (const nb::handle text : texts) out.push_back(units(text));
    return out;
}

Result graph_similarities(const nb::list& summaries, const nb::list& references, std::size_t min_n,
                          std::size_t max_n, std::size_t window) {
    if (min_n < 1 || max_n < min_n || max_n > longest_gram)
        throw nb::value_error("ranks must be 1 <= min_n <= max_n <= 10,000");
    const std::vector<std::u16string> left = all_units(summaries), right = all_units(references);
    Result out = make_result({left.size(), 1 + right.size(), 3});
    const nb::gil_scoped_release release;
    rubrica::graph_similarities({min_n, max_n, window}, left, right, out.data());
    return out;
}

}  // namespace

void bind_graph(nb::module_& m) {
    m.def("graph_similarities", &graph_similarities, "summaries"_a, "references"_a, "min_n"_a,
          "max_n"_a, "window"_a,
          "Value, containment and size similarity of summaries with the merged graph of the "
          "references and with each reference.");
}
