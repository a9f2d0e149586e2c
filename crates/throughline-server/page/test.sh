#!/usr/bin/env bash
# The page in a real browser: the stories a person would do, accessibility, hostile text, large memories.
# Installs node, chromium and the packages if they are missing. Uses the built program: THROUGHLINE, or the one in target/.
# `test.sh --shots` also takes the pictures of docs/page.md; words after it choose stories by name.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
have() { command -v "$1" >/dev/null 2>&1; }

missing=()
have node && have npm || missing+=(nodejs npm)
have chromium || have chromium-browser || have google-chrome || missing+=(chromium)
have git || missing+=(git)
if [ ${#missing[@]} -gt 0 ]; then
  have apt-get || { echo "needed and not here: ${missing[*]}" >&2; exit 1; }
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" fonts-inter fonts-dejavu-core >/dev/null
fi
# The build needs a newer node than some systems have; the tests do not.
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(20 < a || (a === 20 && 19 <= b) ? 0 : 1)' && builds=yes || builds=no

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error
fi
if [ "$builds" = yes ]; then node scripts/check.mjs; else echo "node $(node --version) is too old to build the page again; not compared"; fi

program=${THROUGHLINE:-}
for one in "$root/target/release/throughline" "$root/target/debug/throughline"; do
  if [ -z "$program" ] && [ -x "$one" ]; then program=$one; fi
done
[ -n "$program" ] || { echo "build the program first: cargo build" >&2; exit 1; }
THROUGHLINE=$program exec node tests/run.mjs "$@"
