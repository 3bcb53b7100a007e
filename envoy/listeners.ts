// A listener: where clients connect, its timeouts, and how much clients may send.
import { LISTENER_INTERNAL_EGRESS } from "../contract/words.ts";
import type { GatewayModel, Listener as ModelListener } from "../model/model.ts";
import { ingressLogs } from "./access-log.ts";
import { CONNECTION_BUFFER, windows } from "./buffers.ts";
import { httpFilters } from "./filters.ts";
import { listenerTls } from "./listener-tls.ts";
import { localReplies } from "./local-replies.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { routeConfiguration } from "./routes.ts";
import type { Fields, Listener, ListenerName } from "./envoy-types.ts";
import { duration, extension, socketAddress, TCP_KEEPALIVE } from "./envoy-types.ts";
import { tracingOf } from "./tracer.ts";
import { contentLogs } from "./content-log.ts";
import { usageLogs } from "./usage-log.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Timeout for the head of a request, from its first byte. */
const HEADERS_TIMEOUT = 15 * SECOND;
/** Timeout for a whole request, body included: 32 MiB take that long at 2 Mbit/s. Then the route's timeouts apply. */
const REQUEST_TIMEOUT = 2 * MINUTE;
/** Idle timeout for the next request on a connection: longer than the usual idle timeout of load balancers. */
const CLIENT_IDLE_TIMEOUT = 15 * MINUTE;
/** Until a client has to read what was written for it. */
const FLUSH_TIMEOUT = MINUTE;

/** File mode of a socket. */
export const OWNER_ONLY = 0o600;

export function listener(
  name: ModelListener["name"],
  own: ModelListener,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
): Listener {
  return {
    name,
    address: socketAddress(own.address, own.port),
    // Client traffic enters here: at shutdown these listeners close, and the internal ones stay open for prompts in
    // flight.
    traffic_direction: "INBOUND",
    // Detects a vanished client, so that its request at the provider, which costs money, is reset.
    tcp_keepalive: TCP_KEEPALIVE,
    ...http(name, own, model, runtime, listenerTls(own, runtime)),
  };
}

/**
 * Returns the listener that serves the same as egress to the model server alone: without the API keys and TLS that
 * clients may need.
 */
export function ownEgress(model: GatewayModel, runtime: RuntimeEnvironment): Listener {
  const path = runtime.ownEgressSocketPath ?? "";
  return {
    name: LISTENER_INTERNAL_EGRESS,
    // Instead of the path of the socket, which differs by machine, in the names of its metrics.
    stat_prefix: LISTENER_INTERNAL_EGRESS,
    address: { pipe: { path, mode: OWNER_ONLY } },
    // Exempt from the connection limit: the clients' prompts need it, whatever their number.
    ignore_global_conn_limit: true,
    ...http(LISTENER_INTERNAL_EGRESS, model.egress, model, runtime),
  };
}

function http(
  name: ListenerName,
  own: ModelListener,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
  tls: Fields = {},
): Pick<Listener, "filter_chains"> & Fields {
  return {
    per_connection_buffer_limit_bytes: CONNECTION_BUFFER,
    filter_chains: [
      {
        ...tls,
        filters: [
          extension(
            "envoy.filters.network.http_connection_manager",
            "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            {
              stat_prefix: name,
              codec_type: "AUTO",
              ...identity(),
              ...protocol(model),
              ...timeouts(model),
              ...tracingOf(name, model),
              local_reply_config: localReplies(model),
              access_log: [
                ...ingressLogs(model, runtime),
                ...usageLogs(model, runtime),
                ...contentLogs(model, runtime),
              ],
              route_config: routeConfiguration(own, model, runtime),
              http_filters: httpFilters(name, model, runtime),
            },
          ),
        ],
      },
    ],
  };
}

/**
 * Returns the settings of headers about the client and the gateway: request ids are kept or created, and no other
 * header is added.
 */
export function identity(): Fields {
  return {
    generate_request_id: true,
    preserve_external_request_id: true,
    use_remote_address: false,
    skip_xff_append: true,
    server_header_transformation: "PASS_THROUGH",
    // :scheme is set to that of the provider's connection; HTTP/2 providers compare the two.
    scheme_header_transformation: { match_upstream: true },
  };
}

function protocol(model: GatewayModel): Fields {
  return {
    max_request_headers_kb: model.limits.requestHeadersKib,
    // Proxies in front may use HTTP/1.0 by default, and such a request may have no host.
    http_protocol_options: { accept_http_10: true, default_host_for_http_10: "gateway" },
    http2_protocol_options: {
      ...windows(),
      // One invalid request does not break the other streams of its connection.
      override_stream_error_on_invalid_http_message: true,
    },
  };
}

function timeouts(model: GatewayModel): Fields {
  return {
    request_headers_timeout: duration(HEADERS_TIMEOUT),
    request_timeout: duration(REQUEST_TIMEOUT),
    // The request timeout limits how long a client sends, and each route the silence of a provider. A timer of the listener
    // would be set again with every event: 4,800 instructions of a small request.
    stream_idle_timeout: "0s",
    // Otherwise a client that does not read could keep the responses that no route limits, such as a 401.
    stream_flush_timeout: duration(FLUSH_TIMEOUT),
    common_http_protocol_options: {
      idle_timeout: duration(model.clientIdleTimeoutMs ?? CLIENT_IDLE_TIMEOUT),
    },
  };
}
