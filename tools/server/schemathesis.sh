#!/usr/bin/env bash
# Holds a running server against its document with made-up requests: no answer may be a failure of the server.
# EXAMPLES says how many for each operation; with the default there are more than REQUESTS_MIN in all, and fewer fail the script.
set -euo pipefail
REQUESTS_MIN=2000
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
  local made
  made=$(grep -oE '[0-9]+ generated' "$home/log" | grep -oE '[0-9]+' | tail -1)
  requests=$((requests + ${made:-0}))
}
requests=0
try "$home/plain.toml" "${EXAMPLES:-12}" --exclude-path /api/v1/events "$@"
try "$home/ids.toml" "${EXAMPLES:-12}" --include-path-regex '^/api/v1/memories/\{id\}' "$@"
echo "made-up requests: $requests, and none of them made the server fail"
# Whoever chooses operations, or how many, has fewer.
if [ $# -eq 0 ] && [ -z "${EXAMPLES:-}" ] && [ "$requests" -lt "$REQUESTS_MIN" ]; then
  echo "too few: at least $REQUESTS_MIN are wanted; raise EXAMPLES here" >&2
  exit 1
fi
