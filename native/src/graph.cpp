#include "rubrica/graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "rubrica/interrupt.hpp"

namespace rubrica {
namespace {

// The upper half of the product depends on all bits of the key, the lower does not.
std::size_t scatter(std::uint64_t key) {
    return static_cast<std::size_t>((key ^ key >> 29) * 0x9E3779B97F4A7C15ULL >> 32);
}

std::uint64_t between(std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax(a, b);
    return static_cast<std::uint64_t>(low) << 32 | high;
}

}  // namespace

void NGramGraph::clear() {
    edges_.clear();
    table_.assign(std::max<std::size_t>(table_.size(), 256), 0);
    size_ = 0;
}

std::size_t NGramGraph::slot(std::uint64_t ends) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = scatter(ends) & mask;
    while (table_[at] != 0 && edges_[table_[at] - 1].ends != ends) at = (at + 1) & mask;
    return at;
}

const NGramGraph::Edge* NGramGraph::find(std::uint64_t ends) const {
    const std::uint32_t number = table_[slot(ends)];
    return number == 0 ? nullptr : &edges_[number - 1];
}

void NGramGraph::grow() {
    table_.assign(2 * table_.size(), 0);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        table_[slot(edges_[i].ends)] = static_cast<std::uint32_t>(i + 1);
    }
}

NGramGraph::Edge& NGramGraph::find_or_make(std::uint64_t ends) {
    if (2 * edges_.size() >= table_.size()) grow();
    const std::size_t at = slot(ends);
    if (table_[at] == 0) {
        if (edges_.size() >= UINT32_MAX - 1) throw std::length_error("a text has too many n-grams");
        edges_.push_back({ends, 0.0});
        table_[at] = static_cast<std::uint32_t>(edges_.size());
        size_ += edges_.back().directions();
    }
    return edges_[table_[at] - 1];
}

void NGramGraph::add(std::span<const std::uint32_t> grams, std::size_t window) {
    InterruptPoll poll;
    for (std::size_t i = 0; i < grams.size(); ++i) {
        poll.add(std::min(i, window));
        for (std::size_t j = i - std::min(i, window); j < i; ++j) {
            find_or_make(between(grams[i], grams[j])).weight += grams[i] == grams[j] ? 2.0 : 1.0;
        }
    }
}

void NGramGraph::merge(const NGramGraph& other, double rate) {
    for (const Edge& theirs : other.edges_) {
        const std::size_t known = edges_.size();
        Edge& mine = find_or_make(theirs.ends);
        if (edges_.size() > known) {
            mine.weight = theirs.weight;
        } else {
            mine.weight += (theirs.weight - mine.weight) * rate;
        }
    }
}

NGramGraph::Similarity NGramGraph::compare(const NGramGraph& a, const NGramGraph& b) {
    const bool first = a.size_ <= b.size_;
    const NGramGraph &small = first ? a : b, &large = first ? b : a;
    if (small.size_ == 0) return {};
    std::size_t found = 0;
    double sum = 0;
    for (const Edge& edge : small.edges_) {
        const Edge* other = large.find(edge.ends);
        if (other == nullptr) continue;
        const auto directions = edge.directions();
        found += directions;
        sum += static_cast<double>(directions) *
               (std::min(edge.weight, other->weight) / std::max(edge.weight, other->weight));
    }
    const auto few = static_cast<double>(small.size_), many = static_cast<double>(large.size_);
    return {sum / many, static_cast<double>(found) / few, few / many};
}

void NGramNumbers::lengthen(std::u16string_view text, std::size_t n,
                            std::vector<std::uint32_t>& grams) {
    if (n == 1) {
        grams.assign(text.begin(), text.end());
        return;
    }
    grams.resize(text.size() >= n ? text.size() - n + 1 : 0);
    for (std::size_t i = 0; i < grams.size(); ++i) {
        const std::uint16_t last = text[i + n - 1];
        // Two letters are their own number; a longer n-gram is known by what it lengthens.
        grams[i] = n == 2 ? grams[i] << 16 | last
                          : numbers_.number(static_cast<std::uint64_t>(grams[i]) << 16 | last);
    }
}

void graph_similarities(const GraphOptions& options, std::span<const std::u16string> summaries,
                        std::span<const std::u16string> references, double* out) {
    const std::size_t columns = 3, rows = summaries.size() * (1 + references.size());
    std::fill(out, out + rows * columns, 0.0);
    std::vector<std::vector<std::uint32_t>> grams(summaries.size() + references.size());
    NGramGraph summary, merged;
    std::vector<NGramGraph> graphs(references.size());
    double weight = 0, total = 0;
    for (std::size_t n = options.min_n, sum = 0; n <= options.max_n; ++n) {
        sum += n;
        total += static_cast<double>(sum);
    }
    std::size_t longest = 0;
    for (const std::u16string& text : summaries) longest = std::max(longest, text.size());
    for (const std::u16string& text : references) longest = std::max(longest, text.size());
    // Longer n-grams do not occur: all that depends on them is 0.
    for (std::size_t n = 1; n <= std::min(options.max_n, longest); ++n) {
        check_interrupt();
        // The numbers of one length continue those of the length before, so each has its own.
        NGramNumbers numbers;
        for (std::size_t t = 0; t < grams.size(); ++t) {
            const bool peer = t < summaries.size();
            numbers.lengthen(peer ? summaries[t] : references[t - summaries.size()], n, grams[t]);
        }
        if (n < options.min_n) continue;
        weight += static_cast<double>(n);
        for (std::size_t r = 0; r < references.size(); ++r) {
            graphs[r].clear();
            graphs[r].add(grams[summaries.size() + r], options.window);
        }
        // One reference is its own merged graph, and is compared once.
        const bool one = graphs.size() == 1;
        if (graphs.size() > 1) merged = graphs[0];
        for (std::size_t r = 1; r < graphs.size(); ++r) {
            merged.merge(graphs[r], 1.0 / static_cast<double>(r + 1));
        }
        double* row = out;
        const auto put = [&](const NGramGraph::Similarity& found) {
            row[0] += found.value * (weight / total);
            row[1] += found.containment * (weight / total);
            row[2] += found.size * (weight / total);
            row += columns;
        };
        for (std::size_t s = 0; s < summaries.size(); ++s) {
            summary.clear();
            summary.add(grams[s], options.window);
            if (!one) put(NGramGraph::compare(summary, merged));
            for (const NGramGraph& graph : graphs) {
                const NGramGraph::Similarity found = NGramGraph::compare(summary, graph);
                if (one) put(found);
                put(found);
            }
        }
    }
}

}  // namespace rubrica
