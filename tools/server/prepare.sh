# Gets what the scripts beside this one need, for this folder only: node 22, the conformance suite and the clients of MCP from
# npm, schemathesis and the client of MCP from PyPI. Sets `tools`, and puts node and Python's programs first in PATH.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tools=$root/target/server-tools
have() { command -v "$1" >/dev/null 2>&1; }
missing=()
have npm || missing+=(npm)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
  have apt-get || { echo "needed and not here: ${missing[*]}" >&2; exit 1; }
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
# The versions are fixed: a check must say what it was checked with.
packages=(@modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2)
if ! node -e 'process.exit(22 <= Number(process.versions.node.split(".")[0]) ? 0 : 1)' 2>/dev/null; then
  case $(uname -m) in x86_64) machine=x64 ;; aarch64) machine=arm64 ;; *) echo "node 22 or newer is needed" >&2; exit 1 ;; esac
  packages+=("node-linux-$machine@22")
fi
wanted="${packages[*]} mcp==2.3.0 schemathesis==4.32.5"
if [ "$(cat "$tools/installed" 2>/dev/null)" != "$wanted" ]; then
  mkdir -p "$tools"
  [ -f "$tools/package.json" ] || printf '{ "private": true, "type": "module" }\n' >"$tools/package.json"
  npm install --no-save --no-audit --no-fund --loglevel=error --prefix "$tools" "${packages[@]}" >/dev/null
  [ -x "$tools/python/bin/python" ] || python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0 schemathesis==4.32.5
  printf '%s' "$wanted" >"$tools/installed"
fi
for node in "$tools"/node_modules/node-linux-*/bin; do [ -d "$node" ] && PATH=$node:$PATH; done
PATH=$tools/python/bin:$tools/node_modules/.bin:$PATH
