#!/usr/bin/env bash
# Makes the database of a release that all later versions must open:
#   tools/make-database-fixture.sh target/release/throughline crates/throughline-store/tests/databases/vN.db
set -euo pipefail
program=$(realpath "$1")
target=$(realpath -m "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/webshop/.git"
printf '[remote "origin"]\n\turl = https://github.com/acme/webshop.git\n' >"$folder/webshop/.git/config"

at() { THROUGHLINE_NOW=$1 "$program" --home "$folder/home" --project "$folder/webshop" --json "${@:2}"; }
id() { python3 -c 'import json, sys; print(json.load(sys.stdin)["memory"]["id"])'; }

staging=$(at 2026-01-05T09:00:00Z remember "Staging runs Postgres 14" --tag infra --slot "staging|runs|Postgres 14|one" | id)
at 2026-01-06T09:00:00Z remember "staging runs postgres 14." >/dev/null
at 2026-02-01T09:00:00Z correct "$staging" "Staging runs Postgres 16" --slot "staging|runs|Postgres 16|one" >/dev/null
decision=$(at 2026-02-02T09:00:00Z remember "Sessions are kept in Postgres" --kind decision --because "Redis lost sessions twice" | id)
secret=$(at 2026-02-03T09:00:00Z remember "The passphrase was tulip" | id)
at 2026-02-04T09:00:00Z purge "$secret" --yes >/dev/null
office=$(at 2026-02-05T09:00:00Z remember "The office is in Basel" | id)
at 2026-02-06T09:00:00Z forget "$office" >/dev/null
at 2026-02-07T09:00:00Z --scope global remember "Speak plainly" --kind principle --pin >/dev/null
at 2026-02-08T09:00:00Z archive "$decision" >/dev/null
at 2026-02-09T09:00:00Z undo >/dev/null
rm -f "$target"
at 2026-02-10T09:00:00Z backup "$target"
