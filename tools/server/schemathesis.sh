#!/usr/bin/env bash
# Holds a running server against its document with made-up requests: no answer may be a failure of the server.
# Needs uv (or schemathesis in PATH). EXAMPLES=2000 tools/server/schemathesis.sh
set -euo pipefail
cd "$(dirname "$0")"
. ./start.sh
run=(schemathesis)
command -v schemathesis >/dev/null || run=(uvx --quiet schemathesis)
"${run[@]}" run "${url}openapi.json" --url "${url%/}" --header "Authorization: Bearer $token" \
  --checks not_a_server_error --max-examples "${EXAMPLES:-20}" --exclude-path /api/v1/events --exclude-path /mcp \
  --exclude-path /api/v1/doctor --workers 2 "$@"
