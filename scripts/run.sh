#!/usr/bin/env bash
# Sets up what is missing (dependencies, Envoy, the embedded model, the compiled filter), then runs Node 24 on the arguments.
#   scripts/run.sh [--progress] [program.ts [argument …]]
# Plain bash and, in dependencies.mjs, Node 20: this runs before anything is installed.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
stamp="$root/build/set-up.stamp"
progress=no
if [ "${1-}" = --progress ]; then
  progress=yes
  shift
fi

fail() {
  printf 'gateway: %s\n' "$1" >&2
  exit 1
}

# Nothing that the set-up depends on is newer than the last complete one; its Envoy and model (named in the stamp) are there,
# and in this user's cache: another user, or another HOME, has one of its own.
is_set_up() {
  [ -f "$stamp" ] && [ -f "$root/build/filter.wasm" ] || return 1
  local envoy model cache=${XDG_CACHE_HOME:-${HOME-~}/.cache}/gateway
  { read -r envoy && read -r model; } <"$stamp" || return 1
  [ -n "${ENVOY_BIN-}" ] || [ -x "$envoy" ] || return 1
  case $envoy in
    */gateway/envoy-*/envoy) [ -n "${ENVOY_BIN-}" ] || [ "${envoy%/*/*}" = "$cache" ] || return 1 ;;
  esac
  [ -f "$model/model.onnx" ] || return 1
  # A command such as `gateway status` does not wait for a model that it may not need.
  [ "$progress" = no ] || [ "${model%/*}" = "$cache" ] || return 1
  local newer
  newer=$(cd "$root" && find package.json package-lock.json asconfig.json node_modules/.package-lock.json \
    filter contract scripts -newer "$stamp" -print -quit 2>&1) || return 1
  [ -z "$newer" ]
}

# Node 24 from the dependencies; the machine's own where npm has no package of it (not Linux), as in bin/gateway.
find_node() {
  node="$root/node_modules/.bin/node"
  [ -x "$node" ] && return
  node=$(command -v node || true)
  [ -n "$node" ] && [ "$("$node" -p 'typeof require("node:http").setGlobalProxyFromEnv')" = function ] && return
  fail "Node 24 did not come with the dependencies: run 'npm ci --ignore-scripts' in $root and look at its output, or install Node 24.14 or newer (of 25: 25.4)."
}

if is_set_up; then
  [ "$progress" = no ] || echo "· Set-up is complete" >&2
  find_node
else
  if [ -f "$root/package-lock.json" ]; then
    command -v node >/dev/null || fail "Node is not installed: install Node 20 or newer (https://nodejs.org) and run this again."
    command -v npm >/dev/null || fail "npm is not installed: install it (it comes with Node from https://nodejs.org) and run this again."
    node "$root/scripts/dependencies.mjs" "$progress"
  fi
  find_node
  "$node" "$root/scripts/set-up.ts" "$progress"
fi

[ $# -gt 0 ] || exit 0
program=$1
shift
case $program in
  /*) ;;
  *) program="$root/$program" ;;
esac
export PATH="$root/node_modules/.bin:$PATH"
# Compiled modules of this Node, by file and content: a command starts in a third of the time.
export NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE-$root/build/compile-cache}
exec "$node" "$program" "$@"
