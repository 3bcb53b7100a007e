// The internal listener: the filter's own calls of a prompt's flow pass through it, so that they are logged and routed
// like requests.
import { HEADER_CLUSTER, HEADER_DETAILS, HEADER_LOGGED_PATH } from "../contract/words.ts";
import { INTERNAL_CLUSTER } from "../model/filter-document/document-prompt.ts";
import type { GatewayModel } from "../model/model.ts";
import { internalLogs, LOGGED_PATH } from "./access-log.ts";
import { CONNECTION_BUFFER } from "./buffers.ts";
import { decompressors, remember } from "./filters.ts";
import { identity } from "./listeners.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { rememberedStep, stepTracing } from "./tracer.ts";
import type { Extension, Fields, Listener } from "./envoy-types.ts";
import { duration, extension } from "./envoy-types.ts";

/** Parameter values become part of paths, each up to 6 KiB encoded. */
const MAX_HEAD_KIB = 128;

/** Returns the bootstrap extension that Envoy needs for listeners without an address. */
export function internalListenerExtension(): Extension {
  return extension(
    "envoy.bootstrap.internal_listener",
    "extensions.bootstrap.internal_listener.v3.InternalListener",
  );
}

export function internalListener(model: GatewayModel, runtime: RuntimeEnvironment): Listener {
  return {
    name: INTERNAL_CLUSTER,
    internal_listener: {},
    // Exempt from the connection limit of the clients: the calls belong to in-flight requests.
    ignore_global_conn_limit: true,
    per_connection_buffer_limit_bytes: CONNECTION_BUFFER,
    filter_chains: [
      {
        filters: [
          extension(
            "envoy.filters.network.http_connection_manager",
            "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            {
              stat_prefix: INTERNAL_CLUSTER,
              codec_type: "HTTP1",
              // The client's request id is kept, so that all log lines of a request share it.
              ...identity(),
              max_request_headers_kb: MAX_HEAD_KIB,
              ...stepTracing(model),
              access_log: internalLogs(model, runtime),
              route_config: routeConfiguration(model),
              // The upstream filters remove the header, so the log reads it from filter state.
              http_filters: [
                remember({
                  [LOGGED_PATH]: `%REQ(${HEADER_LOGGED_PATH})%`,
                  ...rememberedStep(model),
                }),
                ...decompressors(),
                router(),
              ],
            },
          ),
        ],
      },
    ],
  };
}

/**
 * Returns the routes. The filter names the cluster, and no client can: this listener has no address. There are no
 * retries, because an API may have acted already; a redirect is returned as the response, and not followed to another
 * host.
 */
function routeConfiguration({ ingress }: GatewayModel): Fields {
  // The filter gives every call a shorter timeout; this one is the fallback.
  const timeout = duration(ingress.timeoutMs + 1000);
  const route = { cluster_header: HEADER_CLUSTER, timeout, idle_timeout: "0s" };
  return {
    name: INTERNAL_CLUSTER,
    // By this header the filter distinguishes an API's response from Envoy's local replies.
    response_headers_to_add: [
      {
        header: { key: HEADER_DETAILS, value: "%RESPONSE_CODE_DETAILS%" },
        append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
      },
    ],
    virtual_hosts: [
      { name: INTERNAL_CLUSTER, domains: ["*"], routes: [{ match: { prefix: "/" }, route }] },
    ],
  };
}

function router(): Extension {
  return extension("envoy.filters.http.router", "extensions.filters.http.router.v3.Router", {
    suppress_envoy_headers: true,
  });
}
