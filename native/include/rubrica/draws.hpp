// The random draws of meta-evaluation: how often each thing is drawn, and which cells are exchanged.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rubrica {

// counts[round * size + thing]: `size` draws with replacement, those numbered from `start` on.
void bootstrap_counts(std::size_t size, std::size_t first, std::size_t rounds, std::uint64_t seed,
                      std::size_t start, std::int32_t* counts);

enum class SwapScheme { systems, inputs, cells, rows_columns };

// swaps[(round * systems + system) * inputs + input], 1 with probability 1/2. Draws give 64 coins
// each, lowest bit first.
void swap_masks(std::size_t systems, std::size_t inputs, SwapScheme scheme, std::size_t first,
                std::size_t rounds, std::uint64_t seed, std::uint8_t* swaps);

}  // namespace rubrica
