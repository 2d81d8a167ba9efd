// One reference against one summary after another: every measure of a pair.
#pragma once
#include <cstdint>
#include <vector>

#include "rubrica/lcs.hpp"
#include "rubrica/match_rows.hpp"
#include "rubrica/ngrams.hpp"
#include "rubrica/rouge.hpp"
#include "rubrica/skipgrams.hpp"
#include "rubrica/wlcs.hpp"

namespace rubrica {

// A text that was read. ROUGE-1.5.5 cuts at a byte limit twice and differently (Limit); only then
// does `units` hold words of its own.
struct ReadText {
    Words whole, units;
    bool own_units = false;

    WordIds words() const { return whole.ids; }
    const Words& by_unit() const { return own_units ? units : whole; }
};

// Prepares a reference once and then counts any number of summaries against it. One per thread.
class RougePair {
public:
    // `vocabulary`: no word number of any text is greater; know_words raises it.
    void begin(const RougeOptions& options, std::size_t vocabulary);
    void know_words(std::size_t vocabulary);
    void set_reference(const ReadText& reference);
    void count(const ReadText& summary, double* out);
    // Must be called before the next set_reference.
    void drop_reference();

private:
    WordIds reference_for_units() const {
        return text_->own_units ? WordIds(reference_units_) : WordIds(reference_);
    }
    WordIds summary_for_units() const {
        return summary_own_units_ ? WordIds(summary_units_) : WordIds(summary_);
    }
    void renumber(WordIds words, std::vector<std::uint32_t>& out);
    void count_ngrams(double*& out);
    void count_lcs(double*& out);
    void count_union(WordIds unit_ends, double*& out);
    void count_weighted(const Words& units, double*& out);
    void count_skips(double*& out);
    std::uint64_t unigram_hits_but_last();
    void reset_left();
    bool use(std::uint32_t word);

    const RougeOptions* options_ = nullptr;
    std::size_t most_ngram_ = 0;
    bool short_ngrams_ = false;

    // Words are numbered anew within the reference, 1, 2, ..., so that every table is small.
    std::vector<std::uint32_t> number_in_reference_;  // by word number; all 0 between references
    std::vector<std::uint32_t> distinct_;             // word numbers, in order of their new number
    std::vector<std::uint32_t> reference_, reference_units_, summary_, summary_units_;
    const ReadText* text_ = nullptr;
    bool summary_own_units_ = false;

    MatchRows rows_;
    NgramCounts ngrams_;
    UnionLcs union_;
    WeightedLcs weighted_;
    SkipBigrams skips_;
    std::vector<std::uint64_t> column_, hits_;
    std::vector<std::uint32_t> wanted_;  // how often the reference has each word
    std::vector<std::uint32_t> left_in_summary_, left_in_reference_;
    std::optional<double> weight_;
    std::vector<double> power_;  // power_[k] = k^weight_, as far as it was needed
    std::vector<std::uint8_t> marks_;
};

}  // namespace rubrica
