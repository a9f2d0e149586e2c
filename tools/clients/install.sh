#!/usr/bin/env bash
# Puts the real agents that `cargo test --test clients` talks to into DIR, with a node of their own, and the tools that
# talk to our MCP server: the inspector, the conformance suite, and the official memory server to compare with.
#
#   bash tools/clients/install.sh DIR
#   THROUGHLINE_CLIENTS=DIR cargo test -p throughline --test clients
#
# The versions are fixed: hooks differ from one to the next, and a test must say which it has seen.
# Nothing outside DIR changes, and running it again changes nothing. About 900 MB.
set -euo pipefail

packages=(
  node@24
  @anthropic-ai/claude-code@2.1.325
  @openai/codex@0.166.0
  @google/gemini-cli@0.61.0
  opencode-ai@1.18.33
  @modelcontextprotocol/inspector@2.12.0
  @modelcontextprotocol/conformance@0.2.0-alpha.12
  @modelcontextprotocol/server-memory@2026.8.31
)

if [ $# -ne 1 ]; then
  echo "usage: $0 DIR" >&2
  exit 2
fi
command -v npm >/dev/null || { echo "npm is needed to install the agents" >&2; exit 1; }

mkdir -p "$1"
cd "$1"
[ -f package.json ] || printf '{ "private": true }\n' >package.json
npm install --silent --no-fund --no-audit --save-exact "${packages[@]}"

# The Python client of MCP.
if command -v python3 >/dev/null; then
  [ -x python/bin/python ] || python3 -m venv python
  python/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
else
  echo "python3 is needed for the Python client of MCP" >&2
  exit 1
fi

# A node of its own must come first: the one of the machine may be too old for the agents.
export PATH="$PWD/node_modules/node/bin:$PWD/node_modules/.bin:$PATH"
echo "installed in $PWD:"
for agent in claude codex gemini opencode; do
  echo "  $agent $("$agent" --version 2>/dev/null | tail -1)"
done
