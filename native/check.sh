#!/bin/sh
# The C++ kernels alone, under sanitizers: address and undefined behaviour, then threads. Stops at
# the first report. Needs a C++20 compiler (CXX) and some minutes; no Python.
set -eu
cd "$(dirname "$0")/.."
CXX=${CXX:-c++}
OUT=${OUT:-build/check}
mkdir -p "$OUT"
SOURCES=$(find native/src -name '*.cpp' ! -name 'bindings*' | sort)
FLAGS="-std=c++20 -O1 -g -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -Inative/include -Itests/native -pthread"
ADDRESS="-fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS"

build() { # output, flags, main file
    # shellcheck disable=SC2086
    "$CXX" $FLAGS $2 "$3" $SOURCES -o "$OUT/$1"
}
build check_address "$ADDRESS" tests/native/check_rouge.cpp
build texts_address "$ADDRESS" tests/native/check_texts.cpp
build fuzz_address "$ADDRESS -DRUBRICA_STANDALONE" tests/native/fuzz_rouge.cpp
build check_threads "-fsanitize=thread" tests/native/check_rouge.cpp
build meta_address "$ADDRESS" tests/native/check_meta.cpp
build meta_threads "-fsanitize=thread" tests/native/check_meta.cpp
build check_meteor_address "$ADDRESS" tests/native/check_meteor.cpp
build check_meteor_threads "-fsanitize=thread" tests/native/check_meteor.cpp
"$OUT/check_address" 1 "${PAIRS:-60}"
"$OUT/texts_address" 1 "${PAIRS:-300}"
"$OUT/fuzz_address"
"$OUT/check_threads" 2 "${PAIRS:-20}"
"$OUT/meta_address" 1 "${TABLES:-40}"
"$OUT/meta_threads" 2 "${TABLES:-10}"
"$OUT/check_meteor_address" 1 "${PAIRS:-60}"
"$OUT/check_meteor_threads" 2 "${PAIRS:-20}"
# libFuzzer looks for inputs of its own where clang has it (Debian: clang, libclang-rt-14-dev).
CLANG=${CLANG:-clang++}
if echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$CLANG" -x c++ -fsanitize=fuzzer - -o "$OUT/fuzzer_probe" 2>/dev/null; then
    CXX=$CLANG build fuzz_guided "$ADDRESS -fsanitize=fuzzer" tests/native/fuzz_rouge.cpp
    mkdir -p "$OUT/corpus"
    "$OUT/fuzz_guided" "$OUT/corpus" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=600 -verbosity=0
else
    echo "no clang with libFuzzer: the guided search is left out"
fi
