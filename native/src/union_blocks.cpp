#include "rubrica/bits.hpp"
#include "rubrica/lcs.hpp"
#include "rubrica/simd.hpp"

namespace rubrica {
namespace {

namespace plain {

struct Lane {
    static constexpr std::size_t blocks = 1;
    std::uint64_t bits;

    static Lane zero() { return {0}; }
    static Lane load(const std::uint64_t* from) { return {*from}; }
    static Lane reversed(Lane x) { return {rubrica::reversed(x.bits)}; }
    void store(std::uint64_t* to) const { *to = bits; }
    Lane without(Lane other) const { return {bits & ~other.bits}; }
    Lane moved_up() const { return {bits << 1}; }
    Lane operator+(Lane other) const { return {bits + other.bits}; }
    Lane operator&(Lane other) const { return {bits & other.bits}; }
    Lane operator|(Lane other) const { return {bits | other.bits}; }
};

#include "mark_units.inl"

}  // namespace plain

#if RUBRICA_AVX2

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace avx2 {

struct Lane {
    static constexpr std::size_t blocks = 4;
    __m256i bits;

    static Lane zero() { return {_mm256_setzero_si256()}; }
    static Lane load(const std::uint64_t* from) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
    }
    // Each half byte by table, then the bytes of each 64 bits.
    static Lane reversed(Lane x) {
        const __m256i low = _mm256_set1_epi8(0x0F);
        const __m256i to_high = _mm256_broadcastsi128_si256(
            _mm_setr_epi8(0x00, char(0x80), 0x40, char(0xC0), 0x20, char(0xA0), 0x60, char(0xE0),
                          0x10, char(0x90), 0x50, char(0xD0), 0x30, char(0xB0), 0x70, char(0xF0)));
        const __m256i to_low = _mm256_broadcastsi128_si256(
            _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
        const __m256i bytes = _mm256_broadcastsi128_si256(
            _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
        const __m256i high_half = _mm256_and_si256(_mm256_srli_epi16(x.bits, 4), low);
        const __m256i low_half = _mm256_and_si256(x.bits, low);
        const __m256i turned = _mm256_or_si256(_mm256_shuffle_epi8(to_high, low_half),
                                               _mm256_shuffle_epi8(to_low, high_half));
        return {_mm256_shuffle_epi8(turned, bytes)};
    }
    void store(std::uint64_t* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bits);
    }
    Lane without(Lane other) const { return {_mm256_andnot_si256(other.bits, bits)}; }
    Lane moved_up() const { return {_mm256_slli_epi64(bits, 1)}; }
    Lane operator+(Lane other) const { return {_mm256_add_epi64(bits, other.bits)}; }
    Lane operator&(Lane other) const { return {_mm256_and_si256(bits, other.bits)}; }
    Lane operator|(Lane other) const { return {_mm256_or_si256(bits, other.bits)}; }
};

#include "mark_units.inl"

}  // namespace avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

}  // namespace

void mark_union_blocks(const UnionBlocks& given, WordIds columns, WordIds ends,
                       std::vector<std::uint64_t>& table) {
#if RUBRICA_AVX2
    if (has_avx2 && given.stride == 4) return avx2::mark_units<1>(given, columns, ends, table);
    if (has_avx2 && given.stride == 8) return avx2::mark_units<2>(given, columns, ends, table);
#endif
    switch (given.stride) {
        case 1: return plain::mark_units<1>(given, columns, ends, table);
        case 2: return plain::mark_units<2>(given, columns, ends, table);
        case 4: return plain::mark_units<4>(given, columns, ends, table);
        default: return plain::mark_units<8>(given, columns, ends, table);
    }
}

}  // namespace rubrica
