#!/usr/bin/env bash
# Runs the official conformance suite of MCP (from npm) against /mcp. It cannot send a token, so a small proxy adds it.
# Tests that need the suite's own fixture tools fail: our server has tools of its own.
set -euo pipefail
cd "$(dirname "$0")"
. ./start.sh
node proxy.mjs "$url" "$token" &
proxy=$!
trap 'kill $proxy $server 2>/dev/null; wait 2>/dev/null; rm -rf "$home" "$project"' EXIT
sleep 1
npx --yes @modelcontextprotocol/conformance server --url http://127.0.0.1:7879/mcp "$@"
