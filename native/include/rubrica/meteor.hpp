// METEOR's alignments for many pairs of texts; core/meteor_py.py is the definition.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace rubrica::meteor {

inline constexpr std::size_t modules = 4;
inline constexpr std::size_t columns = 4 * modules + 4 + 1;
inline constexpr std::size_t beam = 40;

// Texts whose words are numbers, with what is known about each word.
struct Texts {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> words;
    std::span<const std::uint8_t> function;
    std::span<const std::int32_t> stems;
    std::span<const std::int64_t> synset_starts;
    std::span<const std::int32_t> synsets;
    std::span<const std::int32_t> phrase_words;

    std::span<const std::int32_t> text(std::int64_t number) const {
        const auto first = static_cast<std::size_t>(starts[static_cast<std::size_t>(number)]);
        const auto last = static_cast<std::size_t>(starts[static_cast<std::size_t>(number) + 1]);
        return words.subspan(first, last - first);
    }
};

// Phrases as a tree of words with their paraphrases; no nodes where there is no table.
struct Phrases {
    std::span<const std::int32_t> first_child, node_words, first_entry, entry_starts, entry_words;
};

struct Pair {
    std::int64_t summary, reference;
};

// out[pair * columns + column]. Throws std::invalid_argument for numbers that point outside of
// their arrays, std::bad_alloc. The result does not depend on `threads`.
void statistics(const Texts& texts, const Phrases& phrases, std::span<const Pair> pairs,
                std::size_t modules_run, std::size_t threads, double* out);

}  // namespace rubrica::meteor
