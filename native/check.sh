#!/bin/sh
# The C++ kernels alone, under sanitizers: address and undefined behaviour, then threads. Stops at
# the first report. Needs a C++20 compiler (CXX) and some minutes; no Python.
set -eu
cd "$(dirname "$0")/.."
CXX=${CXX:-c++}
OUT=${OUT:-build/check}
SOURCES=$(find native/src -name '*.cpp' ! -name 'bindings*' | sort)
FLAGS="-std=c++20 -O1 -g -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -Inative/include -Itests/native -pthread"
ADDRESS="-fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS"
THREADS="-fsanitize=thread"

kernels() { # folder, flags: all kernels, compiled once for the programs that share these flags
    rm -rf "${OUT:?}/$1"
    mkdir -p "$OUT/$1"
    # shellcheck disable=SC2016
    printf '%s\n' $SOURCES | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' \
        sh -c '$0 $1 -c "$2" -o "$3/$(basename "$2" .cpp).o"' "$CXX" "$FLAGS $2" '{}' "$OUT/$1"
}

build() { # program, folder of its kernels, flags, main file
    # shellcheck disable=SC2086
    "$CXX" $FLAGS $3 "tests/native/$4" "$OUT/$2"/*.o -o "$OUT/$1"
}

# What fuzz_kernels.cpp is compiled for. fuzz_rouge.cpp compares ROUGE with plain definitions, fewer times.
FAMILIES="rows texts keys stems rouge paths rouge155 meteor graphs cider soft_matches ter tables exchanges draws"

kernels address "$ADDRESS"
build check_address address "$ADDRESS" check_rouge.cpp
build texts_address address "$ADDRESS" check_texts.cpp
build fuzz_address address "$ADDRESS -DRUBRICA_STANDALONE" fuzz_rouge.cpp
build meta_address address "$ADDRESS" check_meta.cpp
build meteor_address address "$ADDRESS" check_meteor.cpp
build bootstrap_address address "$ADDRESS" check_bootstrap.cpp
"$OUT/check_address" 1 "${PAIRS:-60}"
"$OUT/texts_address" 1 "${PAIRS:-300}"
"$OUT/fuzz_address"
for family in $FAMILIES; do
    build "fuzz_$family" address "$ADDRESS -DRUBRICA_STANDALONE -DFAMILY=$family" fuzz_kernels.cpp
    printf '%s: ' "$family"
    "$OUT/fuzz_$family"
done
"$OUT/meta_address" 1 "${TABLES:-40}"
"$OUT/meteor_address" 1 "${PAIRS:-60}"
"$OUT/bootstrap_address" 1

kernels threads "$THREADS"
build check_threads threads "$THREADS" check_rouge.cpp
build meta_threads threads "$THREADS" check_meta.cpp
build meteor_threads threads "$THREADS" check_meteor.cpp
build bootstrap_threads threads "$THREADS" check_bootstrap.cpp
"$OUT/check_threads" 2 "${PAIRS:-20}"
"$OUT/meta_threads" 2 "${TABLES:-10}"
"$OUT/meteor_threads" 2 "${PAIRS:-20}"
"$OUT/bootstrap_threads" 2

# libFuzzer looks for inputs of its own where clang has it (Debian: clang, libclang-rt-14-dev).
CLANG=${CLANG:-clang++}
if echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$CLANG" -x c++ -fsanitize=fuzzer - -o "$OUT/fuzzer_probe" 2>/dev/null; then
    CXX=$CLANG
    kernels guided "$ADDRESS -fsanitize=fuzzer-no-link"
    build fuzz_guided guided "$ADDRESS -fsanitize=fuzzer" fuzz_rouge.cpp
    mkdir -p "$OUT/corpus"
    "$OUT/fuzz_guided" "$OUT/corpus" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=600 -verbosity=0
    for family in $FAMILIES; do
        build "guided_$family" guided "$ADDRESS -fsanitize=fuzzer -DFAMILY=$family" fuzz_kernels.cpp
        mkdir -p "$OUT/corpus_$family"
        "$OUT/guided_$family" "$OUT/corpus_$family" -max_total_time="${FUZZ_SECONDS:-15}" -max_len=600 \
            -verbosity=0 -print_final_stats=1
    done
else
    echo "no clang with libFuzzer: the guided search is left out"
fi
