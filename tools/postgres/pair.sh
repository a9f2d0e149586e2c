#!/usr/bin/env bash
# Two PostgreSQL 15 clusters on loopback for tests of failover: `a` begins as the primary, `b` as its synchronous standby.
# What is acknowledged is on both. `tools/postgres/start.sh` installs what is needed; run it first.
#
#   tools/postgres/pair.sh start DIR PORT_A PORT_B     makes and starts both, prints the address of the pair
#   tools/postgres/pair.sh kill DIR a|b                kill -9 of every process of one
#   tools/postgres/pair.sh restart DIR a|b             starts one again after that
#   tools/postgres/pair.sh promote DIR a|b             makes the standby take writes
#   tools/postgres/pair.sh rejoin DIR a|b              makes one the synchronous standby of the other
#   tools/postgres/pair.sh stop DIR                    ends both and takes them away
set -euo pipefail
cd /tmp
BIN=/usr/lib/postgresql/15/bin
what=$1 D=$2 one=${3:-}

as() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

port() { cat "$D/$1.port"; }
other() { if [ "$1" = a ]; then echo b; else echo a; fi; }
sql() { as "$BIN/psql" -qXAt -h 127.0.0.1 -p "$(port "$1")" -U postgres -c "$2" postgres; }

begin() {
  as "$BIN/pg_ctl" -D "$D/$1" -w -t 60 -l "$D/$1.log" \
    -o "-p $(port "$1") -c listen_addresses=127.0.0.1 -c unix_socket_directories=$D -c fsync=off \
        -c synchronous_commit=on -c full_page_writes=off -c wal_level=replica -c hot_standby=on -c max_connections=100 \
        -c max_wal_senders=8 -c wal_keep_size=256" start >/dev/null
}

# Follows the other one from a fresh copy, and is waited for by every commit from then on.
follow() {
  local to=$1 from
  from=$(other "$to")
  rm -rf "${D:?}/$to"
  as "$BIN/pg_basebackup" -D "$D/$to" -h 127.0.0.1 -p "$(port "$from")" -U postgres -R -X stream -c fast >/dev/null
  begin "$to"
  sql "$from" "ALTER SYSTEM SET synchronous_standby_names = '*'" >/dev/null
  sql "$from" "SELECT pg_reload_conf()" >/dev/null
  for _ in $(seq 200); do
    [ "$(sql "$from" "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 1 ] && return
    sleep 0.05
  done
  echo "the standby does not follow" >&2
  exit 1
}

finish() {
  local main
  main=$(head -n 1 "$D/$1/postmaster.pid" 2>/dev/null) || return 0
  # Its children first learn of it when it is gone; all of them go at once.
  local all
  all=$(ps -o pid= --ppid "$main" 2>/dev/null || true)
  # shellcheck disable=SC2086
  kill -9 "$main" $all 2>/dev/null || true
  while kill -0 "$main" 2>/dev/null; do sleep 0.02; done
}

case $what in
start)
  mkdir -p "$D"
  if [ "$(id -u)" = 0 ]; then chown postgres "$D"; fi
  echo "$one" >"$D/a.port"
  echo "$4" >"$D/b.port"
  as "$BIN/initdb" -D "$D/a" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  begin a
  sql a "CREATE EXTENSION vector" >/dev/null
  follow b
  echo "postgresql://postgres@127.0.0.1:$(port a),127.0.0.1:$(port b)/postgres"
  ;;
kill) finish "$one" ;;
restart)
  rm -f "$D/$one/postmaster.pid"
  begin "$one"
  ;;
promote)
  # Nobody is waited for who is not there.
  sql "$one" "ALTER SYSTEM SET synchronous_standby_names = ''" >/dev/null
  as "$BIN/pg_ctl" -D "$D/$one" -w -t 60 promote >/dev/null
  sql "$one" "SELECT pg_reload_conf()" >/dev/null
  ;;
rejoin) follow "$one" ;;
stop)
  finish a
  finish b
  rm -rf "${D:?}"
  ;;
*)
  echo "what is $what?" >&2
  exit 2
  ;;
esac
