#!/usr/bin/env bash
# Copy what a clone of this tree would have, uncommitted changes included, into an empty folder.
# usage: tools/copy_tree.sh FOLDER
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$root"
git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
    tar --null -T - -cf - | tar -C "$1" -xf -
