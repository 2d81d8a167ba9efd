// Python's tokens as numbers for CIDEr; bindings.cpp says what a binding may do.
#include "bindings.hpp"

#include <memory>
#include <string>
#include <vector>

#include "rubrica/cider.hpp"

using namespace nb::literals;

namespace {

using rubrica::CiderFrequencies;
using Pairs = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

constexpr const char* capsule_name = "rubrica.CiderFrequencies";

template <class Numbers>
rubrica::NumberedWords word_ids(nb::handle words, Numbers& numbers) {
    rubrica::NumberedWords out;
    for (const nb::handle word : nb::cast<nb::list>(words)) {
        if (!PyUnicode_Check(word.ptr())) throw nb::type_error("a word is a str");
        Py_ssize_t size = 0;
        if (const char* bytes = PyUnicode_AsUTF8AndSize(word.ptr(), &size)) {
            out.push_back(numbers.number({bytes, static_cast<std::size_t>(size)}));
            continue;
        }
        // Lone surrogates have no UTF-8; the three bytes they would have tell them apart.
        PyErr_Clear();
        const nb::object encoded =
            nb::steal(PyUnicode_AsEncodedString(word.ptr(), "utf-8", "surrogatepass"));
        if (!encoded.is_valid()) throw nb::python_error();
        out.push_back(numbers.number({PyBytes_AsString(encoded.ptr()),
                                      static_cast<std::size_t>(PyBytes_Size(encoded.ptr()))}));
    }
    return out;
}

nb::object cider_frequencies(const nb::list& examples, std::size_t n) {
    check_order(n);
    auto frequencies = std::make_unique<CiderFrequencies>(n);
    std::vector<rubrica::NumberedWords> references;
    for (const nb::handle example : examples) {
        references.clear();
        for (const nb::handle words : nb::cast<nb::list>(example)) {
            references.push_back(word_ids(words, *frequencies));
        }
        frequencies->add_example(references);
    }
    frequencies->finish();
    return nb::capsule(frequencies.release(), capsule_name,
                       [](void* p) noexcept { delete static_cast<CiderFrequencies*>(p); });
}

Result cider_similarities(nb::object frequencies, const nb::list& texts, Pairs pairs,
                          double sigma) {
    const void* pointer = PyCapsule_GetPointer(frequencies.ptr(), capsule_name);
    if (pointer == nullptr) throw nb::python_error();
    rubrica::CiderReader reader(*static_cast<const CiderFrequencies*>(pointer));
    std::vector<rubrica::NumberedWords> words;
    for (const nb::handle text : texts) words.push_back(word_ids(text, reader));
    for (std::size_t p = 0; p < pairs.shape(0); ++p) {
        for (std::size_t side = 0; side < 2; ++side) {
            const std::int64_t at = pairs(p, side);
            if (at < 0 || static_cast<std::size_t>(at) >= words.size())
                throw nb::index_error("a pair names a text that is not there");
        }
    }
    Result out = make_result({pairs.shape(0)});
    const nb::gil_scoped_release release;
    std::vector<rubrica::CiderText> read;
    for (const rubrica::NumberedWords& text : words) read.push_back(reader.read(text));
    for (std::size_t p = 0; p < pairs.shape(0); ++p) {
        out.data()[p] =
            rubrica::cider_similarity(read[static_cast<std::size_t>(pairs(p, 0))],
                                      read[static_cast<std::size_t>(pairs(p, 1))], sigma);
    }
    return out;
}

}  // namespace

void bind_cider(nb::module_& m) {
    m.def("cider_frequencies", &cider_frequencies, "examples"_a, "n"_a,
          "In how many examples (lists of references, lists of words) n-grams occur.");
    m.def("cider_similarities", &cider_similarities, "frequencies"_a, "texts"_a,
          "pairs"_a.noconvert(), "sigma"_a, "CIDEr-D of pairs (summary, reference) of texts.");
}
