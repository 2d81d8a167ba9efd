#include "rubrica/bits.hpp"
#include "rubrica/lcs.hpp"
#include "rubrica/simd.hpp"

namespace rubrica {
namespace {

void advance_plain(const std::uint64_t* row, std::size_t blocks, std::uint64_t* column) {
    std::uint64_t carry = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::uint64_t x = column[b], m = row[b];
        column[b] = add_carry(x, x & m, carry) | (x & ~m);
    }
}

#if RUBRICA_AVX2

// For each set of lanes that take a carry: -1 there, as subtracting -1 adds it.
alignas(32) constexpr std::int64_t carry_lanes[16][4] = {
    {0, 0, 0, 0},   {-1, 0, 0, 0},   {0, -1, 0, 0},   {-1, -1, 0, 0},
    {0, 0, -1, 0},  {-1, 0, -1, 0},  {0, -1, -1, 0},  {-1, -1, -1, 0},
    {0, 0, 0, -1},  {-1, 0, 0, -1},  {0, -1, 0, -1},  {-1, -1, 0, -1},
    {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1},
};

// Four additions at once, and their carries as an addition of four bits: a lane that overflowed
// sends a carry to the next, a lane of all ones passes on what it gets.
RUBRICA_TARGET_AVX2 void advance_avx2(const std::uint64_t* row, std::size_t blocks,
                                      std::uint64_t* column) {
    const __m256i ones = _mm256_set1_epi64x(-1);
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    unsigned carry = 0;
    for (std::size_t b = 0; b < blocks; b += 4) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(column + b));
        const __m256i m = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + b));
        const __m256i sum = _mm256_add_epi64(x, _mm256_and_si256(x, m));
        // sum < x without signs: the addition overflowed.
        const __m256i over =
            _mm256_cmpgt_epi64(_mm256_xor_si256(x, sign), _mm256_xor_si256(sum, sign));
        const __m256i full = _mm256_cmpeq_epi64(sum, ones);
        const auto overs = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(over)));
        const auto fulls = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(full)));
        const unsigned added = (overs << 1 | carry) + fulls;
        carry = added >> 4;
        const auto* lanes = reinterpret_cast<const __m256i*>(carry_lanes[(added ^ fulls) & 15]);
        const __m256i carried = _mm256_sub_epi64(sum, _mm256_load_si256(lanes));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(column + b),
                            _mm256_or_si256(carried, _mm256_andnot_si256(m, x)));
    }
}

#endif

}  // namespace

void lcs_advance_dense(const std::uint64_t* row, std::size_t blocks, std::uint64_t* column) {
#if RUBRICA_AVX2
    if (has_avx2 && blocks % 4 == 0) return advance_avx2(row, blocks, column);
#endif
    advance_plain(row, blocks, column);
}

// Blocks without a match change only if a carry reaches them, and the carry seldom leaves them
// again: it takes 64 rows without a rise.
void lcs_advance_sparse(std::span<const MatchRows::Entry> row, std::size_t blocks,
                        std::uint64_t* column) {
    std::uint64_t carry = 0;
    std::size_t b = 0;
    const auto carry_on = [&](std::size_t end) {
        for (; carry != 0 && b < end; ++b) {
            const std::uint64_t x = column[b];
            column[b] = add_carry(x, 0, carry) | x;
        }
    };
    for (const MatchRows::Entry& entry : row) {
        carry_on(entry.block);
        b = entry.block;
        const std::uint64_t x = column[b], m = entry.bits;
        column[b] = add_carry(x, x & m, carry) | (x & ~m);
        ++b;
    }
    carry_on(blocks);
}

}  // namespace rubrica
