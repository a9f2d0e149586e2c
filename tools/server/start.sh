# Starts a server on a home that is thrown away, for the scripts beside this one. Sets url, token, home; stops it at the end.
program=${THROUGHLINE:-$(dirname "${BASH_SOURCE[0]}")/../../target/debug/throughline}
home=$(mktemp -d)
project=$(mktemp -d)
"$program" --home "$home" --project "$project" remember "staging runs Postgres 14" --tag db >/dev/null
"$program" --home "$home" --project "$project" remember "deploys happen on Tuesdays" --because "the team is complete then" >/dev/null
"$program" --home "$home" --project "$project" --json serve --port 0 >"$home/serving.json" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$home" "$project"' EXIT
until [ -s "$home/serving.json" ]; do sleep 0.1; done
url=$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$home/serving.json")
token=$(cat "$home/server.token")
