// Python's texts as bytes for the ROUGE kernels; bindings.cpp says what a binding may do.
#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubrica/rouge.hpp"
#include "rubrica/rouge155.hpp"
#include "rubrica/rouge155_bootstrap.hpp"
#include "rubrica/stem.hpp"
#include "rubrica/text_column.hpp"
#include "rubrica/wlcs.hpp"

using namespace nb::literals;

namespace {

using Pairs = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::shared_ptr<const rubrica::WordLists> word_lists;  // guarded by the GIL

void set_rouge_data(const nb::dict& exceptions, const nb::iterable& stopwords) {
    auto lists = std::make_shared<rubrica::WordLists>();
    for (const auto& [form, lemma] : exceptions) {
        lists->exceptions.emplace(nb::cast<std::string>(form), nb::cast<std::string>(lemma));
    }
    for (const nb::handle word : stopwords) lists->stopwords.insert(nb::cast<std::string>(word));
    word_lists = std::move(lists);
}

// Texts of one side, as views of bytes that stay alive as long as this does, whatever other
// threads do to the caller's lists while the GIL is released.
class Texts {
public:
    Texts(nb::handle texts, rubrica::Tokens tokens) {
        if (nb::isinstance<rubrica::TextColumn>(texts)) {
            take(nb::cast<const rubrica::TextColumn&>(texts), tokens);
            return;
        }
        const nb::tuple items = keep(nb::tuple(texts));
        const bool given = tokens == rubrica::Tokens::given;
        std::vector<std::size_t> piece_ends, unit_ends_ends;
        std::vector<bool> one_string;
        pieces_.reserve(items.size());
        for (const nb::handle text : items) {
            const bool single = PyUnicode_Check(text.ptr());
            if (single && given)
                throw nb::type_error("tokenizer 'given' takes lists of lists of tokens");
            if (single) {
                add(text);
            } else if (given) {
                const std::size_t first = pieces_.size();
                for (const nb::handle unit : keep(nb::tuple(text))) {
                    if (PyUnicode_Check(unit.ptr())) {
                        throw nb::type_error("tokenizer 'given' takes lists of lists of tokens");
                    }
                    for (const nb::handle token : keep(nb::tuple(unit))) add(token);
                    unit_ends_.push_back(static_cast<std::uint32_t>(pieces_.size() - first));
                }
            } else {
                for (const nb::handle unit : keep(nb::tuple(text))) add(unit);
            }
            one_string.push_back(single);
            piece_ends.push_back(pieces_.size());
            unit_ends_ends.push_back(unit_ends_.size());
        }
        std::size_t piece = 0, unit = 0;
        texts_.reserve(items.size());
        for (std::size_t t = 0; t < items.size(); ++t) {
            texts_.push_back({{pieces_.data() + piece, piece_ends[t] - piece},
                              {unit_ends_.data() + unit, unit_ends_ends[t] - unit},
                              one_string[t]});
            piece = piece_ends[t];
            unit = unit_ends_ends[t];
        }
    }

    std::span<const rubrica::RawText> get() const { return texts_; }

private:
    void take(const rubrica::TextColumn& column, rubrica::Tokens tokens) {
        if (tokens == rubrica::Tokens::given)
            throw nb::type_error("tokenizer 'given' takes lists of lists of tokens");
        owners_ = column.owners;
        pieces_ = column.texts;
        texts_.reserve(pieces_.size());
        for (const std::string_view& piece : pieces_) texts_.push_back({{&piece, 1}, {}, true});
    }

    nb::tuple keep(nb::tuple tuple) {
        kept_.push_back(tuple);
        return tuple;
    }

    void add(nb::handle text) {
        if (!PyUnicode_Check(text.ptr())) {
            throw nb::type_error(
                "a text is a str, a sequence of str (its units), or, with "
                "tokenizer 'given', a sequence of sequences of str");
        }
        Py_ssize_t size = 0;
        if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
            pieces_.emplace_back(bytes, static_cast<std::size_t>(size));
            return;
        }
        // Lone surrogates have no UTF-8; they become the three bytes they would have, and
        // separate words as all bytes from 0x80 do.
        PyErr_Clear();
        nb::object encoded =
            nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
        if (!encoded.is_valid()) throw nb::python_error();
        pieces_.emplace_back(PyBytes_AsString(encoded.ptr()),
                             static_cast<std::size_t>(PyBytes_Size(encoded.ptr())));
        kept_.push_back(std::move(encoded));
    }

    std::vector<nb::object> kept_;
    std::vector<std::shared_ptr<const void>> owners_;
    std::vector<std::string_view> pieces_;
    std::vector<std::uint32_t> unit_ends_;
    std::vector<rubrica::RawText> texts_;
};

std::vector<rubrica::Gap> gaps(const std::vector<std::optional<std::size_t>>& values) {
    return {values.begin(), values.end()};
}

Result rouge_counts(const std::string& tokenizer, const std::string& stemmer, bool exceptions,
                    bool stopwords, bool newline_units, std::size_t max_words,
                    std::size_t max_bytes, std::vector<std::size_t> ngrams, bool lcs,
                    bool lcs_union, std::optional<double> wlcs_weight,
                    const std::vector<std::optional<std::size_t>>& skip_gaps,
                    const std::vector<std::optional<std::size_t>>& skip_unigram_gaps,
                    nb::handle summaries, nb::handle references, Pairs pairs, std::size_t threads) {
    rubrica::RougeOptions options;
    options.tokens = tokenizer == "given"   ? rubrica::Tokens::given
                     : tokenizer == "lower" ? rubrica::Tokens::lower
                                            : rubrica::Tokens::ascii;
    options.stemmer = stemmer == "none" ? rubrica::Stemmer::none : rubrica::stemmer_named(stemmer);
    if (options.stemmer != rubrica::Stemmer::none &&
        options.stemmer != rubrica::Stemmer::porter_rouge &&
        options.stemmer != rubrica::Stemmer::porter_nltk) {
        throw nb::value_error("ROUGE stems by porter-rouge or porter-nltk, or not at all");
    }
    options.exceptions = exceptions;
    options.stopwords = stopwords;
    options.newline_units = newline_units;
    options.limit = {max_words, max_bytes};
    options.ngrams = std::move(ngrams);
    options.lcs = lcs;
    options.lcs_union = lcs_union;
    options.wlcs_weight = wlcs_weight;
    options.skip_gaps = gaps(skip_gaps);
    options.skip_unigram_gaps = gaps(skip_unigram_gaps);
    if ((stopwords || (exceptions && stemmer == "porter-rouge")) && !word_lists) {
        throw std::runtime_error("the word lists were not set");
    }
    for (const std::size_t n : options.ngrams) check_order(n);

    const Texts left(summaries, options.tokens), right(references, options.tokens);
    static_assert(sizeof(rubrica::Pair) == 2 * sizeof(std::int64_t));
    const std::span<const rubrica::Pair> rows(reinterpret_cast<const rubrica::Pair*>(pairs.data()),
                                              pairs.shape(0));
    for (const rubrica::Pair& pair : rows) {
        const auto inside = [](std::int64_t index, std::size_t count) {
            return index >= 0 && static_cast<std::size_t>(index) < count;
        };
        if (!inside(pair.summary, left.get().size()) ||
            !inside(pair.reference, right.get().size())) {
            throw nb::index_error("a pair names a text that is not there");
        }
    }
    Result out = make_result({rows.size(), options.measures(), 3});
    const auto lists = word_lists;
    {
        const nb::gil_scoped_release release;
        rubrica::rouge_counts(options, lists, left.get(), right.get(), rows, threads, out.data());
    }
    return out;
}

Result round5(Values values) {
    Result out = make_result({values.shape(0)});
    const nb::gil_scoped_release release;
    rubrica::round5(values.data(), values.shape(0), out.data());
    return out;
}

Result rouge_scores(Counts counts, Values exponents, double alpha, double epsilon, bool printed,
                    double scale, bool scale_first) {
    const std::size_t rows = counts.shape(0), measures = counts.shape(1);
    if (counts.shape(2) != 3 || exponents.shape(0) != measures)
        throw nb::value_error("counts must be [rows, measures, 3], with an exponent per measure");
    Result out = make_result({rows, measures, 3});
    const nb::gil_scoped_release release;
    rubrica::rouge_scores(counts.data(), rows, measures, exponents.data(),
                          {alpha, epsilon, scale, printed, scale_first}, out.data());
    return out;
}

Result rouge155_bootstrap_sums(Matrix values, std::size_t rounds, std::size_t threads) {
    check_rounds(rounds);
    Result out = make_result({rounds, values.shape(1)});
    const nb::gil_scoped_release release;
    rubrica::rouge155_bootstrap_sums(values.data(), values.shape(0), values.shape(1), rounds,
                                     threads, out.data());
    return out;
}

using WholeMatrix = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Result rouge155_whole_sums(WholeMatrix values, std::size_t rounds, std::size_t threads) {
    check_rounds(rounds);
    Result out = make_result({rounds, values.shape(1)});
    const nb::gil_scoped_release release;
    rubrica::rouge155_whole_sums(values.data(), values.shape(0), values.shape(1), rounds, threads,
                                 out.data());
    return out;
}

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>>;

std::vector<std::uint32_t> word_ids(Numbers words) {
    std::vector<std::uint32_t> out;
    out.reserve(words.shape(0));
    for (std::size_t i = 0; i < words.shape(0); ++i) {
        if (words(i) < 1 || words(i) > 0xffffffff)
            throw nb::value_error("words are numbered from 1");
        out.push_back(static_cast<std::uint32_t>(words(i)));
    }
    return out;
}

Places weighted_lcs_path(Numbers reference, Numbers summary, Values power) {
    const std::vector<std::uint32_t> rows = word_ids(reference), columns = word_ids(summary);
    if (power.shape(0) < std::min(rows.size(), columns.size()) + 1)
        throw nb::value_error("a power for every length of a run is needed");
    const std::vector<double> powers(power.data(), power.data() + power.shape(0));
    std::vector<std::pair<std::size_t, std::size_t>> found;
    {
        const nb::gil_scoped_release release;
        found = rubrica::WeightedLcs().path(rows, columns, powers);
    }
    nb::capsule owner;
    auto* out = fresh<std::int64_t>({found.size(), 2}, owner);
    std::int64_t* next = out;
    for (const auto& [i, j] : found) {
        *next++ = static_cast<std::int64_t>(i);
        *next++ = static_cast<std::int64_t>(j);
    }
    return Places(out, {found.size(), 2}, owner);
}

}  // namespace

void bind_rouge(nb::module_& m) {
    m.def("set_rouge_data", &set_rouge_data, "exceptions"_a, "stopwords"_a,
          "The word lists; must be set before counts ask for them.");
    m.def("rouge_counts", &rouge_counts, "tokenizer"_a, "stemmer"_a, "exceptions"_a, "stopwords"_a,
          "newline_units"_a, "max_words"_a, "max_bytes"_a, "ngrams"_a, "lcs"_a, "lcs_union"_a,
          "wlcs_weight"_a.none(), "skip_gaps"_a, "skip_unigram_gaps"_a, "summaries"_a,
          "references"_a, "pairs"_a.noconvert(), "threads"_a,
          "Hits, reference count and summary count of every pair and measure.");
    m.def("rouge_scores", &rouge_scores, "counts"_a.noconvert(), "exponents"_a.noconvert(), "alpha"_a,
          "epsilon"_a, "printed"_a, "scale"_a, "scale_first"_a,
          "Recall, precision and F of counts, rounded and scaled.");
    m.def("weighted_lcs_path", &weighted_lcs_path, "reference"_a.noconvert(),
          "summary"_a.noconvert(), "power"_a.noconvert(),
          "Places of the words on the weighted LCS, the last first.");
    m.def("round5", &round5, "values"_a.noconvert(), "Each number as %.5f prints it, read back.");
    m.def("rouge155_bootstrap_sums", &rouge155_bootstrap_sums, "values"_a.noconvert(), "rounds"_a,
          "threads"_a, "Column sums of the rows that ROUGE-1.5.5 draws in each round.");
    m.def("rouge155_whole_sums", &rouge155_whole_sums, "values"_a.noconvert(), "rounds"_a,
          "threads"_a, "The same of whole numbers.");
}
