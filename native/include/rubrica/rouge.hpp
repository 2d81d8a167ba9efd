// ROUGE counts for many pairs of texts: hits, the reference's count, the summary's count.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rubrica/lexicon.hpp"
#include "rubrica/skipgrams.hpp"
#include "rubrica/tokenize.hpp"

namespace rubrica {

enum class Tokens { ascii, lower, given };  // see RougeOptions.tokenizer

struct RougeOptions {
    Tokens tokens = Tokens::ascii;
    Stemmer stemmer = Stemmer::none;
    bool exceptions = true, stopwords = false;
    bool newline_units = false;  // also split single strings at newlines
    Limit limit;
    // What to count, in the order of the results.
    std::vector<std::size_t> ngrams;
    bool lcs = false, lcs_union = false;
    std::optional<double> wlcs_weight;
    std::vector<Gap> skip_gaps, skip_unigram_gaps;

    std::size_t measures() const {
        return ngrams.size() + lcs + lcs_union + wlcs_weight.has_value() + skip_gaps.size() +
               skip_unigram_gaps.size();
    }
};

// A text as it came: one piece of UTF-8, or one per unit. With Tokens::given every piece is a
// token and `unit_ends` says after how many of them each unit ends.
struct RawText {
    std::span<const std::string_view> pieces;
    std::span<const std::uint32_t> unit_ends;
    bool one_string = false;  // a single string, so newline_units applies
};

struct Pair {
    std::int64_t summary, reference;
};

// out[(pair * measures + measure) * 3 + k]: k = 0 hits, 1 the reference's count, 2 the summary's.
// For the weighted LCS the reference's count is weighted once. Every text is read once however
// many pairs it is in; the result does not depend on `threads`. Throws std::bad_alloc, and
// std::length_error for texts of 2^32 words.
void rouge_counts(const RougeOptions& options, std::shared_ptr<const WordLists> lists,
                  std::span<const RawText> summaries, std::span<const RawText> references,
                  std::span<const Pair> pairs, std::size_t threads, double* out);

}  // namespace rubrica
