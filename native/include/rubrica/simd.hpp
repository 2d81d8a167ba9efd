// Whether a faster instruction set can be compiled here, and whether the machine has it.
#pragma once

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
