// Texts as numbered words for ROUGE-WE; bindings.cpp says what a binding may do.
#include "bindings.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <vector>

#include "rubrica/soft_matches.hpp"

using namespace nb::literals;

namespace {

using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Pairs = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<nb::numpy, std::int64_t>;

// Every word, text and order is checked once, so that the kernel need not.
void check(Integers words, Integers ends, Pairs pairs, Matrix vectors, Flags known,
           const std::vector<std::size_t>& orders) {
    const auto texts = static_cast<std::int64_t>(ends.shape(0));
    if (known.shape(0) != vectors.shape(0)) throw nb::value_error("a flag per vector");
    for (std::size_t i = 0; i < words.shape(0); ++i) {
        if (words(i) < 0 || words(i) >= static_cast<std::int64_t>(vectors.shape(0)))
            throw nb::value_error("a word's number has no vector");
    }
    std::int64_t before = 0;
    for (std::size_t i = 0; i < ends.shape(0); ++i) {
        if (ends(i) < before || ends(i) > static_cast<std::int64_t>(words.shape(0)))
            throw nb::value_error("texts must end one after the other");
        before = ends(i);
    }
    for (std::size_t i = 0; i < pairs.shape(0); ++i) {
        if (pairs(i, 0) < 0 || pairs(i, 0) >= texts || pairs(i, 1) < 0 || pairs(i, 1) >= texts)
            throw nb::value_error("a pair names a text that is not there");
    }
    for (const std::size_t n : orders) check_order(n);
}

Counts soft_matches(Integers words, Integers ends, Pairs pairs, Matrix vectors, Flags known,
                    const std::vector<std::size_t>& orders, double threshold) {
    check(words, ends, pairs, vectors, known, orders);
    const std::size_t count = pairs.shape(0);
    nb::capsule owner;
    auto* out = fresh<std::int64_t>({count, orders.size(), 3}, owner);
    {
        const nb::gil_scoped_release release;
        const rubrica::WordVectors table{
            vectors.shape(1),
            {vectors.data(), vectors.size()},
            {reinterpret_cast<const std::uint8_t*>(known.data()), known.shape(0)}};
        const auto text = [&](std::int64_t at) {
            const auto end = static_cast<std::size_t>(ends(static_cast<std::size_t>(at)));
            const auto begin =
                at == 0 ? 0 : static_cast<std::size_t>(ends(static_cast<std::size_t>(at) - 1));
            return std::span(words.data() + begin, end - begin);
        };
        std::int64_t* next = out;
        for (std::size_t i = 0; i < count; ++i) {
            for (const std::size_t n : orders) {
                const rubrica::SoftMatches found = rubrica::soft_matches(
                    text(pairs(i, 0)), text(pairs(i, 1)), n, table, threshold);
                *next++ = found.matches;
                *next++ = found.reference;
                *next++ = found.summary;
            }
        }
    }
    return Counts(out, {count, orders.size(), std::size_t{3}}, owner);
}

}  // namespace

void bind_soft_matches(nb::module_& m) {
    m.def("soft_matches", &soft_matches, "words"_a.noconvert(), "ends"_a.noconvert(),
          "pairs"_a.noconvert(), "vectors"_a.noconvert(), "known"_a.noconvert(), "orders"_a,
          "threshold"_a,
          "Matches, n-grams of the reference and of the summary, per pair of texts and n.");
}
