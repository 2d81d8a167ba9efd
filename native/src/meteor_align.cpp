#include "rubrica/meteor_align.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "rubrica/bits.hpp"
#include "rubrica/interrupt.hpp"

namespace rubrica::meteor {
namespace {

std::int64_t distance(std::size_t start2, std::size_t start1) {
    return std::abs(static_cast<std::int64_t>(start2) - static_cast<std::int64_t>(start1));
}

// The sum of the numbers of the bits that are set.
std::int64_t sum_of_bits(std::uint64_t bits) {
    constexpr std::uint64_t with[] = {0xAAAAAAAAAAAAAAAAull, 0xCCCCCCCCCCCCCCCCull,
                                      0xF0F0F0F0F0F0F0F0ull, 0xFF00FF00FF00FF00ull,
                                      0xFFFF0000FFFF0000ull, 0xFFFFFFFF00000000ull};
    std::int64_t sum = 0;
    for (int power = 0; power < 6; ++power) {
        sum += static_cast<std::int64_t>(std::popcount(bits & with[power])) << power;
    }
    return sum;
}

// The distances of all these places from a place in the reference.
std::int64_t distances(std::size_t start2, const Places& places) {
    // Where the place would be among the bits.
    const std::int64_t from =
        static_cast<std::int64_t>(start2) - static_cast<std::int64_t>(places.word) * 64;
    const auto signed_sum = [&](std::uint64_t bits) {
        return from * std::popcount(bits) - sum_of_bits(bits);
    };
    if (from >= 64) return signed_sum(places.bits);
    if (from <= 0) return -signed_sum(places.bits);
    const std::uint64_t before = places.bits & low_bits(static_cast<std::size_t>(from));
    return signed_sum(before) - signed_sum(places.bits & ~before);
}

// The place of the lowest bit of a 64-bit word.
std::size_t start_of(std::size_t word, std::uint64_t bits) {
    return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
}

// What a match adds to a state's sum: integers, cut after each addition, in which what a module
// other than the first matches counts half.
std::size_t gain(std::size_t module, std::size_t length1, std::size_t length2) {
    return module == 0 ? length1 + length2 : length1 / 2 + length2 / 2;
}

// Calls see(word, mask) for the 64-bit words that hold bits [first, first + count).
template <class See>
void each_mask(std::size_t first, std::size_t count, See see) {
    while (count > 0) {
        const std::size_t at = first % 64, here = std::min<std::size_t>(64 - at, count);
        see(first / 64, low_bits(here) << at);
        first += here;
        count -= here;
    }
}

}  // namespace

// Bits of the places in one 64-bit word at which a phrase of some length would meet a word of the
// summary in use.
std::uint64_t Search::taken(const std::uint64_t* used, std::size_t word, std::size_t length) const {
    std::uint64_t met = used[word];
    for (std::size_t k = 1; k < length; ++k) {
        const std::size_t at = word + k / 64, shift = k % 64;
        if (at < width1_) met |= used[at] >> shift;
        if (shift != 0 && at + 1 < width1_) met |= used[at + 1] << (64 - shift);
    }
    return met;
}

void Search::mark(std::uint64_t* used, const Match& match) const {
    each_mask(match.start1, match.length1, [&](std::size_t w, std::uint64_t m) { used[w] |= m; });
    each_mask(match.start2, match.length2,
              [&](std::size_t w, std::uint64_t m) { used[width1_ + w] |= m; });
}

void Search::certain(const Matches& found, std::size_t words1, std::size_t words2) {
    covered1_.assign(words1, 0);
    covered2_.assign(words2, 0);
    fixed_.assign(words2, Match{});
    InterruptPoll poll;
    for (std::size_t j = 0; j < words2; ++j) {
        for (const Run& run : found.at(j).runs()) {
            std::uint32_t count = 0;
            for (const Places& places : found.at(j).places(run)) {
                for (std::uint64_t left = places.bits; left != 0; left &= left - 1, ++count) {
                    const std::size_t start1 = start_of(places.word, left);
                    for (std::size_t k = 0; k < run.length1; ++k) ++covered1_[start1 + k];
                }
            }
            for (std::size_t k = 0; k < run.length2; ++k) covered2_[j + k] += count;
            poll.add(count);
        }
    }
    for (std::uint32_t j = 0; j < words2; ++j) {
        if (found.at(j).count() != 1) continue;
        const Run& run = found.at(j).runs()[0];
        bool alone = true;
        for (std::size_t k = 0; k < run.length1; ++k) alone &= covered1_[run.last + k] == 1;
        for (std::size_t k = 0; k < run.length2; ++k) alone &= covered2_[j + k] == 1;
        if (alone) fixed_[j] = {j, run.length2, run.last, run.length1, run.module};
    }
}

void Search::take(State& state, const Match& match) {
    state.matched += static_cast<std::int64_t>(gain(match.module, match.length1, match.length2));
    if (state.last != -1 && state.last != static_cast<std::int64_t>(match.start1)) ++state.chunks;
    state.index = match.start2 + match.length2;
    state.last = static_cast<std::int64_t>(match.start1) + match.length1;
    state.taken = match;
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
        if (state.taken.length2 > 0) {
            mark(bits(row), state.taken);
            links_.push_back({state.taken, state.chosen});
            state.chosen = static_cast<std::uint32_t>(links_.size() - 1);
            state.taken = Match{};
        }
        after_.push_back(state);
    }
    std::swap(now_, after_);
}

// The children of a state by the matches of a run. The states after a child bear the distance of
// its match, and it does not: so it is in METEOR 1.5. Of children with the same matches and chunks
// a later one therefore ranks behind all earlier ones, and where those fill the beam it need not
// be made: only a child that goes on with the chunk can still come before them.
// The words of the reference are free: the first of them is, and among the others only certain
// matches could be in use, whose words no other match covers.
void Search::expand(State& state, std::uint32_t current, const Run& run,
                    std::span<const Places> all) {
    const std::uint64_t* used = bits(state.bits);
    const std::size_t own = gain(run.module, run.length1, run.length2);
    if (own >= room_.size()) room_.resize(own + 1, beam);
    std::uint32_t& room = room_[own];
    const auto child = [&](std::uint64_t left, std::uint32_t word) {
        const auto start1 = static_cast<std::uint32_t>(start_of(word, left));
        after_.push_back(state);
        take(after_.back(), {current, run.length2, start1, run.length1, run.module});
    };
    for (const Places& places : all) {
        std::uint64_t left = places.bits & ~taken(used, places.word, run.length1);
        for (; left != 0 && room > 0; left &= left - 1, --room) {
            child(left, places.word);
            state.distance += distance(current, start_of(places.word, left));
        }
        if (left == 0) continue;
        if (state.last != -1 && static_cast<std::uint64_t>(state.last) / 64 == places.word) {
            const auto at = static_cast<std::size_t>(state.last % 64);
            if (left >> at & 1) {
                const std::uint64_t before = left & low_bits(at);
                state.distance += distances(current, {places.word, before});
                left ^= before;
                child(left, places.word);
            }
        }
        state.distance += distances(current, {places.word, left});
    }
}

// What a state becomes at word `current` of the reference, appended to after_.
void Search::advance(State state, std::size_t current, const Matches& found) {
    if (bits(state.bits)[width1_ + current / 64] >> (current % 64) & 1) {
        if (current >= state.index) {
            const Match& match = fixed_[current];
            if (match.length2 == 0) return;
            take(state, match);
            state.distance += distance(match.start2, match.start1);
        }
        after_.push_back(state);
        return;
    }
    room_.assign(room_.size(), beam);
    const Starting& starting = found.at(current);
    for (const Run& run : starting.runs()) {
        expand(state, static_cast<std::uint32_t>(current), run, starting.places(run));
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
    for (const Match& match : fixed_) mark(bits(0), match);
    InterruptPoll poll;
    for (std::size_t current = 0; current < words2; ++current) {
        // A word that nothing matches changes no state in which the word before is not matched
        // either, nor their order.
        const auto open = [](const State& state) { return state.last != -1; };
        if (covered2_[current] == 0 && std::ranges::none_of(now_, open)) continue;
        settle();
        after_.clear();
        for (const State& state : now_) {
            poll.add(width_);
            advance(state, current, found);
        }
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
