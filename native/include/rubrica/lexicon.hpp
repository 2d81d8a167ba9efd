// From a raw token to the number of its stem: the rules, the shared numbering, and one memo per
// thread so that a word is stemmed once and afterwards costs one probe.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "rubrica/stem.hpp"
#include "rubrica/token_table.hpp"

namespace rubrica {

// The two word lists, read from data files by the caller.
struct WordLists {
    std::unordered_map<std::string, std::string> exceptions;  // inflected form -> lemma
    std::unordered_set<std::string> stopwords;
};

struct WordRules {
    // porter_rouge, porter_nltk or none.
    Stemmer stemmer = Stemmer::none;
    std::shared_ptr<const WordLists> lists;
    bool exceptions = false, stopwords = false;

    // False if the token is dropped; else `stem` is what it counts as.
    bool apply(std::string_view token, std::string& stem) const;
};

// Numbers stems 1, 2, 3, ... in order of arrival, for all threads of one count.
class StemNumbers {
public:
    std::uint32_t number(std::string_view stem);
    std::size_t size() const { return table_.size(); }
    std::size_t memory() const { return table_.memory(); }

private:
    std::mutex mutex_;
    TokenTable table_;
};

// One thread's memo: raw token -> number of its stem, 0 for a token that is dropped.
class Memo {
public:
    static constexpr std::uint32_t dropped = 0;

    std::uint32_t find(ShortKey key, std::size_t length, const WordRules& rules,
                       StemNumbers& numbers) {
        const std::uint32_t* known = table_.find(key, length);
        if (known != nullptr) [[likely]]
            return *known;
        char bytes[TokenTable::short_length];
        std::memcpy(bytes, &key.low, 8);
        std::memcpy(bytes + 8, &key.high, 8);
        return learn({bytes, length}, rules, numbers);
    }

    std::uint32_t find(std::string_view token, const WordRules& rules, StemNumbers& numbers) {
        const std::uint32_t* known = table_.find(token.data(), token.size());
        return known != nullptr ? *known : learn(token, rules, numbers);
    }

    std::size_t memory() const { return table_.memory(); }
    // The greatest number it ever returned.
    std::uint32_t greatest() const { return greatest_; }

private:
    std::uint32_t learn(std::string_view token, const WordRules& rules, StemNumbers& numbers);

    TokenTable table_;
    std::string stem_;
    std::uint32_t greatest_ = 0;
};

}  // namespace rubrica
