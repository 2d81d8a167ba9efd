#!/usr/bin/env bash
# Build an sdist and a wheel into dist/ (or the folder named), the same bytes from the same commit, and check them.
#
# usage: tools/make_dist.sh [FOLDER]      PYTHON chooses the interpreter
set -euo pipefail

tree=$(cd "$(dirname "$0")/.." && pwd)
dist=$(mkdir -p "${1:-$tree/dist}" && cd "${1:-$tree/dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -f "$dist"/rubrica-*
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/python" -m pip --disable-pip-version-check --quiet install build twine
# Files carry the time of the commit, not of the build.
SOURCE_DATE_EPOCH=$(git -C "$tree" log -1 --format=%ct 2>/dev/null || echo 1700000000)
export SOURCE_DATE_EPOCH RUBRICA_REQUIRE_NATIVE=1
"$work/venv/bin/python" -m build --outdir "$dist" "$tree" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
"$work/venv/bin/python" -m twine check --strict "$dist"/rubrica-*
"$work/venv/bin/python" "$tree/tools/check_dist.py" "$dist"
