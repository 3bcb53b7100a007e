#!/usr/bin/env bash
# Builds the image of this checkout as gateway:<version> (or the tag that is named), with whatever docker is there.
# Usage: build-image.sh [tag [argument of docker build …]]
# BASE_IMAGE is built on in place of the one that the Dockerfile pins (base-image.sh, where no registry can be reached).
# CA_BUNDLE names a PEM bundle for networks that sign TLS anew; without it, it is what SSL_CERT_FILE names.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
tag=${1:-gateway:$version}
[ $# -eq 0 ] || shift
arguments=(--tag "$tag" --build-arg "VERSION=$version" --build-arg "REVISION=$revision")
[ -z "${BASE_IMAGE:-}" ] || arguments+=(--build-arg "BASE_IMAGE=$BASE_IMAGE")
bundle=${CA_BUNDLE:-${SSL_CERT_FILE:-}}
[ -z "$bundle" ] || arguments+=(--secret "id=ca,src=$bundle")
# The dockerd of docker-up.sh has no bridge to the outside.
docker network inspect bridge >/dev/null 2>&1 || arguments+=(--network host)

if docker buildx version >/dev/null 2>&1; then
  exec docker buildx build --load "${arguments[@]}" "$@" .
fi
# Clients up to version 20 carry BuildKit themselves; the first one on PATH may be newer, and have no buildx plugin.
for client in docker /usr/bin/docker; do
  case $("$client" version --format '{{.Client.Version}}' 2>/dev/null) in
    1[89].* | 20.*) DOCKER_BUILDKIT=1 exec "$client" build "${arguments[@]}" "$@" . ;;
  esac
done
echo "The image needs BuildKit: install docker-buildx." >&2
exit 1
