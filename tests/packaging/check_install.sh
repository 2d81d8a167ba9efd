#!/usr/bin/env bash
# Installs the package the ways people do, each in a fresh environment, and asks it who it is:
# from the tree, from an sdist, without a compiler, and without one where one is demanded.
# Takes minutes, so not part of pytest: make check-install.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-python3}

# Only what a clone has: no build folder, no left-over compiled module.
bash "$root/tools/copy_tree.sh" "$work/tree"

# A PATH with Python and nothing that builds.
mkdir "$work/bin"
for tool in env sh bash uname; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
false=$(command -v false)
no_compiler() { env -u RUBRICA_REQUIRE_NATIVE PATH="$work/bin" CXX="$false" CC="$false" "$@"; }

fresh() { "$python" -m venv "$work/$1"; }
pip() { "$work/$1/bin/python" -m pip --disable-pip-version-check --quiet install "${@:2}"; }
expect() { # environment, kernels
    # Not from the tree: its src must not be what is imported.
    local said
    said=$(cd "$work/$1" && bin/rubrica --version)
    echo "  $said"
    [[ "$said" == *"($2 kernels)" ]] || { echo "expected $2 kernels"; exit 1; }
    (cd "$work/$1" && bin/rubrica list metrics >/dev/null && bin/python -c "import rubrica.scoring")
}

echo "from the tree"
fresh tree-venv
pip tree-venv "$work/tree"
expect tree-venv native
status=0
(cd "$work" && tree-venv/bin/rubrica chrf evaluate --input-files tree/examples/news/summaries.jsonl) \
    2>"$work/said" || status=$?
[ "$status" = 3 ] && grep -q "rubrica\[sacrebleu\]" "$work/said" ||
    { echo "a metric without its package should exit 3 and say what to install"; cat "$work/said"; exit 1; }
pip tree-venv "$work/tree[sacrebleu]"
(cd "$work" && tree-venv/bin/rubrica chrf evaluate --input-files tree/examples/news/summaries.jsonl) >/dev/null

echo "from an sdist"
fresh sdist-venv
pip sdist-venv build
"$work/sdist-venv/bin/python" -m build --sdist --outdir "$work/dist" "$work/tree" >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
pip sdist-venv "$work"/dist/rubrica-*.tar.gz
expect sdist-venv native

echo "without a compiler"
fresh plain-venv
no_compiler "$work/plain-venv/bin/python" -m pip --disable-pip-version-check --quiet install \
    "$work"/dist/rubrica-*.tar.gz
expect plain-venv "plain Python"

echo "without a compiler, editable"
fresh edit-venv
no_compiler "$work/edit-venv/bin/python" -m pip --disable-pip-version-check --quiet install \
    --editable "$work/tree"
expect edit-venv "plain Python"

echo "without a compiler, where one is demanded"
fresh demand-venv
if no_compiler RUBRICA_REQUIRE_NATIVE=1 "$work/demand-venv/bin/python" -m pip --quiet install \
    --no-deps "$work"/dist/rubrica-*.tar.gz >"$work/log" 2>&1; then
    echo "RUBRICA_REQUIRE_NATIVE=1 must not install plain kernels"
    exit 1
fi
grep -qi "compiler" "$work/log" || { echo "it failed for another reason:"; cat "$work/log"; exit 1; }
echo "  refused, as it should be"
