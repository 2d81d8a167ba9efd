// N-gram graphs of texts (Giannakopoulos and Karkaletsis): which character n-grams stand near which.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rubrica/key_numbers.hpp"

namespace rubrica {

// Weighted edges between numbered n-grams. Edges of a text always come in both directions with equal
// weights, so each pair is kept once; a loop is one edge, any other pair counts as two.
class NGramGraph {
public:
    NGramGraph() { clear(); }

    void clear();

    // Adds the edges of n-grams that stand at most `window` apart; a loop weighs double.
    void add(std::span<const std::uint32_t> grams, std::size_t window);

    // Moves the weights of the edges of `other` by `rate` towards its own; edges it has not had enter as
    // they are, and those that `other` lacks stay.
    void merge(const NGramGraph& other, double rate);

    // Directed edges.
    std::size_t size() const { return size_; }

    struct Similarity {
        double value = 0, containment = 0, size = 0;
    };
    // Sums run over the edges of the graph with fewer (of `a` where they are equally many), in the
    // order in which they were made.
    static Similarity compare(const NGramGraph& a, const NGramGraph& b);

private:
    struct Edge {
        std::uint64_t ends;
        double weight;

        std::size_t directions() const { return (ends >> 32) == (ends & UINT32_MAX) ? 1 : 2; }
    };

    // Where the edge is, or would be, in the table.
    std::size_t slot(std::uint64_t ends) const;
    const Edge* find(std::uint64_t ends) const;
    Edge& find_or_make(std::uint64_t ends);
    void grow();

    std::vector<Edge> edges_;
    std::vector<std::uint32_t> table_;  // number of the edge + 1, or 0
    std::size_t size_ = 0;
};

// Numbers for the n-grams of texts, equal for equal ones.
class NGramNumbers {
public:
    // Replaces `grams` (all n-1-grams of the text, or nothing when n is 1) by the n-grams.
    void lengthen(std::u16string_view text, std::size_t n, std::vector<std::uint32_t>& grams);

private:
    KeyNumbers numbers_;
};

struct GraphOptions {
    std::size_t min_n = 3, max_n = 3, window = 3;
};

// For every summary the similarities with the merged graph of the references, then with that of each:
// (1 + references) rows of value, containment, size, each the weighted mean over the ranks.
void graph_similarities(const GraphOptions& options, std::span<const std::u16string> summaries,
                        std::span<const std::u16string> references, double* out);

}  // namespace rubrica
