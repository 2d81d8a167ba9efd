// Porter's stemmer of 1980 in the variants that people's numbers depend on, rule for rule.
#pragma once
#include <cstddef>

namespace rubrica {

// All work in place on a lower-case word of one byte per letter and return its new length, never
// more than `length`. Time is linear in the length: a rule looks at the word a fixed number of times.

// The algorithm as printed in 1980, words of one and two letters included (NLTK's ORIGINAL_ALGORITHM).
std::size_t porter_1980_stem(char* word, std::size_t length);

// Porter's own program, with its later changes (NLTK's MARTIN_EXTENSIONS).
std::size_t porter_stem(char* word, std::size_t length);

// NLTK's PorterStemmer in its default mode (NLTK_EXTENSIONS), as rouge-score uses it.
std::size_t porter_nltk_stem(char* word, std::size_t length);

// ROUGE-1.5.5's variant: Porter's algorithm with a cascading step 4.
std::size_t porter_rouge_stem(char* word, std::size_t length);

}  // namespace rubrica
