#!/usr/bin/env bash
# Puts the real agents that `cargo test --test clients` talks to into DIR, with a node of their own.
#
#   bash tools/clients/install.sh DIR
#   THROUGHLINE_CLIENTS=DIR cargo test -p throughline --test clients
#
# The versions are fixed: hooks differ from one to the next, and a test must say which it has seen.
# Nothing outside DIR changes, and running it again changes nothing.
set -euo pipefail

packages=(node@24 @anthropic-ai/claude-code@2.1.325)

if [ $# -ne 1 ]; then
  echo "usage: $0 DIR" >&2
  exit 2
fi
command -v npm >/dev/null || { echo "npm is needed to install the agents" >&2; exit 1; }

mkdir -p "$1"
cd "$1"
[ -f package.json ] || printf '{ "private": true }\n' >package.json
npm install --silent --no-fund --no-audit --save-exact "${packages[@]}"

# A node of its own must come first: the one of the machine may be too old for the agents.
export PATH="$PWD/node_modules/node/bin:$PWD/node_modules/.bin:$PATH"
echo "installed in $PWD: $(claude --version)"
