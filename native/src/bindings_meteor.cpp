// METEOR's texts and table as arrays; bindings.cpp says what a binding may do.
#include "bindings.hpp"

#include <span>

#include "rubrica/meteor.hpp"

using namespace nb::literals;

namespace {

template <class Value>
using Array = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = Array<std::int32_t>;
using Longs = Array<std::int64_t>;
using Pairs = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

template <class Value>
std::span<const Value> view(const Array<Value>& values) {
    return {values.data(), values.shape(0)};
}

Result meteor_statistics(Longs starts, Ints words, Array<std::uint8_t> function, Ints stems,
                         Longs synset_starts, Ints synsets, Ints phrase_words, Ints first_child,
                         Ints node_words, Ints first_entry, Ints entry_starts, Ints entry_words,
                         Pairs pairs, std::size_t modules, std::size_t threads) {
    Result out = make_result({pairs.shape(0), rubrica::meteor::columns});
    const rubrica::meteor::Texts texts{view(starts),      view(words),         view(function),
                                       view(stems),       view(synset_starts), view(synsets),
                                       view(phrase_words)};
    const rubrica::meteor::Phrases phrases{view(first_child), view(node_words), view(first_entry),
                                           view(entry_starts), view(entry_words)};
    static_assert(sizeof(rubrica::meteor::Pair) == 2 * sizeof(std::int64_t));
    const std::span<const rubrica::meteor::Pair> all(
        reinterpret_cast<const rubrica::meteor::Pair*>(pairs.data()), pairs.shape(0));
    const nb::gil_scoped_release release;
    rubrica::meteor::statistics(texts, phrases, all, modules, threads, out.data());
    return out;
}

}  // namespace

void bind_meteor(nb::module_& m) {
    m.def("meteor_statistics", &meteor_statistics, "starts"_a.noconvert(), "words"_a.noconvert(),
          "function"_a.noconvert(), "stems"_a.noconvert(), "synset_starts"_a.noconvert(),
          "synsets"_a.noconvert(), "phrase_words"_a.noconvert(), "first_child"_a.noconvert(),
          "node_words"_a.noconvert(), "first_entry"_a.noconvert(), "entry_starts"_a.noconvert(),
          "entry_words"_a.noconvert(), "pairs"_a.noconvert(), "modules"_a, "threads"_a,
          "Counts of METEOR's best alignment of each pair.");
}
