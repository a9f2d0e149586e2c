#!/usr/bin/env bash
# Everything that must pass. `./test.sh quick` is for while you work: format, lints, and the tests that are over soon
# (.config/nextest.toml says which are left out).
set -euo pipefail
cd "$(dirname "$0")"

quick=${1:-}
say() { printf '\n== %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

if [ "$quick" != quick ]; then
  say "tools"
  if ! have cc; then
    have apt-get || { echo "a C compiler is needed to build SQLite" >&2; exit 1; }
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq build-essential >/dev/null
  fi
  cargo nextest --version >/dev/null 2>&1 || cargo install --quiet --locked --profile dev cargo-nextest
  cargo deny --version >/dev/null 2>&1 || cargo install --quiet --locked --profile dev cargo-deny
fi

say "format"
cargo fmt --all --check

say "lints"
cargo clippy --workspace --all-targets --quiet -- -D warnings
# Without the server and PostgreSQL it is a program, too.
cargo clippy -p throughline --no-default-features --quiet -- -D warnings

if [ "$quick" = quick ]; then
  say "tests that are over soon"
  exec cargo nextest run --workspace --no-fail-fast --profile quick
fi

say "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --quiet

say "licences, sources, one SQLite"
cargo deny --log-level error check bans licenses sources
# The advisory database is on the network; where it cannot be reached the check is left out aloud.
if cargo deny fetch db >/dev/null 2>&1; then
  cargo deny --log-level error check advisories
else
  echo "advisories: their database cannot be reached from here; not checked"
fi

say "examples in the documentation"
cargo test --workspace --doc --quiet

say "servers for the tests of PostgreSQL"
eval "$(tools/postgres/start.sh)"

say "tests"
cargo nextest run --workspace --no-fail-fast

say "the page, in a real browser"
cargo build --quiet -p throughline
crates/throughline-server/page/test.sh

say "the server: official clients, the conformance suite, made-up requests"
tools/server/clients.sh
tools/server/conformance.sh
tools/server/schemathesis.sh
