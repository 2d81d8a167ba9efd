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
build fuzz_address "$ADDRESS -DRUBRICA_STANDALONE" tests/native/fuzz_rouge.cpp
build check_threads "-fsanitize=thread" tests/native/check_rouge.cpp
build meta_address "$ADDRESS" tests/native/check_meta.cpp
build meta_threads "-fsanitize=thread" tests/native/check_meta.cpp
"$OUT/check_address" 1 "${PAIRS:-60}"
"$OUT/fuzz_address"
"$OUT/check_threads" 2 "${PAIRS:-20}"
"$OUT/meta_address" 1 "${TABLES:-40}"
"$OUT/meta_threads" 2 "${TABLES:-10}"
