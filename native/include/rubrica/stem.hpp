// Two Porter stemmers that people's numbers depend on, rule for rule.
#pragma once
#include <cstddef>

namespace rubrica {

// Both work in place on a lower-case word of bytes and return its new length, never more than
// `length`. They stem whatever they are given; that ROUGE leaves words of three letters and less
// alone is the caller's business. Time is linear in the length: a rule looks at the word a fixed
// number of times.

// ROUGE-1.5.5's variant: Porter's algorithm with a cascading step 4.
std::size_t rouge_stem(char* word, std::size_t length);

// NLTK's PorterStemmer in its default mode (NLTK_EXTENSIONS), as rouge-score uses it.
std::size_t nltk_stem(char* word, std::size_t length);

}  // namespace rubrica
