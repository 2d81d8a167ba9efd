#include "rubrica/meteor_align.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace rubrica::meteor {
namespace {

std::int64_t distance(const Match& match) {
    return std::abs(static_cast<std::int64_t>(match.start2) - static_cast<std::int64_t>(match.start1));
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

bool Search::free(const std::uint64_t* bits, const Match& match) const {
    std::uint64_t taken = 0;
    each_mask(match.start1, match.length1, [&](std::size_t w, std::uint64_t m) { taken |= bits[w] & m; });
    each_mask(match.start2, match.length2,
              [&](std::size_t w, std::uint64_t m) { taken |= bits[width1_ + w] & m; });
    return taken == 0;
}

void Search::mark(std::uint64_t* bits, const Match& match) const {
    each_mask(match.start1, match.length1, [&](std::size_t w, std::uint64_t m) { bits[w] |= m; });
    each_mask(match.start2, match.length2,
              [&](std::size_t w, std::uint64_t m) { bits[width1_ + w] |= m; });
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
    const bool exact = match.module == 0;
    state.matched1 += exact ? match.length1 : match.length1 / 2;
    state.matched2 += exact ? match.length2 : match.length2 / 2;
    if (state.last != -1 && state.last != static_cast<std::int64_t>(match.start1)) ++state.chunks;
    state.index = match.start2 + match.length2;
    state.last = static_cast<std::int64_t>(match.start1) + match.length1;
    links_.push_back({match, state.chosen});
    state.chosen = static_cast<std::uint32_t>(links_.size() - 1);
}

Search::State& Search::append(Level& after, const State& state, const std::uint64_t* bits) {
    const std::size_t row = after.states.size();
    after.bits.insert(after.bits.end(), bits, bits + width_);
    after.states.push_back(state);
    after.states.back().bits = static_cast<std::uint32_t>(row);
    return after.states.back();
}

// The best states first, ties in the order they came; only as many as the beam holds.
void Search::sort(Level& level) {
    order_.resize(level.states.size());
    std::iota(order_.begin(), order_.end(), 0U);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        const State &x = level.states[a], &y = level.states[b];
        const std::int64_t matched_x = x.matched1 + x.matched2, matched_y = y.matched1 + y.matched2;
        if (matched_x != matched_y) return matched_x > matched_y;
        return std::tie(x.chunks, x.distance, a) < std::tie(y.chunks, y.distance, b);
    };
    const std::size_t kept = std::min(beam, order_.size());
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(kept),
                      order_.end(), before);
    order_.resize(kept);
}

void Search::advance(const Level& now, const State& from, std::size_t current, std::size_t words2,
                     const Matches& found, Level& after) {
    const std::uint64_t* bits = now.bits.data() + from.bits * width_;
    State state = from;
    if (current == words2) {
        state.chunks += state.last != -1;
        append(after, state, bits);
        return;
    }
    if (bits[width1_ + current / 64] >> (current % 64) & 1) {
        if (current >= state.index) {
            const Match* match = fixed_[state.index];
            if (match == nullptr) return;
            take(state, *match);
            state.distance += distance(*match);
        }
        append(after, state, bits);
        return;
    }
    for (const Match& match : found.at(current)) {
        if (!free(bits, match)) continue;
        State& child = append(after, state, bits);
        mark(after.bits.data() + child.bits * width_, match);
        take(child, match);
        // The states after this one bear its distance, and it does not: so it is in METEOR 1.5.
        state.distance += distance(match);
    }
    if (state.last != -1) {
        ++state.chunks;
        state.last = -1;
    }
    ++state.index;
    append(after, state, bits);
}

std::span<const Match> Search::run(const Matches& found, std::size_t words1, std::size_t words2) {
    width1_ = (words1 + 63) / 64;
    width_ = width1_ + (words2 + 63) / 64;
    certain(found, words1, words2);
    links_.clear();
    Level *now = &levels_[0], *after = &levels_[1];
    now->states.assign(1, State{});
    now->bits.assign(width_, 0);
    for (const Match* match : fixed_) {
        if (match != nullptr) mark(now->bits.data(), *match);
    }
    for (std::size_t current = 0; current <= words2; ++current) {
        sort(*now);
        after->states.clear();
        after->bits.clear();
        for (const std::uint32_t number : order_) {
            advance(*now, now->states[number], current, words2, found, *after);
        }
        if (after->states.empty()) {
            append(*after, now->states[order_[0]], now->bits.data() + now->states[order_[0]].bits * width_);
        }
        std::swap(now, after);
    }
    sort(*now);
    result_.clear();
    for (std::uint32_t at = now->states[order_[0]].chosen; at != none; at = links_[at].before) {
        result_.push_back(links_[at].match);
    }
    std::ranges::reverse(result_);
    return result_;
}

}  // namespace rubrica::meteor
