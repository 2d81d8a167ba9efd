#!/usr/bin/env bash
# Build a wheel and an sdist, check their metadata, and run the fast tests on the wheel in an environment without
# a compiler. Takes minutes, so it is not part of pytest: the CI job `wheel` and `make check-jobs` run it.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-python3}

bash "$root/tools/copy_tree.sh" "$work/tree"

PYTHON=$python bash "$work/tree/tools/make_dist.sh" "$work/dist"

# A PATH with Python and what the tests run, and nothing that builds.
mkdir "$work/bin"
for tool in env sh bash uname cat head tail grep sed tr true false sleep kill perl git dirname mktemp rm ls cd; do
    found=$(command -v "$tool" || true)
    case $found in /*) ln -s "$found" "$work/bin/$tool" ;; esac
done
"$python" -m venv "$work/venv"
wheel=$(ls "$work"/dist/rubrica-*.whl)
PATH="$work/bin" CC=false CXX=false "$work/venv/bin/python" -m pip --disable-pip-version-check --quiet install "$wheel[test]"
rm -rf "$work/tree/src" "$work/tree/native"
cd "$work/tree"
PATH="$work/venv/bin:$work/bin" rubrica --version | tee /dev/stderr | grep -q "native kernels"
PATH="$work/venv/bin:$work/bin" "$work/venv/bin/python" -m pytest -n auto -q \
    -m "not (models or slow)" tests/unit tests/cli tests/contract tests/golden
