// Plain definitions in a few lines each, to judge the kernels by; numbers of words, no tricks.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace naive {

using Unit = std::vector<std::string>;
using Text = std::vector<Unit>;

inline Text read(std::string_view bytes, bool newline_units) {
    Text text(1);
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) text.back().push_back(word);
        word.clear();
    };
    for (const char c : bytes) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9')) {
            word += lower;
        } else {
            end_word();
            if (c == '\n' && newline_units) text.emplace_back();
        }
    }
    end_word();
    return text;
}

inline Unit whole(const Text& text) {
    Unit all;
    for (const Unit& unit : text) all.insert(all.end(), unit.begin(), unit.end());
    return all;
}

// Cells hold (score, run); with weight 1 this is the plain LCS.
inline void mark(const Unit& reference, const Unit& summary, double weight,
                 std::vector<char>& marks) {
    struct Cell {
        double score = 0;
        std::size_t run = 0;
    };
    const auto g = [&](std::size_t k) { return std::pow(static_cast<double>(k), weight); };
    const std::size_t rows = reference.size(), columns = summary.size();
    std::vector<std::vector<Cell>> table(rows + 1, std::vector<Cell>(columns + 1));
    for (std::size_t i = 1; i <= rows; ++i) {
        for (std::size_t j = 1; j <= columns; ++j) {
            const Cell up = table[i - 1][j], left = table[i][j - 1], before = table[i - 1][j - 1];
            if (reference[i - 1] == summary[j - 1]) {
                table[i][j] = {(before.score + g(before.run + 1)) - g(before.run), before.run + 1};
            } else {
                table[i][j] = {std::max(up.score, left.score), 0};
            }
        }
    }
    for (std::size_t i = rows, j = columns; i > 0 && j > 0;) {
        if (reference[i - 1] == summary[j - 1]) {
            marks[--i] = 1;
            --j;
        } else if (table[i - 1][j].score >= table[i][j - 1].score) {
            --i;
        } else {
            --j;
        }
    }
}

using Counts = std::map<std::vector<std::string>, std::uint64_t>;

inline std::uint64_t clipped(const Counts& a, const Counts& b) {
    std::uint64_t hits = 0;
    for (const auto& [key, count] : a) {
        const auto found = b.find(key);
        if (found != b.end()) hits += std::min(count, found->second);
    }
    return hits;
}

inline Counts ngrams(const Unit& words, std::size_t n) {
    Counts counts;
    for (std::size_t i = 0; i + n <= words.size(); ++i) {
        ++counts[{words.begin() + static_cast<std::ptrdiff_t>(i),
                  words.begin() + static_cast<std::ptrdiff_t>(i + n)}];
    }
    return counts;
}

inline Counts skips(const Unit& words, std::size_t gap, bool unigrams) {
    Counts counts;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        for (std::size_t j = i + 1; j < words.size() && j - i - 1 <= gap; ++j) {
            ++counts[{words[i], words[j]}];
        }
        if (unigrams) ++counts[{words[i]}];
    }
    return counts;
}

// Hits and the reference's count of the union LCS; weight 1 is ROUGE-L.
inline std::pair<double, double> union_hits(const Text& reference, const Text& summary,
                                            double weight) {
    Counts left = ngrams(whole(summary), 1), wanted = ngrams(whole(reference), 1);
    double hits = 0, base = 0;
    for (const Unit& unit : reference) {
        std::vector<char> marks(unit.size() + 1, 0);
        for (const Unit& other : summary) mark(unit, other, weight, marks);
        base += std::pow(static_cast<double>(unit.size()), weight);
        std::size_t run = 0;
        for (std::size_t i = 0; i < unit.size(); ++i) {
            std::uint64_t &a = left[{unit[i]}], &b = wanted[{unit[i]}];
            if (!marks[i] || a == 0 || b == 0) continue;
            --a;
            --b;
            ++run;
            if (!marks[i + 1]) {
                hits += std::pow(static_cast<double>(run), weight);
                run = 0;
            }
        }
        // Without weights a run cannot be lost.
        if (weight == 1) hits += static_cast<double>(run);
    }
    return {hits, base};
}

}  // namespace naive
