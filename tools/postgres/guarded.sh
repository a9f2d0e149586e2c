#!/usr/bin/env bash
# A PostgreSQL 15 cluster on loopback that lets nobody in without encryption and a password, with an authority and a
# certificate made for it. `tools/postgres/start.sh` installs what is needed; run it first.
#
#   tools/postgres/guarded.sh start DIR PORT   makes and starts it: DIR/authority.crt signed its certificate, which is for
#                                              the name localhost; DIR/other.crt signed nothing; the role tl_guarded has
#                                              the password `right horse` and may make a schema
#   tools/postgres/guarded.sh stop DIR         ends it and takes it away
set -euo pipefail
cd /tmp
BIN=/usr/lib/postgresql/15/bin
what=$1 D=$2

as() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

# An authority that signs for itself.
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
    -keyout "$D/$1.key" -out "$D/$1.crt" 2>/dev/null
}

case $what in
start)
  mkdir -p "$D"
  authority authority
  authority other
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout "$D/server.key" \
    -out "$D/server.csr" 2>/dev/null
  printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n' >"$D/server.ext"
  openssl x509 -req -in "$D/server.csr" -CA "$D/authority.crt" -CAkey "$D/authority.key" -CAcreateserial -days 2 \
    -extfile "$D/server.ext" -out "$D/server.crt" 2>/dev/null
  chmod 600 "$D/server.key"
  chmod 755 "$D"
  if [ "$(id -u)" = 0 ]; then chown postgres "$D" "$D/server.key" "$D/server.crt"; fi
  as "$BIN/initdb" -D "$D/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  printf 'local all all trust\nhostssl all all all scram-sha-256\n' | as tee "$D/data/pg_hba.conf" >/dev/null
  as "$BIN/pg_ctl" -D "$D/data" -w -t 60 -l "$D/log" \
    -o "-p $3 -c listen_addresses=localhost -c unix_socket_directories=$D -c fsync=off -c ssl=on \
        -c ssl_cert_file=$D/server.crt -c ssl_key_file=$D/server.key" start >/dev/null
  as "$BIN/psql" -qXAt -v ON_ERROR_STOP=1 -h "$D" -p "$3" -U postgres postgres <<'SQL'
CREATE EXTENSION vector;
CREATE ROLE tl_guarded LOGIN PASSWORD 'right horse';
GRANT CREATE ON DATABASE postgres TO tl_guarded;
SQL
  ;;
stop)
  as "$BIN/pg_ctl" -D "$D/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "${D:?}"
  ;;
*)
  echo "what is $what?" >&2
  exit 2
  ;;
esac
