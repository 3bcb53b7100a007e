#!/usr/bin/env bash
# Prints a base image for the Dockerfile that docker has: the one that it pins, else (root, where no registry can be reached) the
# same Debian made from its package archive, which is kept in the user's cache and is for tests only.
# Usage: BASE_IMAGE=$(scripts/container/base-image.sh) scripts/container/build-image.sh
set -euo pipefail

pinned=$(sed -n 's/^ARG BASE_IMAGE=//p' "$(dirname -- "${BASH_SOURCE[0]}")/../../Dockerfile")
suite=trixie
tag=debian:$suite-slim
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gateway/base-images
archive=$cache/$suite-$(uname -m).tar

# One at a time: two test files may want it at once.
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9

if docker image inspect "$pinned" >/dev/null 2>&1 || timeout 120 docker pull --quiet "$pinned" >/dev/null 2>&1; then
  echo "$pinned"
  exit 0
fi
# Each import has a new id, which throws docker's build cache away: one that is there is never replaced.
if docker image inspect "$tag" >/dev/null 2>&1; then
  echo "$tag"
  exit 0
fi

if [ ! -s "$archive" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$pinned cannot be pulled, and only root on Debian or Ubuntu can make it from packages" >&2
    exit 1
  fi
  command -v mmdebstrap >/dev/null ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # What Debian's official image sets, so that layers on it do not hold package lists and archives.
  cat >"$work/docker-clean" <<'SETTINGS'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
Apt::AutoRemove::SuggestsImportant "false";
SETTINGS
  mmdebstrap --quiet --mode=root --format=tar --variant=minbase \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/lintian/*' \
    --customize-hook="install -m 0644 $work/docker-clean \"\$1/etc/apt/apt.conf.d/docker-clean\"; rm -f \"\$1\"/var/cache/apt/*.bin" \
    "$suite" "$archive.part"
  mv "$archive.part" "$archive"
fi
docker import --change 'CMD ["bash"]' "$archive" "$tag" >/dev/null
echo "$tag"
