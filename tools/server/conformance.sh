#!/usr/bin/env bash
# Runs the official conformance suite of MCP against /mcp: what the specifications of 2025-11-25 and of 2026-07-28 require.
# It cannot send a token, so a small proxy adds it. Scenarios that call fixtures of the suite (tools named test_…) fail, because our
# server has tools of its own; any other failure fails this script. `--table` prints the table of docs/server.md.
set -euo pipefail
cd "$(dirname "$0")"
. ./prepare.sh
. ./start.sh
node proxy.mjs "$url" "$token" >"$home/proxy.port" &
proxy=$!
trap 'kill $proxy $server 2>/dev/null; wait 2>/dev/null; rm -rf "$home" "$project"' EXIT
until [ -s "$home/proxy.port" ]; do sleep 0.1; done
for revision in 2025-11-25 2026-07-28; do
  # It fails for what it misses; conformance.mjs says what that is.
  conformance server --url "http://127.0.0.1:$(cat "$home/proxy.port")/mcp" --requirements "$revision" \
    -o "$home/results-$revision" >"$home/log" 2>&1 || true
  printf '%s: ' "$revision"
  node conformance.mjs "$home/results-$revision" "$@"
done
