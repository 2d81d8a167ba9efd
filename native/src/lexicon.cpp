#include "rubrica/lexicon.hpp"

#include <stdexcept>

#include "rubrica/porter.hpp"

namespace rubrica {

bool WordRules::apply(std::string_view token, std::string& stem) const {
    stem = token;
    // ROUGE-1.5.5 looks for stop words before it stems.
    if (stopwords && lists->stopwords.contains(stem)) return false;
    // Both ROUGE-1.5.5 and rouge-score stem only words longer than 3 letters.
    if (stemmer == Stemmer::none || stem.size() <= 3) return true;
    if (stemmer == Stemmer::porter_nltk) {
        stem.resize(porter_nltk_stem(stem.data(), stem.size()));
        return true;
    }
    if (exceptions) {
        const auto found = lists->exceptions.find(stem);
        if (found != lists->exceptions.end()) {
            stem = found->second;  // a lemma from the table is not stemmed again
            return true;
        }
    }
    stem.resize(porter_rouge_stem(stem.data(), stem.size()));
    return true;
}

std::uint32_t StemNumbers::number(std::string_view stem) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const std::uint32_t* known = table_.find(stem.data(), stem.size())) return *known;
    if (table_.size() + 1 >= UINT32_MAX) throw std::length_error("more than 2^32 distinct words");
    const auto fresh = static_cast<std::uint32_t>(table_.size() + 1);
    table_.insert(stem.data(), stem.size(), fresh);
    return fresh;
}

std::uint32_t Memo::learn(std::string_view token, const WordRules& rules, StemNumbers& numbers) {
    const std::uint32_t id = rules.apply(token, stem_) ? numbers.number(stem_) : dropped;
    table_.insert(token.data(), token.size(), id);
    if (id > greatest_) greatest_ = id;
    return id;
}

}  // namespace rubrica
