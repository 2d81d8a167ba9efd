// One counter-based random generator: a draw depends on (seed, round, index) alone, so results
// are the same whatever the number of threads or the order of work.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rubrica {

// The finalizer of SplitMix64: a bijection on 64 bits that scatters consecutive inputs.
inline std::uint64_t mix64(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// The stream of one resampling round.
inline std::uint64_t stream_key(std::uint64_t seed, std::uint64_t round) {
    return mix64(mix64(seed) ^ round);
}

// Uniform in [0, 1) with 53 bits. (Converted as a signed number, which every machine does quickly.)
inline double uniform_mixed(std::uint64_t key, std::uint64_t mixed_index) {
    const auto bits = static_cast<std::int64_t>(mix64(key ^ mixed_index) >> 11);
    return static_cast<double>(bits) * 0x1.0p-53;
}

inline double uniform(std::uint64_t key, std::uint64_t index) {
    return uniform_mixed(key, mix64(index));
}

// The place among `scale` that a uniform number falls on.
inline std::size_t place(double uniform, double scale) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(uniform * scale));
}

}  // namespace rubrica
