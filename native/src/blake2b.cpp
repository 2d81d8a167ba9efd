#include "rubrica/blake2b.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace rubrica {

namespace {

using Words = std::array<std::uint64_t, 8>;

constexpr Words kInitial = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

std::uint64_t little_endian(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&word, bytes, 8);
    } else {
        for (int at = 7; at >= 0; --at) word = (word << 8) | bytes[at];
    }
    return word;
}

inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d, std::uint64_t x,
         std::uint64_t y) {
    a += b + x;
    d = std::rotr(d ^ a, 32);
    c += d;
    b = std::rotr(b ^ c, 24);
    a += b + y;
    d = std::rotr(d ^ a, 16);
    c += d;
    b = std::rotr(b ^ c, 63);
}

// One round; its parameters say which words of the block it mixes in, and in which order.
template <int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int n,
          int o, int p, int q>
inline void mix_round(std::uint64_t (&v)[16], const std::uint64_t (&m)[16]) {
    mix(v[0], v[4], v[8], v[12], m[a], m[b]);
    mix(v[1], v[5], v[9], v[13], m[c], m[d]);
    mix(v[2], v[6], v[10], v[14], m[e], m[f]);
    mix(v[3], v[7], v[11], v[15], m[g], m[h]);
    mix(v[0], v[5], v[10], v[15], m[i], m[j]);
    mix(v[1], v[6], v[11], v[12], m[k], m[l]);
    mix(v[2], v[7], v[8], v[13], m[n], m[o]);
    mix(v[3], v[4], v[9], v[14], m[p], m[q]);
}

void compress(Words& state, const std::uint8_t* block, std::uint64_t counted, bool last) {
    std::uint64_t m[16], v[16];
    for (int at = 0; at < 16; ++at) m[at] = little_endian(block + 8 * at);
    for (int at = 0; at < 8; ++at) {
        v[at] = state[at];
        v[at + 8] = kInitial[at];
    }
    v[12] ^= counted;
    if (last) v[14] = ~v[14];
    mix_round<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>(v, m);
    mix_round<14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3>(v, m);
    mix_round<11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4>(v, m);
    mix_round<7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8>(v, m);
    mix_round<9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13>(v, m);
    mix_round<2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9>(v, m);
    mix_round<12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11>(v, m);
    mix_round<13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10>(v, m);
    mix_round<6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5>(v, m);
    mix_round<10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0>(v, m);
    mix_round<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>(v, m);
    mix_round<14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3>(v, m);
    for (int at = 0; at < 8; ++at) state[at] ^= v[at] ^ v[at + 8];
}

}  // namespace

void blake2b(std::span<const std::uint8_t> data, std::span<std::uint8_t> out) {
    Words state = kInitial;
    state[0] ^= 0x01010000 ^ out.size();
    std::uint64_t counted = 0;
    while (data.size() > 128) {
        counted += 128;
        compress(state, data.data(), counted, false);
        data = data.subspan(128);
    }
    std::uint8_t rest[128] = {};
    if (!data.empty()) std::memcpy(rest, data.data(), data.size());
    compress(state, rest, counted + data.size(), true);
    for (std::size_t at = 0; at < out.size(); ++at)
        out[at] = static_cast<std::uint8_t>(state[at / 8] >> (8 * (at % 8)));
}

}  // namespace rubrica
