#!/usr/bin/env bash
# Stops the dockerd that docker-up.sh started (no other), and clears what it leaves on the host. Its images stay in the
# user's cache for the next time.
set -uo pipefail

state=${XDG_CACHE_HOME:-$HOME/.cache}/gateway/docker
pid_file=$state/dockerd.pid
[ -e "$pid_file" ] || exit 0

# A run of tests that was killed may have left its containers and networks.
docker ps --all --quiet --filter label=org.testcontainers=true | xargs --no-run-if-empty docker rm --force --volumes >/dev/null
docker network prune --force >/dev/null
kill "$(cat "$pid_file")"
# The process may stay as a zombie where nobody waits for it; its file goes when it ends. Never SIGKILL: images would be lost.
for _ in $(seq 150); do
  [ -e "$pid_file" ] || break
  sleep 0.1
done
if [ -e "$pid_file" ]; then
  echo "dockerd does not stop: $state/dockerd.log" >&2
  exit 1
fi
for namespace in "$state"/run/netns/*; do
  [ ! -e "$namespace" ] || umount "$namespace" 2>/dev/null
done
find /sys/fs/cgroup/*/docker /sys/fs/cgroup/docker -depth -type d -exec rmdir {} + 2>/dev/null
exit 0
