// RUBRICA_SIMD: compile a function twice, for any processor and for those with AVX2, and choose
// when the program starts. Only for loops over whole numbers, or over doubles element by element,
// where both give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define RUBRICA_SIMD __attribute__((target_clones("avx2", "default")))
#else
#define RUBRICA_SIMD
#endif
