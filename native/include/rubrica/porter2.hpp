// Porter's second English stemmer, as Snowball up to 2.x and as NLTK have it.
#pragma once
#include <cstddef>

namespace rubrica {

// Both work in place on a lower-case word of one byte per letter and return its new length, never
// more than `length`. NLTK's differs where a suffix is longer than its region (realization -> realize,
// where Snowball says realiz); it takes the plain apostrophe only, callers map the curved ones.
std::size_t porter2_stem(char* word, std::size_t length);
std::size_t porter2_nltk_stem(char* word, std::size_t length);

}  // namespace rubrica
