// A listener: where clients connect, how long they may take, how much they may send.
import { LISTENER_OWN_EGRESS } from "../contract/words.ts";
import type { GatewayModel, Listener as ModelListener } from "../control-plane/ir/model.ts";
import { ingressLogs } from "./access-log.ts";
import { listenerBuffer } from "./buffers.ts";
import { httpFilters } from "./filters.ts";
import { listenerTls } from "./listener-tls.ts";
import { localReplies } from "./local-replies.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { routeConfiguration } from "./routes.ts";
import type { Fields, Listener, ListenerName } from "./types.ts";
import { duration, extension, socketAddress, TCP_KEEPALIVE } from "./types.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** For the head of a request, from its first byte. */
const HEADERS_TIMEOUT = 15 * SECOND;
/** For a whole request, body included: 32 MiB take that long at 2 Mbit/s. */
const REQUEST_TIMEOUT = 2 * MINUTE;
/** For the next bytes of a request; once it is whole, the route's timeouts rule. */
const STREAM_IDLE_TIMEOUT = 1 * MINUTE;
/** For the next request on a connection: longer than usual load balancers keep theirs. */
const CLIENT_IDLE_TIMEOUT = 15 * MINUTE;

/** Mode of a socket. */
export const OWNER_ONLY = 0o600;

/** HTTP/2 accepts windows between these (RFC 9113, section 6.9.2). */
const MIN_WINDOW_BYTES = 65_535;
const MAX_WINDOW_BYTES = 2_147_483_647;

export function listener(
  name: ModelListener["name"],
  own: ModelListener,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
): Listener {
  return {
    name,
    address: socketAddress(own.address, own.port),
    // Clients come in here: at the end these listeners close, and the others go on for the prompts in flight.
    traffic_direction: "INBOUND",
    // A client that is gone has its request at the provider reset, which costs money until then.
    tcp_keepalive: TCP_KEEPALIVE,
    ...http(name, own, model, runtime, listenerTls(own, runtime)),
  };
}

/** What egress serves, for the model server alone: without the keys and TLS that clients may need. */
export function ownEgress(model: GatewayModel, runtime: RuntimeEnvironment): Listener {
  const path = runtime.ownEgressSocketPath ?? "";
  return {
    name: LISTENER_OWN_EGRESS,
    address: { pipe: { path, mode: OWNER_ONLY } },
    // However many clients there are, their prompts need it.
    ignore_global_conn_limit: true,
    ...http(LISTENER_OWN_EGRESS, model.egress, model, runtime),
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
    per_connection_buffer_limit_bytes: listenerBuffer(model),
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
              ...timeouts(name, own, model),
              local_reply_config: localReplies(model),
              access_log: ingressLogs(model, runtime),
              route_config: routeConfiguration(own, model, runtime),
              http_filters: httpFilters(name, model, runtime),
            },
          ),
        ],
      },
    ],
  };
}

/** Headers about the client and the gateway: request ids are kept or created, and nothing else is added. */
export function identity(): Fields {
  return {
    generate_request_id: true,
    preserve_external_request_id: true,
    use_remote_address: false,
    skip_xff_append: true,
    server_header_transformation: "PASS_THROUGH",
    // :scheme as the provider's connection has it; HTTP/2 providers compare it.
    scheme_header_transformation: { match_upstream: true },
  };
}

function protocol(model: GatewayModel): Fields {
  const window = Math.min(Math.max(listenerBuffer(model), MIN_WINDOW_BYTES), MAX_WINDOW_BYTES);
  return {
    max_request_headers_kb: model.limits.requestHeadersKib,
    // Proxies in front may use HTTP/1.0 by default, and such a request may have no host.
    http_protocol_options: { accept_http_10: true, default_host_for_http_10: "gateway" },
    http2_protocol_options: {
      // A body is held whole, so the window has to let it in: Envoy takes its buffer limit from it.
      initial_stream_window_size: window,
      initial_connection_window_size: window,
      // One bad request does not cost the other streams of a connection their answer.
      override_stream_error_on_invalid_http_message: true,
    },
  };
}

function timeouts(name: ListenerName, own: ModelListener, model: GatewayModel): Fields {
  // A prompt's own steps are silence on its stream, and have the listener's timeout as their limit.
  const steps = name === "ingress" && model.prompt !== undefined ? own.timeoutMs + SECOND : 0;
  return {
    request_headers_timeout: duration(HEADERS_TIMEOUT),
    request_timeout: duration(REQUEST_TIMEOUT),
    stream_idle_timeout: duration(Math.max(STREAM_IDLE_TIMEOUT, steps)),
    common_http_protocol_options: {
      idle_timeout: duration(model.clientIdleTimeoutMs ?? CLIENT_IDLE_TIMEOUT),
    },
  };
}
