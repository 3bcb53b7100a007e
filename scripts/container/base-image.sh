#!/usr/bin/env bash
# Sees to it that docker has the Dockerfile's base image: one that is there, else the registry's, else (root, where no
# registry can be reached) the same made from Debian's package archive and kept in the user's cache.
# Usage: base-image.sh [tag]
set -euo pipefail

tag=${1:-debian:trixie-slim}
suite=${tag#debian:}
suite=${suite%-slim}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gateway/base-images
archive=$cache/$suite-$(uname -m).tar

# One at a time: two test files may want it at once.
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9

# Each import has a new id, which throws docker's build cache away: one that is there is never replaced.
docker image inspect "$tag" >/dev/null 2>&1 && exit 0
timeout 120 docker pull --quiet "$tag" >/dev/null 2>&1 && exit 0

if [ ! -s "$archive" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$tag cannot be pulled, and only root on Debian or Ubuntu can make it from packages" >&2
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
