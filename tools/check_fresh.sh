#!/usr/bin/env bash
# Run `make demo` and `make test` in a bare Debian that has only the packages the README lists.
#
# usage: tools/check_fresh.sh [root] [user] [plain]     (default: root user)
#   root    as root, so that the Makefile can install Chromium, fonts and Perl modules
#   user    as an ordinary user who cannot install Debian packages
#   plain   as that user, on a machine without a compiler
#
# CI=true is set, as CI services do: pytest prints differently then. Needs root and debootstrap. FRESH_DIR holds the Debian base between runs (default: /var/tmp/rubrica-fresh),
# FRESH_SUITE is the Debian release (default: bookworm), FRESH_TARGETS what to make (default: "demo test").
set -euo pipefail

tree=$(cd "$(dirname "$0")/.." && pwd)
home=${FRESH_DIR:-/var/tmp/rubrica-fresh}
suite=${FRESH_SUITE:-bookworm}
targets=${FRESH_TARGETS:-demo test}
[ $# -gt 0 ] || set -- root user

[ "$(id -u)" = 0 ] || { echo "check_fresh.sh: run as root: debootstrap and chroot need it" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "check_fresh.sh: install debootstrap first" >&2; exit 1; }

# The README's own line, so that the two cannot drift apart.
listed=$(sed -n 's/.*`apt-get install \([^`]*\)`.*/\1/p' "$tree/README.md" | head -n 1)
[ -n "$listed" ] || { echo "check_fresh.sh: README.md lists no Debian packages" >&2; exit 1; }

# How this machine reaches its package registries: addresses, certificates, folders of packages.
copy_network() { # root
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    mkdir -p "$1/etc/ssl/certs" "$1/etc/apt/apt.conf.d"
    [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
    grep -ls '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null | xargs -r cp -t "$1/etc/apt/apt.conf.d/" || true
    python3 -m pip config list 2>/dev/null | python3 -c '
import ast, sys
options = {}
for line in sys.stdin:
    key, _, value = line.strip().partition("=")
    section, _, name = key.partition(".")
    if section in ("global", ":env:"):
        options.setdefault(name, []).extend(ast.literal_eval(value).split())
print("[global]", *(f"{name} = {chr(32).join(dict.fromkeys(values))}" for name, values in options.items()), sep=chr(10))
' >"$1/etc/pip.conf"
}

local_folders() { # the folders that pip's configuration names; of an index the one above, where its files may be
    grep -oE '(file://)?/[^ ]+' "$1/etc/pip.conf" | sed -E 's,^file://(.*)/[^/]+/?$,\1,' | sort -u
}

base=$home/base-$suite
if [ ! -e "$base/.complete" ]; then
    echo "== a bare Debian $suite with: $listed"
    rm -rf "$base"
    mkdir -p "$home"
    debootstrap --variant=minbase "$suite" "$base" >"$home/debootstrap.log" 2>&1 || { tail "$home/debootstrap.log"; exit 1; }
    copy_network "$base"
    # shellcheck disable=SC2086  # a list of words
    chroot "$base" sh -c "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $listed" \
        >"$home/packages.log" 2>&1 || { tail "$home/packages.log"; exit 1; }
    touch "$base/.complete"
fi

run_in() { # root, user, command: in namespaces of its own, so that every mount and process ends with it
    local root=$1 user=$2 words=$3 folder
    {
        echo "set -e"
        echo "mount --rbind /dev '$root/dev'; mount -t proc proc '$root/proc'; mount -t tmpfs tmpfs '$root/dev/shm'"
        for folder in $(local_folders "$root"); do
            [ -d "$folder" ] || continue
            mkdir -p "$root$folder"
            echo "mount --bind -o ro '$folder' '$root$folder'"
        done
        echo "exec chroot '$root' su - '$user' -c '$words'"
    } >"$home/enter.sh"
    unshare --mount --pid --fork --kill-child bash "$home/enter.sh"
}

summary=()
failed=0
for mode in "$@"; do
    root=$home/$mode
    user=tester
    [ "$mode" != root ] || user=root
    rm -rf "$root"
    cp -a --reflink=auto "$base" "$root"
    copy_network "$root"
    chroot "$root" useradd --create-home tester
    [ "$mode" != plain ] || chroot "$root" sh -c 'rm -f /usr/bin/*g++* /usr/bin/c++*'
    work=$(chroot "$root" getent passwd "$user" | cut -d: -f6)/rubrica
    bash "$tree/tools/copy_tree.sh" "$root$work"
    chroot "$root" chown -R "$user" "$work"
    for target in $targets; do
        echo "== $mode: make $target"
        start=$SECONDS
        outcome=passed
        run_in "$root" "$user" "cd $work && CI=true make $target" </dev/null 2>&1 | tee "$home/$mode-$target.log" || outcome=FAILED
        [ $outcome = passed ] || failed=1
        summary+=("$mode: make $target $outcome in $((SECONDS - start)) s; $(tail -n 1 "$home/$mode-$target.log")")
    done
done
echo
printf '%s\n' "${summary[@]}"
exit $failed
