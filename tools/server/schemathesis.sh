#!/usr/bin/env bash
# Holds a running server against its document with made-up requests: no answer may be a failure of the server.
# EXAMPLES=40 tools/server/schemathesis.sh makes some 4,000 requests; the default takes half a minute.
set -euo pipefail
cd "$(dirname "$0")"
. ./prepare.sh
. ./start.sh
try() {
  schemathesis "$@" run "${url}openapi.json" --url "${url%/}" --header "Authorization: Bearer $token" \
    --checks not_a_server_error --exclude-path /api/v1/events --exclude-path /api/v1/doctor --workers 2 \
    --warnings off --no-color >"$home/log" 2>&1 || { cat "$home/log"; exit 1; }
  grep -E '^ +[0-9]+ generated' "$home/log" | sed 's/^ */made-up requests: /'
}
try --config-file /dev/null
