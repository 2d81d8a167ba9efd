#include "rubrica/meteor_align.hpp"

#include <algorithm>
#include <cstdlib>

namespace rubrica::meteor {
namespace {

std::int64_t distance(const Match& match) {
    return std::abs(static_cast<std::int64_t>(match.start2) -
                    static_cast<std::int64_t>(match.start1));
}

// Calls see(word, mask) for the 64-bit words that hold bits [first, first + count).
template <class See>
void each_mask(std::size_t first, std::size_t count, See see) {
    while (count > 0) {
        const std::size_t at = first % 64, here = std::min<std::size_t>(64 - at, count);
        const std::uint64_t ones = here == 64 ? ~0ULL : (1ULL << here) - 1;
        see(first / 64, ones << at);
        first += here;
        count -= here;
    }
}

}  // namespace

bool Search::free(std::uint32_t row, const Match& match) {
    const std::uint64_t* used = bits(row);
    std::uint64_t taken = 0;
    each_mask(match.start1, match.length1,
              [&](std::size_t w, std::uint64_t m) { taken |= used[w] & m; });
    each_mask(match.start2, match.length2,
              [&](std::size_t w, std::uint64_t m) { taken |= used[width1_ + w] & m; });
    return taken == 0;
}

void Search::mark(std::uint64_t* used, const Match& match) const {
    each_mask(match.start1, match.length1, [&](std::size_t w, std::uint64_t m) { used[w] |= m; });
    each_mask(match.start2, match.length2,
              [&](std::size_t w, std::uint64_t m) { used[width1_ + w] |= m; });
}

void Search::certain(const Matches& found, std::size_t words1, std::size_t words2) {
    covered1_.assign(words1, 0);
    covered2_.assign(words2, 0);
    fixed_.assign(words2, nullptr);
    for (std::size_t j = 0; j < words2; ++j) {
        for (const Match& match : found.at(j)) {
            for (std::size_t k = 0; k < match.length1; ++k) ++covered1_[match.start1 + k];
            for (std::size_t k = 0; k < match.length2; ++k) ++covered2_[match.start2 + k];
        }
    }
    for (std::size_t j = 0; j < words2; ++j) {
        if (found.at(j).size() != 1) continue;
        const Match& match = found.at(j)[0];
        bool alone = true;
        for (std::size_t k = 0; k < match.length1; ++k) alone &= covered1_[match.start1 + k] == 1;
        for (std::size_t k = 0; k < match.length2; ++k) alone &= covered2_[match.start2 + k] == 1;
        if (alone) fixed_[j] = &match;
    }
}

void Search::take(State& state, const Match& match) {
    // The sums are integers, cut after each addition: what a module other than the first matches
    // counts half.
    state.matched +=
        match.module == 0 ? match.length1 + match.length2 : match.length1 / 2 + match.length2 / 2;
    if (state.last != -1 && state.last != static_cast<std::int64_t>(match.start1)) ++state.chunks;
    state.index = match.start2 + match.length2;
    state.last = static_cast<std::int64_t>(match.start1) + match.length1;
    state.taken = &match;
}

// The best states first, ties in the order they came; only as many as the beam holds.
void Search::sort() {
    order_.clear();
    for (std::uint32_t number = 0; number < now_.size(); ++number) {
        const State& state = now_[number];
        // Texts have fewer than 2^31 words, so chunks stay below the matches.
        order_.push_back(
            {state.chunks - state.matched * (std::int64_t{1} << 31), state.distance, number});
    }
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(std::min(beam, order_.size()));
    if (end != order_.end()) {
        std::nth_element(order_.begin(), end, order_.end());
        order_.erase(end, order_.end());
    }
    std::sort(order_.begin(), order_.end());
}

// The states that the beam holds, in their order, each with a row of bits and its links: only they
// get them, for most states never come so far.
void Search::settle() {
    sort();
    std::swap(bits_, bits_before_);
    bits_.resize(order_.size() * width_);
    after_.clear();
    for (const Rank& rank : order_) {
        State state = now_[rank.state];
        const auto row = static_cast<std::uint32_t>(after_.size());
        std::copy_n(bits_before_.data() + state.bits * width_, width_, bits(row));
        state.bits = row;
        if (state.taken != nullptr) {
            mark(bits(row), *state.taken);
            links_.push_back({*state.taken, state.chosen});
            state.chosen = static_cast<std::uint32_t>(links_.size() - 1);
            state.taken = nullptr;
        }
        after_.push_back(state);
    }
    std::swap(now_, after_);
}

// What a state becomes at word `current` of the reference, appended to after_.
void Search::advance(State state, std::size_t current, const Matches& found) {
    if (bits(state.bits)[width1_ + current / 64] >> (current % 64) & 1) {
        if (current >= state.index) {
            const Match* match = fixed_[current];
            if (match == nullptr) return;
            take(state, *match);
            state.distance += distance(*match);
        }
        after_.push_back(state);
        return;
    }
    for (const Match& match : found.at(current)) {
        if (!free(state.bits, match)) continue;
        State child = state;
        take(child, match);
        after_.push_back(child);
        // The states after this one bear its distance, and it does not: so it is in METEOR 1.5.
        state.distance += distance(match);
    }
    if (state.last != -1) {
        ++state.chunks;
        state.last = -1;
    }
    state.index = static_cast<std::uint32_t>(current + 1);
    after_.push_back(state);
}

std::span<const Match> Search::run(const Matches& found, std::size_t words1, std::size_t words2) {
    width1_ = (words1 + 63) / 64;
    width_ = width1_ + (words2 + 63) / 64;
    certain(found, words1, words2);
    links_.clear();
    now_.assign(1, State{});
    bits_.assign(width_, 0);
    for (const Match* match : fixed_) {
        if (match != nullptr) mark(bits(0), *match);
    }
    for (std::size_t current = 0; current < words2; ++current) {
        // A word that nothing matches changes no state in which the word before is not matched
        // either, nor their order.
        const auto open = [](const State& state) { return state.last != -1; };
        if (covered2_[current] == 0 && std::ranges::none_of(now_, open)) continue;
        settle();
        after_.clear();
        for (const State& state : now_) advance(state, current, found);
        if (after_.empty()) {
            now_.resize(1);
        } else {
            std::swap(now_, after_);
        }
    }
    // After the last word open chunks are closed, in the states that the beam holds.
    settle();
    for (State& state : now_) state.chunks += state.last != -1;
    sort();
    result_.clear();
    for (std::uint32_t at = now_[order_[0].state].chosen; at != none; at = links_[at].before) {
        result_.push_back(links_[at].match);
    }
    std::ranges::reverse(result_);
    return result_;
}

}  // namespace rubrica::meteor
