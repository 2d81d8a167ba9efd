// Python's words as one byte per letter for the stemmers, and back.
#include "bindings.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "rubrica/stem.hpp"

using namespace nb::literals;

namespace {

// Letters beyond ASCII become 0x80 and 0x81 in turn, so that only equal neighbours are equal; the
// stemmers ask no more of a consonant. They come back in order: a stem never loses inner letters.
class Bytes {
public:
    nb::object stem(nb::handle word, rubrica::Stemmer stemmer) {
        read(word, stemmer == rubrica::Stemmer::porter2_nltk);
        text_.resize(rubrica::stem(stemmer, text_.data(), text_.size()));
        if (foreign_.empty()) {
            return nb::steal(
                PyUnicode_FromStringAndSize(text_.data(), static_cast<Py_ssize_t>(text_.size())));
        }
        letters_.clear();
        std::size_t next = 0;
        for (const char c : text_) {
            letters_.push_back(c & '\x80' ? foreign_[next++] : static_cast<Py_UCS4>(c));
        }
        return nb::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, letters_.data(),
                                                   static_cast<Py_ssize_t>(letters_.size())));
    }

private:
    void read(nb::handle word, bool map_apostrophes) {
        if (!PyUnicode_Check(word.ptr())) throw nb::type_error("a word to stem is a str");
        text_.clear();
        foreign_.clear();
        const Py_ssize_t length = PyUnicode_GET_LENGTH(word.ptr());
        if (length < 3) map_apostrophes = false;  // NLTK leaves words so short as they are
        Py_UCS4 before = 0;
        for (Py_ssize_t i = 0; i < length; ++i) {
            Py_UCS4 letter = PyUnicode_READ_CHAR(word.ptr(), i);
            if (map_apostrophes && (letter == 0x2019 || letter == 0x2018 || letter == 0x201b)) {
                letter = '\'';
            }
            if (letter < 0x80) {
                text_.push_back(static_cast<char>(letter));
            } else {
                const bool same = letter == before;
                const char last = text_.empty() ? '\x81' : text_.back();
                text_.push_back(same ? last : last == '\x80' ? '\x81' : '\x80');
                foreign_.push_back(letter);
            }
            before = letter;
        }
    }

    std::string text_;
    std::vector<Py_UCS4> foreign_, letters_;
};

nb::list stem_words(const nb::list& words, const std::string& stemmer) {
    const rubrica::Stemmer chosen = rubrica::stemmer_named(stemmer);
    Bytes bytes;
    nb::list out;
    for (const nb::handle word : words) out.append(bytes.stem(word, chosen));
    return out;
}

}  // namespace

void bind_stem(nb::module_& m) {
    m.def("stem_words", &stem_words, "words"_a, "stemmer"_a,
          "The stems of lower-case words by the stemmer of that name.");
}
