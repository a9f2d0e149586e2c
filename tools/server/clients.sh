#!/usr/bin/env bash
# The official clients of MCP (Python and TypeScript) use the running server over HTTP, in both eras of the protocol.
set -euo pipefail
cd "$(dirname "$0")"
. ./prepare.sh
. ./start.sh
# A script finds its packages from where it lies.
cp client.mjs "$tools/client.mjs"
for client in "python client.py" "node $tools/client.mjs"; do
  for era in legacy auto; do
    # What the client complains about is a failure, too.
    told=$($client "${url}mcp" "$token" "$era" 2>"$home/complaints")
    python - "$client" "$era" "$told" "$(cat "$home/complaints")" <<'PYTHON'
import json, sys

client, era, told, complaints = sys.argv[1:]
told = json.loads(told)
expected = {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
assert told["protocol"] == expected, f"{client} {era}: speaks {told['protocol']}, not {expected}"
assert {"recall", "remember", "why"} <= set(told["tools"]), told["tools"]
assert f"client of the {era} era was here" in told["told"], told["told"]
assert "staging runs Postgres 14" in told["read"], told["read"]
assert told["prompts"] == 2 and told["refused"], told
assert not complaints, f"{client} {era}: {complaints}"
print(f"ok    {client.split('/')[-1]}, {expected}")
PYTHON
  done
done
