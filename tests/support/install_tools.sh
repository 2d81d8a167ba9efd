#!/bin/sh
# Install what some tests need from Debian, where that is possible: Chromium and two sets of fonts for the browser
# tests, Perl modules for the official ROUGE-1.5.5, shells whose completion is tried. Elsewhere those tests are skipped,
# and pytest's summary says so.
wanted=
command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1 ||
  command -v google-chrome >/dev/null 2>&1 || wanted="$wanted chromium-headless-shell"
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || wanted="$wanted fonts-dejavu-core"
[ -e /usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf ] || wanted="$wanted fonts-liberation"
perl -MXML::DOM -MDB_File -e 1 >/dev/null 2>&1 || wanted="$wanted libxml-dom-perl"
for shell in zsh fish; do
  command -v "$shell" >/dev/null 2>&1 || wanted="$wanted $shell"
done
[ -n "$wanted" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  exit 0
fi
echo "Installing for the tests:$wanted"
log=$(mktemp)
# shellcheck disable=SC2086  # a list of words
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted; } \
  >"$log" 2>&1 || { echo "apt-get could not install them; their tests will be skipped:"; tail -n 3 "$log"; }
rm -f "$log"
