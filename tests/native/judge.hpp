// One pair of texts through the kernels and through the plain definitions; stops at a difference.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "naive.hpp"
#include "rubrica/rouge.hpp"

inline void expect(double found, double wanted, const char* what) {
    if (found == wanted) return;
    std::fprintf(stderr, "%s: %.17g, should be %.17g\n", what, found, wanted);
    std::abort();
}

inline rubrica::RougeOptions every_measure() {
    rubrica::RougeOptions options;
    options.newline_units = true;
    options.ngrams = {1, 2, 3, 9};
    options.lcs = options.lcs_union = true;
    options.wlcs_weight = 1.2;
    options.skip_gaps = {rubrica::Gap{4}, rubrica::Gap{}};
    options.skip_unigram_gaps = {rubrica::Gap{0}, rubrica::Gap{}};
    return options;
}

inline std::vector<double> kernel_counts(const rubrica::RougeOptions& options,
                                         std::string_view summary, std::string_view reference,
                                         std::size_t threads = 1) {
    const rubrica::RawText left{{&summary, 1}, {}, true}, right{{&reference, 1}, {}, true};
    const rubrica::RawText texts[] = {left, right};
    // Each against each: the other pairs must not disturb the first.
    const rubrica::Pair pairs[] = {{0, 1}, {1, 0}, {0, 0}, {0, 1}};
    std::vector<double> out(std::size(pairs) * options.measures() * 3, -1);
    rubrica::rouge_counts(options, nullptr, texts, texts, pairs, threads, out.data());
    const std::size_t width = options.measures() * 3;
    for (std::size_t k = 0; k < width; ++k) expect(out[3 * width + k], out[k], "repeated pair");
    out.resize(width);
    return out;
}

inline void judge(std::string_view summary, std::string_view reference) {
    const rubrica::RougeOptions options = every_measure();
    const std::vector<double> out = kernel_counts(options, summary, reference);
    const naive::Text p = naive::read(summary, true), m = naive::read(reference, true);
    const naive::Unit words = naive::whole(p), wanted = naive::whole(m);
    const double* next = out.data();
    for (const std::size_t n : options.ngrams) {
        const auto a = naive::ngrams(words, n), b = naive::ngrams(wanted, n);
        expect(*next, static_cast<double>(naive::clipped(a, b)), "n-gram hits");
        next += 3;
    }
    std::vector<char> marks(wanted.size(), 0);
    naive::mark(wanted, words, 1, marks);
    expect(*next, static_cast<double>(std::count(marks.begin(), marks.end(), 1)), "LCS");
    next += 3;
    for (const double weight : {1.0, 1.2}) {
        const auto [hits, base] = naive::union_hits(m, p, weight);
        expect(next[0], hits, "union hits");
        expect(next[1], base, "union base");
        next += 3;
    }
    constexpr std::size_t any = SIZE_MAX;
    for (const auto& [gap, unigrams] :
         {std::pair{std::size_t{4}, false}, {any, false}, {std::size_t{0}, true}, {any, true}}) {
        const auto a = naive::skips(words, gap, unigrams), b = naive::skips(wanted, gap, unigrams);
        double total = 0;
        for (const auto& [key, count] : b) total += static_cast<double>(count);
        expect(next[0], static_cast<double>(naive::clipped(a, b)), "skip-bigram hits");
        expect(next[1], total, "skip-bigrams of the reference");
        next += 3;
    }
}
