// Whole numbers worked on side by side, and functions compiled for more than one processor.
#pragma once
#include <cstddef>
#include <cstring>

// Compile a function twice, for any processor and for those with AVX2, and choose when the program
// starts. Only for loops over whole numbers, or over doubles element by element, where both give
// the same bits. Not under the thread sanitizer, which is not awake yet when the choice is made.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && \
    !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define RUBRICA_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RUBRICA_CLONES
#endif

namespace rubrica {

// What every x86-64 and ARM64 has; GCC splits comparisons of wider ones into single numbers.
inline constexpr std::size_t lane_bytes = 16;

// Lanes<T>: + - * & | element by element; > and < give -1 or 0.
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
    T v[size];
    T operator[](std::size_t i) const { return v[i]; }
};

#define RUBRICA_LANE_OPERATOR(op, expression)                                   \
    template <class T>                                                          \
    Lanes<T> operator op(const Lanes<T>& left, const Lanes<T>& right) {         \
        Lanes<T> out;                                                           \
        for (std::size_t i = 0; i < Lanes<T>::size; ++i) {                      \
            const T a = left.v[i], b = right.v[i];                              \
            out.v[i] = static_cast<T>(expression);                              \
        }                                                                       \
        return out;                                                             \
    }
RUBRICA_LANE_OPERATOR(+, a + b)
RUBRICA_LANE_OPERATOR(-, a - b)
RUBRICA_LANE_OPERATOR(*, a * b)
RUBRICA_LANE_OPERATOR(&, a & b)
RUBRICA_LANE_OPERATOR(|, a | b)
RUBRICA_LANE_OPERATOR(>, -(a > b))
RUBRICA_LANE_OPERATOR(<, -(a < b))
#undef RUBRICA_LANE_OPERATOR

template <class T>
void spread(Lanes<T>& lanes, T value) {
    for (T& one : lanes.v) one = value;
}
#endif

}  // namespace rubrica
