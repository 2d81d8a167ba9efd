#include "rubrica/resample.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "rubrica/draw_counts.hpp"
#include "rubrica/random.hpp"
#include "rubrica/simd.hpp"

namespace rubrica {
namespace {

void draw_places(std::uint64_t key, const std::uint64_t* mixed, double scale, std::size_t count,
                 std::uint32_t* drawn) {
    for (std::size_t i = 0; i < count; ++i) {
        drawn[i] = static_cast<std::uint32_t>(place(uniform_mixed(key, mixed[i]), scale));
    }
}

#if RUBRICA_AVX2
RUBRICA_TARGET_AVX2 inline __m256i multiply(__m256i x, std::uint64_t factor) {
    const __m256i low = _mm256_set1_epi64x(static_cast<std::int64_t>(factor & 0xffffffff));
    const __m256i high = _mm256_set1_epi64x(static_cast<std::int64_t>(factor >> 32));
    const __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), low),
                                             _mm256_mul_epu32(x, high));
    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(crossed, 32));
}

// The same operations as mix64, uniform_mixed and place, four draws in one register.
RUBRICA_TARGET_AVX2 void draw_places_avx2(std::uint64_t key, const std::uint64_t* mixed,
                                          double scale, std::size_t count, std::uint32_t* drawn) {
    const __m256i keys = _mm256_set1_epi64x(static_cast<std::int64_t>(key));
    const __m256i step = _mm256_set1_epi64x(static_cast<std::int64_t>(0x9E3779B97F4A7C15ull));
    // A number below 2^53 becomes a double exactly: its upper and its lower 32 bits are put into
    // the mantissas of 2^84 and 2^52, which are subtracted again.
    const __m256i upper = _mm256_castpd_si256(_mm256_set1_pd(0x1.0p84));
    const __m256i lower = _mm256_castpd_si256(_mm256_set1_pd(0x1.0p52));
    const __m256d both = _mm256_set1_pd(0x1.0p84 + 0x1.0p52);
    const __m256d unit = _mm256_set1_pd(0x1.0p-53), scales = _mm256_set1_pd(scale);
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const auto* place = reinterpret_cast<const __m256i*>(mixed + i);
        __m256i x = _mm256_add_epi64(_mm256_xor_si256(_mm256_loadu_si256(place), keys), step);
        x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 30)), 0xBF58476D1CE4E5B9ull);
        x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 27)), 0x94D049BB133111EBull);
        x = _mm256_srli_epi64(_mm256_xor_si256(x, _mm256_srli_epi64(x, 31)), 11);
        const __m256i high = _mm256_or_si256(_mm256_srli_epi64(x, 32), upper);
        const __m256i low = _mm256_blend_epi32(x, lower, 0xaa);
        const __m256d bits = _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both),
                                           _mm256_castsi256_pd(low));
        const __m256d places = _mm256_mul_pd(_mm256_mul_pd(bits, unit), scales);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(drawn + i), _mm256_cvttpd_epi32(places));
    }
    draw_places(key, mixed + i, scale, count - i, drawn + i);
}
#endif

}  // namespace

void bootstrap_sums(const double* values, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t rounds, std::uint64_t seed, double* out) {
    // Half of the work of a draw depends on its index alone, the same in every round.
    std::vector<std::uint64_t> mixed(rows);
    for (std::size_t index = 0; index < rows; ++index) mixed[index] = mix64(index);
    auto* places = draw_places;
#if RUBRICA_AVX2
    // It converts to signed numbers of 32 bits.
    if (has_avx2 && rows <= INT32_MAX) places = draw_places_avx2;
#endif
    const auto draw = [&](std::size_t round, auto take) {
        const std::uint64_t key = stream_key(seed, round);
        const auto scale = static_cast<double>(rows);
        // Rows are known before they are counted: the machine need not guess which counts are the same.
        std::uint32_t drawn[256];
        for (std::size_t start = 0; start < rows; start += std::size(drawn)) {
            const std::size_t count = std::min(std::size(drawn), rows - start);
            places(key, mixed.data() + start, scale, count, drawn);
            take(drawn, count);
        }
    };
    counted_sums(values, rows, columns, first, first + rounds, draw, out);
}

}  // namespace rubrica
