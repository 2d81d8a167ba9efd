// Text to numbered words: runs of [A-Za-z0-9], lower-cased, each byte else a separator.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubrica/lexicon.hpp"

namespace rubrica {

// Words of a text in order, and where its units (sentences, lines) end among them. Units without
// words leave no trace: no count can see them.
struct Words {
    std::vector<std::uint32_t> ids;
    std::vector<std::uint32_t> unit_ends;

    void clear() {
        ids.clear();
        unit_ends.clear();
    }
    void end_unit() {
        if (ids.size() != (unit_ends.empty() ? 0 : unit_ends.back())) {
            unit_ends.push_back(static_cast<std::uint32_t>(ids.size()));
        }
    }
};

// Appends the words of `text` (any bytes, UTF-8 or not). With `newline_units` every '\n' ends a
// unit; the end of `text` does not, the caller says when.
void append_words(std::string_view text, bool newline_units, Memo& memo, const WordRules& rules,
                  StemNumbers& numbers, Words& out);

// What Python's str.lower() does to UTF-8 text, as far as [a-z0-9] can tell: besides A-Z, only
// U+0130 (to i and a combining dot) and U+212A (to k) have ASCII in their lower case. A-Z are
// left alone. Returns `text` itself when it holds neither, else a view of `buffer`.
std::string_view lower_like_python(std::string_view text, std::string& buffer);

// ROUGE-1.5.5's length limits, on raw units; 0 is no limit.
struct Limit {
    std::size_t words = 0, bytes = 0;
    bool any() const { return words != 0 || bytes != 0; }
};

// Cuts a text to the limit as ROUGE-1.5.5 does for n-grams and skip-bigrams: units count up to it.
void cut_whole(std::vector<std::string_view>& units, Limit limit);

// The same as it does for the units of the LCS. In bytes its counter never advances, so every
// unit shorter than the limit is kept whole and the first that is not ends the text.
void cut_units(std::vector<std::string_view>& units, Limit limit);

}  // namespace rubrica
