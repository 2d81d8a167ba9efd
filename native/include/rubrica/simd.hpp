// Whether a faster instruction set can be compiled here, and whether the machine has it.
#pragma once

// What every x86-64 has.
#if defined(__SSE2__) || defined(_M_X64)
#define RUBRICA_SSE2 1
#include <emmintrin.h>
#else
#define RUBRICA_SSE2 0
#endif

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define RUBRICA_AVX2 1
#define RUBRICA_TARGET_AVX2 __attribute__((target("avx2")))
#include <immintrin.h>

namespace rubrica {
inline const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
}
#else
#define RUBRICA_AVX2 0
#endif
