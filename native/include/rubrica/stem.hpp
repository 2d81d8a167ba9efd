// The English stemmers by name.
#pragma once
#include <cstddef>
#include <string_view>

namespace rubrica {

enum class Stemmer { none, porter_1980, porter, porter_nltk, porter_rouge, porter2, porter2_nltk };

// "porter-1980", "porter", ...; throws std::invalid_argument for a name that is none of them.
Stemmer stemmer_named(std::string_view name);

// Stems a lower-case word of one byte per letter in place; returns its new length. A byte from 0x80
// on is a consonant, and the end of a word may be cut or replaced, never its inside: so letters
// beyond ASCII can be passed as any such bytes, if equal neighbours stay equal.
std::size_t stem(Stemmer stemmer, char* word, std::size_t length);

}  // namespace rubrica
