#include "rubrica/draws.hpp"

#include <algorithm>
#include <vector>

#include "rubrica/interrupt.hpp"
#include "rubrica/random.hpp"

namespace rubrica {
namespace {

std::uint64_t draw(std::uint64_t key, std::uint64_t index) { return mix64(key ^ mix64(index)); }

void coins(std::uint64_t key, std::size_t start, std::size_t count, std::uint8_t* out) {
    for (std::size_t at = 0; at < count; at += 64) {
        std::uint64_t bits = draw(key, start + at / 64);
        const std::size_t end = std::min<std::size_t>(count, at + 64);
        for (std::size_t i = at; i < end; ++i, bits >>= 1) out[i] = bits & 1;
    }
}

}  // namespace

void bootstrap_counts(std::size_t size, std::size_t first, std::size_t rounds, std::uint64_t seed,
                      std::size_t start, std::int32_t* counts) {
    std::fill(counts, counts + rounds * size, 0);
    const auto scale = static_cast<double>(size);
    for (std::size_t round = 0; round < rounds; ++round) {
        check_interrupt();
        const std::uint64_t key = stream_key(seed, first + round);
        std::int32_t* drawn = counts + round * size;
        for (std::size_t i = 0; i < size; ++i) {
            ++drawn[place(uniform(key, start + i), scale)];
        }
    }
}

void swap_masks(std::size_t systems, std::size_t inputs, SwapScheme scheme, std::size_t first,
                std::size_t rounds, std::uint64_t seed, std::uint8_t* swaps) {
    if (rounds == 0) return;
    std::vector<std::uint8_t> rows(systems, 0), columns(inputs, 0);
    for (std::size_t round = 0; round < rounds; ++round) {
        check_interrupt();
        const std::uint64_t key = stream_key(seed, first + round);
        std::uint8_t* out = swaps + round * systems * inputs;
        if (scheme == SwapScheme::cells) {
            coins(key, 0, systems * inputs, out);
            continue;
        }
        if (scheme != SwapScheme::inputs) coins(key, 0, systems, rows.data());
        if (scheme != SwapScheme::systems) coins(key, (systems + 63) / 64, inputs, columns.data());
        for (std::size_t i = 0; i < systems; ++i) {
            for (std::size_t j = 0; j < inputs; ++j) *out++ = rows[i] ^ columns[j];
        }
    }
}

}  // namespace rubrica
