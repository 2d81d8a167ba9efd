#include "rubrica/rouge_pair.hpp"

#include <algorithm>
#include <cmath>

namespace rubrica {
namespace {

void put(double*& out, double hits, double reference, double summary) {
    out[0] = hits;
    out[1] = reference;
    out[2] = summary;
    out += 3;
}

double ngram_count(std::size_t length, std::size_t n) {
    return length < n ? 0.0 : static_cast<double>(length - n + 1);
}

}  // namespace

void RougePair::begin(const RougeOptions& options, std::size_t vocabulary) {
    if (options.wlcs_weight != weight_) power_.clear();
    weight_ = options.wlcs_weight;
    options_ = &options;
    know_words(vocabulary);
}

void RougePair::know_words(std::size_t vocabulary) {
    if (number_in_reference_.size() > vocabulary) return;
    number_in_reference_.resize(std::max(vocabulary + 1, 2 * number_in_reference_.size()), 0);
}

void RougePair::set_reference(const ReadText& reference) {
    text_ = &reference;
    distinct_.clear();
    // Whether a word is new is anyone's guess, so no branch asks: it is always written down, and
    // stays if it was new.
    const auto number = [this](WordIds words, std::vector<std::uint32_t>& out) {
        std::size_t count = distinct_.size();
        distinct_.resize(count + words.size() + 1);
        out.resize(words.size());
        for (std::size_t i = 0; i < words.size(); ++i) {
            std::uint32_t& known = number_in_reference_[words[i]];
            distinct_[count] = words[i];
            count += known == 0;
            known = known == 0 ? static_cast<std::uint32_t>(count) : known;
            out[i] = known;
        }
        distinct_.resize(count);
    };
    number(reference.words(), reference_);
    if (reference.own_units) number(reference.units.ids, reference_units_);

    const RougeOptions& o = *options_;
    // An n-gram longer than the reference has no hits, and no tables are made for it.
    most_ngram_ = 0;
    for (const std::size_t n : o.ngrams) {
        if (n <= reference_.size()) most_ngram_ = std::max(most_ngram_, n);
    }
    hits_.resize(most_ngram_);
    short_ngrams_ = ngrams_are_short(reference_.size(), most_ngram_);
    if (o.lcs || (short_ngrams_ && most_ngram_ > 0)) rows_.build(reference_, distinct_.size());
    if (most_ngram_ > 0 && !short_ngrams_) {
        ngrams_.set_reference(reference_, distinct_.size(), most_ngram_);
    }
    if (o.lcs_union) {
        union_.set_reference(reference_for_units(), reference.by_unit().unit_ends,
                             distinct_.size());
    }
    wanted_.assign(distinct_.size() + 1, 0);
    for (const std::uint32_t word : reference_) ++wanted_[word];
}

void RougePair::drop_reference() {
    for (const std::uint32_t word : distinct_) number_in_reference_[word] = 0;
}

void RougePair::renumber(WordIds words, std::vector<std::uint32_t>& out) {
    out.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) out[i] = number_in_reference_[words[i]];
}

void RougePair::count(const ReadText& summary, double* out) {
    renumber(summary.words(), summary_);
    summary_own_units_ = summary.own_units;
    if (summary.own_units) renumber(summary.units.ids, summary_units_);
    if (!options_->ngrams.empty()) count_ngrams(out);
    if (options_->lcs) count_lcs(out);
    if (options_->lcs_union) count_union(summary.by_unit().unit_ends, out);
    if (options_->wlcs_weight) count_weighted(summary.by_unit(), out);
    count_skips(out);
}

void RougePair::count_ngrams(double*& out) {
    if (most_ngram_ > 0) {
        if (short_ngrams_) {
            ngram_hits_short(rows_, summary_, most_ngram_, hits_.data());
        } else {
            ngrams_.hits(summary_, hits_.data());
        }
    }
    for (const std::size_t n : options_->ngrams) {
        const std::uint64_t hits = n <= most_ngram_ ? hits_[n - 1] : 0;
        put(out, static_cast<double>(hits), ngram_count(reference_.size(), n),
            ngram_count(summary_.size(), n));
    }
}

void RougePair::count_lcs(double*& out) {
    put(out, static_cast<double>(lcs_length(rows_, summary_, column_)),
        static_cast<double>(reference_.size()), static_cast<double>(summary_.size()));
}

// ROUGE-1.5.5 lets a marked word hit only while both texts, as cut for n-grams, still have one.
void RougePair::reset_left() {
    left_in_reference_ = wanted_;
    left_in_summary_.assign(wanted_.size(), 0);
    for (const std::uint32_t word : summary_) ++left_in_summary_[word];
}

bool RougePair::use(std::uint32_t word) {
    if (left_in_summary_[word] == 0 || left_in_reference_[word] == 0) return false;
    --left_in_summary_[word];
    --left_in_reference_[word];
    return true;
}

void RougePair::count_union(WordIds unit_ends, double*& out) {
    reset_left();
    std::uint64_t hits = 0;
    union_.for_marked(summary_for_units(), unit_ends,
                      [&](std::uint32_t word) { hits += use(word); });
    put(out, static_cast<double>(hits), static_cast<double>(reference_for_units().size()),
        static_cast<double>(summary_.size()));
}

void RougePair::count_weighted(const Words& units, double*& out) {
    const double weight = *options_->wlcs_weight;
    const Words& reference = text_->by_unit();
    std::uint32_t longest = 0, begin = 0;
    for (const std::uint32_t end : reference.unit_ends) {
        longest = std::max(longest, end - begin);
        begin = end;
    }
    while (power_.size() < longest + std::size_t{2}) {
        power_.push_back(std::pow(static_cast<double>(power_.size()), weight));
    }
    reset_left();
    double hits = 0.0, base = 0.0;
    begin = 0;
    for (const std::uint32_t end : reference.unit_ends) {
        const WordIds unit = reference_for_units().subspan(begin, end - begin);
        base += power_[unit.size()];
        marks_.assign(unit.size() + 1, 0);  // the extra one stays 0 and ends the last run
        std::uint32_t from = 0;
        for (const std::uint32_t to : units.unit_ends) {
            weighted_.mark(unit, summary_for_units().subspan(from, to - from), power_,
                           marks_.data());
            from = to;
        }
        // A marked word that was used up before neither lengthens nor ends a run: the run may
        // wait for the next one, or be lost at the end of the unit. So ROUGE-1.5.5.
        std::size_t run = 0;
        for (std::size_t i = 0; i < unit.size(); ++i) {
            if (!marks_[i] || !use(unit[i])) continue;
            ++run;
            if (!marks_[i + 1]) {
                hits += power_[run];
                run = 0;
            }
        }
        begin = end;
    }
    put(out, hits, base, std::pow(static_cast<double>(summary_.size()), weight));
}

// ROUGE-1.5.5 never counts the last word of a text as a unigram of ROUGE-SU.
std::uint64_t RougePair::unigram_hits_but_last() {
    if (reference_.empty() || summary_.empty()) return 0;
    left_in_reference_ = wanted_;
    --left_in_reference_[reference_.back()];
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i + 1 < summary_.size(); ++i) {
        std::uint32_t& left = left_in_reference_[summary_[i]];
        hits += left != 0;
        left -= left != 0;
    }
    return hits;
}

void RougePair::count_skips(double*& out) {
    const auto count = [&](Gap gap, bool unigrams) {
        const auto all = [&](std::size_t length) {
            const std::uint64_t singles = unigrams && length > 0 ? length - 1 : 0;
            return static_cast<double>(skip_bigram_count(length, gap) + singles);
        };
        std::uint64_t hits = skips_.hits(reference_, summary_, distinct_.size(), gap);
        if (unigrams) hits += unigram_hits_but_last();
        put(out, static_cast<double>(hits), all(reference_.size()), all(summary_.size()));
    };
    for (const Gap gap : options_->skip_gaps) count(gap, false);
    for (const Gap gap : options_->skip_unigram_gaps) count(gap, true);
}

}  // namespace rubrica
