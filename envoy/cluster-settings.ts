// Settings that clusters share: idle timeout and lifetime of connections, the maximum number of them, and the HTTP
// version.
import type { Address, GatewayModel, UpstreamSettings } from "../model/model.ts";
import { statNameOf } from "../model/upstreams.ts";
import { logMetadata } from "./access-log.ts";
import { CONNECTION_BUFFER, providerWindows } from "./buffers.ts";
import type { Extension, Fields } from "./envoy-types.ts";
import { duration, TCP_KEEPALIVE, typed } from "./envoy-types.ts";

const SECOND = 1000;

const CONNECT_TIMEOUT = 5 * SECOND;
/**
 * Shorter than the servers' own (AWS's load balancers: 60 s), so that no request is sent on a connection that the
 * server is closing.
 */
const IDLE_TIMEOUT_PUBLIC = 50 * SECOND;
/** Self-hosted model servers close early: uvicorn (vLLM) and Node after 5 s. */
const IDLE_TIMEOUT_PLAIN = 4 * SECOND;
/** After this time a connection accepts no new request, so that a busy one eventually follows a DNS change. */
const CONNECTION_LIFETIME = 10 * 60 * SECOND;
/** Streams last minutes, so many are open at once; Envoy's default of 1024 is for short calls. */
const MAX_AT_ONCE = 10_000;

/**
 * Returns the common settings of a cluster.
 * @param settings of connections to providers; every other cluster has the defaults
 */
export function common(
  cluster: string,
  model: GatewayModel,
  settings: UpstreamSettings & {
    /** Maximum in-flight requests. */ atOnce?: number | undefined;
  } = {},
): Fields {
  return {
    alt_stat_name: statNameOf(cluster),
    connect_timeout: duration(settings.connectTimeoutMs ?? CONNECT_TIMEOUT),
    // A name that cannot be resolved must not prevent the gateway from starting.
    wait_for_warm_on_init: false,
    per_connection_buffer_limit_bytes: CONNECTION_BUFFER,
    circuit_breakers: {
      thresholds: [
        {
          max_connections: settings.maxConnections ?? MAX_AT_ONCE,
          max_pending_requests: settings.maxPendingRequests ?? MAX_AT_ONCE,
          max_requests: settings.atOnce ?? MAX_AT_ONCE,
          // Envoy's default of 3 would leave most requests without their fallback when a provider is down.
          max_retries: model.retryBudget ?? MAX_AT_ONCE,
        },
      ],
    },
    upstream_connection_options: {
      tcp_keepalive: TCP_KEEPALIVE,
      // Of several addresses Envoy reports the last failure. On a machine without IPv6 that must be the failure of
      // IPv4.
      happy_eyeballs_config: { first_address_family_version: "V6" },
    },
  };
}

export function protocols(
  address: Address,
  filters: Extension[],
  settings: UpstreamSettings = {},
): Fields {
  const isTls = usesTls(address);
  const idle = settings.idleTimeoutMs ?? (isTls ? IDLE_TIMEOUT_PUBLIC : IDLE_TIMEOUT_PLAIN);
  return {
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
        "extensions.upstreams.http.v3.HttpProtocolOptions",
        {
          common_http_protocol_options: {
            idle_timeout: duration(idle),
            max_connection_duration: duration(CONNECTION_LIFETIME),
          },
          ...(isTls ? negotiated() : { explicit_http_config: { http_protocol_options: {} } }),
          http_filters: filters,
        },
      ),
    },
  };
}

/**
 * Returns the metadata of a cluster that the log of attempts reads: the configured HTTP version, as the log prints it.
 */
export function protocolAskedFor(address: Address): Fields {
  return logMetadata(usesTls(address) ? "HTTP/2" : "HTTP/1.1");
}

function usesTls(address: Address): boolean {
  return address.kind === "host" && address.tls;
}

/** Returns the options for HTTP/2 if the provider offers it (ALPN), else HTTP/1.1. */
export function negotiated(): Fields {
  return {
    auto_config: {
      http_protocol_options: {},
      // Detects a dead connection before a request has to wait for it.
      http2_protocol_options: {
        ...providerWindows(),
        connection_keepalive: { interval: duration(30 * SECOND), timeout: duration(5 * SECOND) },
      },
    },
  };
}
