// Stemmers, n-gram graphs, CIDEr, soft matches and TER on random texts: no step beside a buffer, results
// as plain or within their range.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubrica/cider.hpp"
#include "rubrica/graph.hpp"
#include "rubrica/soft_matches.hpp"
#include "rubrica/stem.hpp"
#include "rubrica/ter.hpp"

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("failed: %s\n", what);
    std::exit(1);
}

void check_stems(Random& random) {
    constexpr std::string_view letters = "aeiouystlbnzd1'\x80",
                               endings[] = {"",     "ing",     "ed",  "ational", "ies", "edly",
                                            "izer", "ization", "ogi", "li",      "'s'", "s"};
    for (int i = 0; i < 2000; ++i) {
        std::string word;
        for (std::size_t n = below(random, 9); n > 0; --n)
            word += letters[below(random, letters.size())];
        word += endings[below(random, std::size(endings))];
        for (const auto name :
             {"porter-1980", "porter", "porter-nltk", "porter-rouge", "porter2", "porter2-nltk"}) {
            // Exactly as long as the word, so that the sanitizer sees a step beside
            // it.
            std::vector<char> copy(word.begin(), word.end());
            const auto chosen = rubrica::stemmer_named(name);
            if (rubrica::stem(chosen, copy.data(), copy.size()) > word.size())
                expect(false, "a stem grew");
        }
    }
}

using Plain = std::map<std::pair<std::u16string, std::u16string>, double>;

Plain plain_graph(const std::u16string& text, std::size_t n, std::size_t window) {
    Plain graph;
    for (std::size_t i = 0; i + n <= text.size(); ++i) {
        for (std::size_t j = i > window ? i - window : 0; j < i; ++j) {
            graph[{text.substr(i, n), text.substr(j, n)}] += 1;
            graph[{text.substr(j, n), text.substr(i, n)}] += 1;
        }
    }
    return graph;
}

void merge(Plain& graph, const Plain& other, double rate) {
    for (const auto& [ends, weight] : other) {
        const auto [at, fresh] = graph.emplace(ends, weight);
        if (!fresh) at->second += (weight - at->second) * rate;
    }
}

double plain_value(const Plain& a, const Plain& b) {
    double sum = 0;
    for (const auto& [ends, weight] : a) {
        const auto found = b.find(ends);
        if (found != b.end())
            sum += std::min(weight, found->second) / std::max(weight, found->second);
    }
    const std::size_t most = std::max(a.size(), b.size());
    return most == 0 ? 0 : sum / static_cast<double>(most);
}

std::u16string random_text(Random& random) {
    static constexpr std::u16string_view letters = u"aab \n\xd83d\xde00z";
    std::u16string text;
    for (std::size_t n = below(random, 60); n > 0; --n)
        text += letters[below(random, letters.size())];
    return text;
}

void check_graphs(Random& random) {
    const std::size_t n = 1 + below(random, 5), window = 1 + below(random, 4);
    const std::vector<std::u16string> summaries{random_text(random), random_text(random)};
    std::vector<std::u16string> references;
    for (std::size_t count = below(random, 4); count > 0; --count)
        references.push_back(random_text(random));
    std::vector<double> out(summaries.size() * (1 + references.size()) * 3);
    rubrica::graph_similarities({n, n, window}, summaries, references, out.data());

    std::vector<Plain> graphs(1);
    for (std::size_t r = 0; r < references.size(); ++r) {
        graphs.push_back(plain_graph(references[r], n, window));
        if (r == 0) {
            graphs[0] = graphs[1];
        } else {
            merge(graphs[0], graphs.back(), 1.0 / static_cast<double>(r + 1));
        }
    }
    const double* row = out.data();
    for (const std::u16string& summary : summaries) {
        const Plain own = plain_graph(summary, n, window);
        for (const Plain& graph : graphs) {
            expect(std::abs(plain_value(own, graph) - row[0]) < 1e-12, "value similarity");
            row += 3;
        }
    }
}

rubrica::NumberedWords random_words(Random& random, auto& numbers) {
    static constexpr std::string_view words[] = {"", "a", "b", "c", "a word of more than 16 bytes"};
    rubrica::NumberedWords out;
    for (std::size_t n = below(random, 15); n > 0; --n)
        out.push_back(numbers.number(words[below(random, std::size(words))]));
    return out;
}

void check_cider(Random& random) {
    rubrica::CiderFrequencies frequencies(1 + below(random, 4));
    for (std::size_t examples = below(random, 5); examples > 0; --examples) {
        std::vector<rubrica::NumberedWords> references;
        for (std::size_t r = below(random, 3); r > 0; --r)
            references.push_back(random_words(random, frequencies));
        frequencies.add_example(references);
    }
    frequencies.finish();
    rubrica::CiderReader reader(frequencies);
    const auto a = reader.read(random_words(random, reader));
    const auto b = reader.read(random_words(random, reader));
    const double score = rubrica::cider_similarity(a, b, 6.0);
    expect(score >= 0 && score <= 10 + 1e-9, "CIDEr lies between 0 and 10");
    expect(score <= rubrica::cider_similarity(b, b, 6.0) + 1e-9, "no text is nearer than itself");
}

void check_soft_matches(Random& random) {
    const std::size_t words = 1 + below(random, 6), size = words;
    std::vector<double> own_axis(words * size), any(words * size);
    for (std::size_t w = 0; w < words; ++w) own_axis[w * size + w] = 1 + double(below(random, 3));
    for (double& value : any) value = double(below(random, 7)) - 3;
    std::vector<std::uint8_t> all(words, 1), some(words);
    for (auto& flag : some) flag = static_cast<std::uint8_t>(below(random, 2));
    std::vector<std::int64_t> texts[2];
    for (auto& text : texts) {
        for (std::size_t n = below(random, 20); n > 0; --n)
            text.push_back(static_cast<std::int64_t>(below(random, words)));
    }
    // Words that are alike only to themselves match as often as both texts have
    // them.
    std::int64_t shared = 0;
    for (std::int64_t w = 0; w < static_cast<std::int64_t>(words); ++w)
        shared += std::min(std::count(texts[0].begin(), texts[0].end(), w),
                           std::count(texts[1].begin(), texts[1].end(), w));
    const auto exact = rubrica::soft_matches(texts[0], texts[1], 1, {size, own_axis, all}, 0.8);
    expect(exact.matches == shared, "matches of words that have an axis each");
    for (const std::size_t n : {1, 2, 3, 9}) {
        const auto found = rubrica::soft_matches(texts[0], texts[1], n, {size, any, some}, 0.1);
        expect(found.matches >= 0 && found.matches <= std::min(found.reference, found.summary),
               "more matches than n-grams");
    }
}

void check_ter(Random& random) {
    const std::size_t words = 1 + below(random, 12), longest = below(random, 4) ? 20 : 130;
    std::vector<std::int64_t> texts[2];
    for (auto& text : texts) {
        for (std::size_t n = below(random, longest); n > 0; --n)
            text.push_back(static_cast<std::int64_t>(below(random, words)));
    }
    const auto own = static_cast<std::int64_t>(texts[0].size());
    const auto other = static_cast<std::int64_t>(texts[1].size());
    const std::int64_t edits = rubrica::ter_edits(texts[0], texts[1]);
    expect(edits >= std::abs(own - other), "fewer edits than the lengths differ by");
    expect((edits == 0) == (texts[0] == texts[1]), "no edits between different texts");
    // Beyond the beam more than the longer text's words may be edited, but never more than all.
    expect(edits <= own + other, "more edits than words");
    expect(rubrica::ter_edits(texts[0], texts[0]) == 0, "edits between equal texts");
}

}  // namespace

int main(int argc, char** argv) {
    Random random(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 300;
    check_stems(random);
    for (int i = 0; i < rounds; ++i) {
        check_graphs(random);
        check_cider(random);
        check_soft_matches(random);
        check_ter(random);
    }
    std::printf("%d rounds of texts, no difference\n", rounds);
}
