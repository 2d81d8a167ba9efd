#include "rubrica/stem.hpp"

#include <stdexcept>
#include <string>

#include "rubrica/porter.hpp"
#include "rubrica/porter2.hpp"

namespace rubrica {

Stemmer stemmer_named(std::string_view name) {
    if (name == "porter-1980") return Stemmer::porter_1980;
    if (name == "porter") return Stemmer::porter;
    if (name == "porter-nltk") return Stemmer::porter_nltk;
    if (name == "porter-rouge") return Stemmer::porter_rouge;
    if (name == "porter2") return Stemmer::porter2;
    if (name == "porter2-nltk") return Stemmer::porter2_nltk;
    throw std::invalid_argument("no stemmer " + std::string(name));
}

std::size_t stem(Stemmer stemmer, char* word, std::size_t length) {
    switch (stemmer) {
        case Stemmer::none: break;
        case Stemmer::porter_1980: return porter_1980_stem(word, length);
        case Stemmer::porter: return porter_stem(word, length);
        case Stemmer::porter_nltk: return porter_nltk_stem(word, length);
        case Stemmer::porter_rouge: return porter_rouge_stem(word, length);
        case Stemmer::porter2: return porter2_stem(word, length);
        case Stemmer::porter2_nltk: return porter2_nltk_stem(word, length);
    }
    return length;
}

}  // namespace rubrica
