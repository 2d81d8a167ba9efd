// METEOR's aligner on random texts and tables of paraphrases; run under sanitizers by
// native/check.sh. Arguments: seed, number of pairs. What must hold of any alignment is checked, and
// that threads change nothing; that it is the right one is checked against the plain twin in Python.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "rubrica/meteor.hpp"

namespace {

using Random = std::mt19937_64;
using Ints = std::vector<std::int32_t>;

std::int32_t below(Random& random, std::size_t n) {
    return static_cast<std::int32_t>(random() % n);
}

// A tree of three levels whose nodes have up to three children and two paraphrases each.
struct Table {
    Ints first_child, node_words, first_entry, entry_starts{0}, entry_words;

    Table(Random& random, std::size_t vocabulary) {
        std::vector<Ints> children(1);
        node_words.push_back(-1);
        for (std::size_t node = 0; node < children.size(); ++node) {
            const bool leaf = children.size() > 200;
            std::int32_t word = 0;
            for (std::int32_t k = leaf ? 0 : below(random, 4); k > 0; --k) {
                word += 1 + below(random, 3);
                if (static_cast<std::size_t>(word) >= vocabulary) break;
                node_words.push_back(word);
                children.emplace_back();
                children[node].push_back(static_cast<std::int32_t>(children.size() - 1));
            }
        }
        std::int32_t next = 1;
        for (const Ints& own : children) {
            first_child.push_back(next);
            next += static_cast<std::int32_t>(own.size());
            first_entry.push_back(static_cast<std::int32_t>(entry_starts.size()) - 1);
            for (std::int32_t e = below(random, 3); e > 0; --e) {
                for (std::int32_t w = 1 + below(random, 3); w > 0; --w) {
                    entry_words.push_back(below(random, vocabulary));
                }
                entry_starts.push_back(static_cast<std::int32_t>(entry_words.size()));
            }
        }
        first_child.push_back(next);
        first_entry.push_back(static_cast<std::int32_t>(entry_starts.size()) - 1);
    }

    rubrica::meteor::Phrases get() const {
        return {first_child, node_words, first_entry, entry_starts, entry_words};
    }
};

void fail(const char* what) {
    std::fprintf(stderr, "METEOR: %s\n", what);
    std::exit(1);
}

void check(Random& random) {
    constexpr std::size_t lengths[] = {0, 1, 7, 63, 64, 65, 129, 200};
    const std::size_t vocabulary = 2 + static_cast<std::size_t>(below(random, 40));
    std::vector<std::int64_t> starts{0}, synset_starts{0};
    Ints words, stems, synsets, phrase_words;
    std::vector<std::uint8_t> function;
    for (std::size_t word = 0; word < vocabulary; ++word) {
        stems.push_back(below(random, vocabulary));
        function.push_back(static_cast<std::uint8_t>(below(random, 2)));
        phrase_words.push_back(below(random, vocabulary + 1) - 1);
        for (std::int32_t s = below(random, 4); s > 0; --s) synsets.push_back(below(random, 50));
        synset_starts.push_back(static_cast<std::int64_t>(synsets.size()));
    }
    for (int text = 0; text < 6; ++text) {
        const std::size_t length =
            lengths[static_cast<std::size_t>(below(random, std::size(lengths)))];
        for (std::size_t i = 0; i < length; ++i) words.push_back(below(random, vocabulary));
        starts.push_back(static_cast<std::int64_t>(words.size()));
    }
    const Table table(random, vocabulary);
    const rubrica::meteor::Texts texts{starts,        words,   function,    stems,
                                       synset_starts, synsets, phrase_words};
    std::vector<rubrica::meteor::Pair> pairs;
    for (std::int64_t a = 0; a < 6; ++a) {
        for (std::int64_t b = 0; b < 6; ++b) pairs.push_back({a, b});
    }
    constexpr std::size_t columns = rubrica::meteor::columns;
    for (std::size_t modules = 1; modules <= 4; ++modules) {
        std::vector<double> one(pairs.size() * columns), many(one.size());
        rubrica::meteor::statistics(texts, table.get(), pairs, modules, 1, one.data());
        rubrica::meteor::statistics(texts, table.get(), pairs, modules, 4, many.data());
        if (one != many) fail("threads change the result");
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            const double* row = one.data() + p * columns;
            double matched = 0;
            for (std::size_t kind = 0; kind < 4; ++kind) {
                double own = 0;
                for (std::size_t m = 0; m < 4; ++m) own += row[4 * m + kind];
                if (own > row[16 + kind]) fail("more words matched than there are");
                matched += own;
            }
            if (row[columns - 1] > matched) fail("more chunks than matched words");
            if (pairs[p].summary == pairs[p].reference && matched != 2 * (row[16] + row[17])) {
                fail("a text does not match itself");
            }
        }
    }
}

}  // namespace

int main(int count, char** words) {
    Random random(count > 1 ? std::strtoull(words[1], nullptr, 10) : 1);
    const int rounds = count > 2 ? std::atoi(words[2]) : 40;
    for (int round = 0; round < rounds; ++round) check(random);
    std::printf("METEOR: %d rounds\n", rounds);
}
