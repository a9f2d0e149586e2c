#!/usr/bin/env bash
# Holds a running server against its document with made-up requests: no answer may be a failure of the server.
# EXAMPLES=40 tools/server/schemathesis.sh makes some 5,000 requests; the default makes fewer and takes half a minute.
set -euo pipefail
cd "$(dirname "$0")"
. ./prepare.sh
. ./start.sh
# What the document's ids stand for: without real ones most requests would only hear that there is no such memory.
id=$("$program" --home "$home" --project "$project" --json list | grep -om1 '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
printf '[parameters]\nid = "%s"\n' "$id" >"$home/ids.toml"
: >"$home/plain.toml"
# ask CONFIGURATION EXAMPLES WORDS…: one run. A single worker: CPython 3.11 fails now and then when two threads parse code at once.
ask() {
  schemathesis --config-file "$1" run "${url}openapi.json" --url "${url%/}" --header "Authorization: Bearer $token" \
    --checks not_a_server_error --workers 1 --warnings off --max-examples "$2" "${@:3}" >"$home/log" 2>&1
}
# Whether the run ended by an error of schemathesis itself, with no answer of ours found wrong.
broke_off() { grep -q 'Runtime Error' "$home/log" && ! grep -qE '[1-9][0-9]* failed|FAILURES' "$home/log"; }
# try CONFIGURATION EXAMPLES WORDS…: a run that broke off by itself is made once more.
try() {
  ask "$@" || { broke_off && echo "schemathesis broke off; once more" && ask "$@"; } || { cat "$home/log"; exit 1; }
  grep -oE '[0-9]+ generated.*' "$home/log" | sed 's/^/made-up requests: /'
}
try "$home/plain.toml" "${EXAMPLES:-4}" --exclude-path /api/v1/events --exclude-path /api/v1/doctor "$@"
try "$home/ids.toml" "${EXAMPLES:-4}" --include-path-regex '^/api/v1/memories/\{id\}' "$@"
