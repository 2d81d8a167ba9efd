// RUBRICA_SIMD: compile a function twice, for any processor and for those with AVX2, and choose
// when the program starts. Only for loops over whole numbers, or over doubles element by element,
// where both give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define RUBRICA_SIMD __attribute__((target_clones("avx2", "default")))
#else
#define RUBRICA_SIMD
#endif

#include <cstddef>
#include <cstring>

namespace rubrica {

// 16 bytes of whole numbers that are worked on side by side. Comparisons give -1 or 0.
inline constexpr std::size_t lane_bytes = 16;

#if defined(__GNUC__)
template <class T>
struct LanesOf {
    typedef T type __attribute__((vector_size(lane_bytes)));
};
template <class T>
using Lanes = typename LanesOf<T>::type;

template <class T>
[[gnu::always_inline]] inline void spread(Lanes<T>& lanes, T value) {
    lanes = value - Lanes<T>{};
}
#else
template <class T>
struct Lanes {
    static constexpr std::size_t size = lane_bytes / sizeof(T);
    T v[size] = {};
    T operator[](std::size_t i) const { return v[i]; }
    template <class F>
    static Lanes each(const Lanes& a, const Lanes& b, F f) {
        Lanes out;
        for (std::size_t i = 0; i < size; ++i) out.v[i] = static_cast<T>(f(a.v[i], b.v[i]));
        return out;
    }
    friend Lanes operator+(const Lanes& a, const Lanes& b) { return each(a, b, [](T x, T y) { return x + y; }); }
    friend Lanes operator-(const Lanes& a, const Lanes& b) { return each(a, b, [](T x, T y) { return x - y; }); }
    friend Lanes operator*(const Lanes& a, const Lanes& b) { return each(a, b, [](T x, T y) { return x * y; }); }
    friend Lanes operator&(const Lanes& a, const Lanes& b) { return each(a, b, [](T x, T y) { return x & y; }); }
    friend Lanes operator|(const Lanes& a, const Lanes& b) { return each(a, b, [](T x, T y) { return x | y; }); }
    friend Lanes operator>(const Lanes& a, const Lanes& b) { return each(a, b, [](T x, T y) { return -(x > y); }); }
    friend Lanes operator<(const Lanes& a, const Lanes& b) { return each(a, b, [](T x, T y) { return -(x < y); }); }
};

template <class T>
void spread(Lanes<T>& lanes, T value) {
    for (T& one : lanes.v) one = value;
}
#endif

}  // namespace rubrica
