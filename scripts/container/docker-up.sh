#!/usr/bin/env bash
# Makes `docker` work for the tests of the image. A docker that works is left alone.
# Where none runs (root on Debian or Ubuntu): installs the engine, and starts a dockerd of its own that keeps images, state
# and log in the user's cache. It touches neither the firewall nor ip_forward: containers reach each other on user-defined
# networks, ports published on 127.0.0.1 can be reached, and nothing is routed to the outside. docker-down.sh stops it.
set -euo pipefail

state=${XDG_CACHE_HOME:-$HOME/.cache}/gateway/docker
socket=unix:///var/run/docker.sock
pid_file=$state/dockerd.pid

docker version >/dev/null 2>&1 && exit 0
if [ "$(id -u)" != 0 ]; then
  echo "docker does not run here, and only root can start it" >&2
  exit 1
fi
if ! command -v dockerd >/dev/null; then
  if ! command -v apt-get >/dev/null; then
    echo "docker is not installed, and there is no apt-get to install it with" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  apt-get install -y -qq --no-install-recommends docker.io docker-compose iptables ca-certificates >/dev/null
fi
mkdir -p "$state"
rm -f "$pid_file"
# setsid, so that a Ctrl-C for the tests does not end it before its containers.
setsid nohup dockerd --host "$socket" --data-root "$state/data" --exec-root "$state/run" --pidfile "$pid_file" \
  --bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false \
  >"$state/dockerd.log" 2>&1 </dev/null &
for _ in $(seq 1200); do
  docker version >/dev/null 2>&1 && exit 0
  sleep 0.1
done
echo "dockerd does not start: $(tail -3 "$state/dockerd.log")" >&2
exit 1
