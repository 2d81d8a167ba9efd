// CIDEr-D: n-grams of words weighted by how few examples have them, compared as vectors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rubrica/key_numbers.hpp"
#include "rubrica/token_table.hpp"

namespace rubrica {

using NumberedWords = std::vector<std::uint32_t>;

// In how many examples (the references of one input) every n-gram occurs.
class CiderFrequencies {
public:
    explicit CiderFrequencies(std::size_t n) : grams_(n), counts_(n) {}

    // The words of one reference by their numbers; new words get new ones.
    std::uint32_t number(std::string_view word);
    // Counts the n-grams of one example's references, each once.
    void add_example(std::span<const NumberedWords> references);
    // After the last example.
    void finish();

    std::size_t n() const { return grams_.size(); }

private:
    friend class CiderReader;

    TokenTable words_;
    // Of order k + 1, by what an n-gram lengthens and its last word; a single word is its own number.
    std::vector<KeyNumbers> grams_;
    std::vector<std::vector<std::uint32_t>> counts_;  // of order k + 1, by number
    std::vector<double> idf_;                         // by count
    std::size_t examples_ = 0;
};

// A text's weights in the order in which its n-grams first occur, and sorted for looking them up.
struct CiderVector {
    struct Weight {
        std::uint32_t gram;
        double value;
    };
    std::vector<Weight> in_order, sorted;
    double norm = 0;
};
struct CiderText {
    std::vector<CiderVector> orders;
    std::size_t length = 0;  // in bigrams, as in the original
};

// Makes vectors of texts for one call; words and n-grams that no example has are numbered here.
class CiderReader {
public:
    explicit CiderReader(const CiderFrequencies& frequencies);

    std::uint32_t number(std::string_view word);
    CiderText read(const NumberedWords& words);

private:
    std::uint32_t gram(std::size_t order, std::uint64_t key);

    const CiderFrequencies& known_;
    TokenTable words_;
    std::vector<KeyNumbers> grams_;
};

double cider_similarity(const CiderText& summary, const CiderText& reference, double sigma);

}  // namespace rubrica
