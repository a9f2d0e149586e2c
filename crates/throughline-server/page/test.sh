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
new_enough() { node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(20 < a || (a === 20 && 19 <= b) ? 0 : 1)'; }
if ! new_enough; then
  # Systems with an older node get a newer one from the same place as the packages, for this folder only.
  case $(uname -m) in x86_64) machine=x64 ;; aarch64) machine=arm64 ;; *) echo "node 20.19 or newer is needed" >&2; exit 1 ;; esac
  [ -x ".node/node_modules/node-linux-$machine/bin/node" ] || npm install --no-save --no-audit --no-fund --loglevel=error --prefix .node "node-linux-$machine@22"
  PATH=$PWD/.node/node_modules/node-linux-$machine/bin:$PATH
  new_enough || { echo "node 20.19 or newer is needed" >&2; exit 1; }
fi

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  # Not `npm ci`: it wants an entry for every platform's binary, and not every registry has them all.
  npm install --no-save --no-audit --no-fund --loglevel=error
fi
node scripts/check.mjs

program=${THROUGHLINE:-}
for one in "$root/target/release/throughline" "$root/target/debug/throughline"; do
  if [ -z "$program" ] && [ -x "$one" ]; then program=$one; fi
done
[ -n "$program" ] || { echo "build the program first: cargo build" >&2; exit 1; }
THROUGHLINE=$program exec node tests/run.mjs "$@"
