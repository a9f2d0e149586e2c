#!/usr/bin/env bash
# Runs the official conformance suite of MCP (from npm, needs node 22) against /mcp. It cannot send a token, so a small proxy adds it.
# Tests that need the suite's own fixture tools fail: our server has tools of its own.
set -euo pipefail
cd "$(dirname "$0")"
. ./start.sh
node proxy.mjs "$url" "$token" >"$home/proxy.port" &
proxy=$!
trap 'kill $proxy $server 2>/dev/null; wait 2>/dev/null; rm -rf "$home" "$project"' EXIT
until [ -s "$home/proxy.port" ]; do sleep 0.1; done
npx --yes @modelcontextprotocol/conformance server --url "http://127.0.0.1:$(cat "$home/proxy.port")/mcp" "$@"
