// One pair of texts: all matches, and the beam search for those that make up the alignment.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rubrica/meteor.hpp"

namespace rubrica::meteor {

// Words [start, start + length) of the reference (2) and of the summary (1).
struct Match {
    std::uint32_t start2, length2, start1, length1, module;
};

// Matches that start at one word of the reference and have the same module and lengths, in the
// order of their places in the summary: bits of 64-bit words, those without any left out. A text
// that repeats a word has very many of them.
struct Run {
    std::uint32_t module, length2, length1;
    std::uint32_t last;           // the greatest place
    std::uint32_t first, places;  // into what Starting holds
};

struct Places {
    std::uint32_t word;
    std::uint64_t bits;
};

// The matches of one word of the reference, in the order of their modules.
class Starting {
public:
    void clear();
    void add(std::uint32_t module, std::uint32_t length2, std::uint32_t start1,
             std::uint32_t length1);
    std::size_t count() const { return count_; }
    std::span<const Run> runs() const { return runs_; }
    std::span<const Places> places(const Run& run) const {
        return std::span(places_).subspan(run.first, run.places);
    }

private:
    std::vector<Run> runs_;
    std::vector<Places> places_;
    std::size_t count_ = 0;
};

// Matches by the word of the reference they start at.
class Matches {
public:
    void clear(std::size_t words2);
    void add(const Match& match) {
        by_start_[match.start2].add(match.module, match.length2, match.start1, match.length1);
    }
    void copy(std::size_t from, std::size_t start2) { by_start_[start2] = by_start_[from]; }
    const Starting& at(std::size_t start2) const { return by_start_[start2]; }
    std::size_t size() const { return size_; }

private:
    std::vector<Starting> by_start_;
    std::size_t size_ = 0;
};

// Finds matches; keeps its memory from pair to pair.
class Matcher {
public:
    Matcher(const Texts& texts, const Phrases& phrases);
    void find(std::span<const std::int32_t> words1, std::span<const std::int32_t> words2,
              std::size_t modules_run, Matches& found);

private:
    // Places of a text by a key (word, stem, synset, word of the phrase table), in rising order.
    struct Index {
        std::vector<std::uint32_t> head, next, place;
        std::vector<std::uint32_t> touched;
        void add(std::uint32_t key, std::uint32_t at);
        void clear();
    };

    void paraphrases(std::span<const std::int32_t> words, std::span<const std::int32_t> others,
                     bool from_reference, Matches& found);

    const Texts& texts_;
    const Phrases& phrases_;
    Index index_;
    std::vector<std::uint32_t> first_, hits_;
};

// The search; keeps its memory from pair to pair.
class Search {
public:
    // The matches of the best alignment, by their place in the reference.
    std::span<const Match> run(const Matches& found, std::size_t words1, std::size_t words2);

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct State {
        std::int64_t matched = 0, chunks = 0, last = -1, distance = 0;
        std::uint32_t index = 0;       // the end of its last match or skipped word in the reference
        std::uint32_t chosen = none;   // into links_
        std::uint32_t bits = 0;        // its words in use: a row of bits_
        Match taken{};                 // since then, if any; not in the links and bits yet
    };
    struct Link {
        Match match;
        std::uint32_t before;
    };
    // What states are sorted by: more matches, fewer chunks (both in `cost`), less distance, and
    // the order they came in.
    struct Rank {
        std::int64_t cost, distance;
        std::uint32_t state;
        bool operator<(const Rank& other) const {
            if (cost != other.cost) return cost < other.cost;
            return distance != other.distance ? distance < other.distance : state < other.state;
        }
    };

    void certain(const Matches& found, std::size_t words1, std::size_t words2);
    void sort();
    void settle();
    void advance(State state, std::size_t current, const Matches& found);
    void expand(State& state, std::uint32_t current, const Run& run, std::span<const Places> all);
    static void take(State& state, const Match& match);
    std::uint64_t* bits(std::uint32_t row) { return bits_.data() + row * width_; }
    std::uint64_t taken(const std::uint64_t* used, std::size_t word, std::size_t length) const;
    void mark(std::uint64_t* used, const Match& match) const;

    std::size_t width1_ = 0, width_ = 0;  // 64-bit words for the summary's bits, and for both
    std::vector<Match> fixed_;         // by the word of the reference; of length 0 where none is
    std::vector<std::uint32_t> room_;  // by gain: how many children can still come into the beam
    std::vector<std::uint32_t> covered1_, covered2_;
    std::vector<Link> links_;
    std::vector<Match> result_;
    std::vector<Rank> order_;
    std::vector<State> now_, after_;
    std::vector<std::uint64_t> bits_, bits_before_;
};

}  // namespace rubrica::meteor
