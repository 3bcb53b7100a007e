// Tunnels to providers through a proxy: an internal listener for each server asks the proxy for a connection (CONNECT), and the
// provider's cluster, which has TLS and the certificate check, connects to that listener. docs/proxies.md
import type { GatewayModel, Proxy } from "../model/model.ts";
import { authorizationVariable, proxyName, proxyUrl, tunnelsOf } from "../model/proxy.ts";
import type { Tunnel } from "../model/proxy.ts";
import { TUNNEL_COMPONENT } from "../model/names.ts";
import { common } from "./cluster-settings.ts";
import { endpoint, resolution } from "./cluster-endpoints.ts";
import { CONNECTION_BUFFER } from "./buffers.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { tlsOf } from "./tls.ts";
import type { AccessLog, Cluster, Fields, Listener } from "./envoy-types.ts";
import { duration, extension } from "./envoy-types.ts";

/**
 * Envoy does not see that the provider's cluster has given up a tunnel for which it still waits, so it would wait for ever. No
 * response is as long.
 */
const MAX_LIFETIME = "7200s";
const CONNECT_TIMEOUT_MS = 5000;

/** Returns one listener for each server that is reached through a proxy. */
export function tunnelListeners(model: GatewayModel): Listener[] {
  return tunnelsOf(model).map((tunnel) => ({
    name: tunnel.name,
    // Instead of the name, which has dots and slashes, in the names of its metrics.
    stat_prefix: "tunnel",
    internal_listener: {},
    // Exempt from the connection limit of the clients: a connection to a provider belongs to their requests.
    ignore_global_conn_limit: true,
    per_connection_buffer_limit_bytes: CONNECTION_BUFFER,
    filter_chains: [
      {
        filters: [
          extension(
            "envoy.filters.network.tcp_proxy",
            "extensions.filters.network.tcp_proxy.v3.TcpProxy",
            {
              stat_prefix: "tunnel",
              cluster: clusterOf(tunnel.proxy),
              // The provider's cluster decides how long a connection is kept.
              idle_timeout: "0s",
              tunneling_config: {
                hostname: tunnel.destination,
                headers_to_add: authorizationHeader(tunnel.proxy),
              },
              max_downstream_connection_duration: MAX_LIFETIME,
              access_log: [failureLog(tunnel)],
              ...(tunnel.isSecure ? reportWhileSilent(model) : {}),
            },
          ),
        ],
      },
    ],
  }));
}

/**
 * A tunnel through which nothing has come after the time for connections has failed. Only with TLS, where the server speaks at once: a
 * plain one writes nothing until its response begins.
 */
function reportWhileSilent({ upstream }: GatewayModel): Fields {
  const interval = Math.max(upstream?.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, 1000);
  return { access_log_options: { access_log_flush_interval: duration(interval) } };
}

/** Envoy fills the value in from its environment, so no file has it. */
function authorizationHeader({ credential }: Proxy): Fields[] {
  if (credential === undefined) return [];
  const value = `%ENVIRONMENT(${authorizationVariable(credential)})%`;
  return [{ header: { key: "proxy-authorization", value } }];
}

/**
 * Returns the log of failed tunnels, on Envoy's standard error: for the request such a failure is only a closed connection. The
 * lines have the form of Envoy's own (supervisor/envoy-process.ts); supervisor/tunnel-failures.ts words them.
 */
function failureLog({ destination, proxy }: Tunnel): AccessLog {
  const values = [
    destination,
    proxyUrl(proxy),
    "%RESPONSE_FLAGS%",
    "%RESPONSE_CODE_DETAILS%",
    "%CONNECTION_TERMINATION_DETAILS%",
    "%UPSTREAM_TRANSPORT_FAILURE_REASON%",
  ];
  const line = `%START_TIME(%Y-%m-%d %H:%M:%S.%3f)%\twarning\t${TUNNEL_COMPONENT}\t${values.join(" ")}\n`;
  return {
    ...extension(
      "envoy.access_loggers.stderr",
      "extensions.access_loggers.stream.v3.StderrAccessLog",
      { log_format: { text_format_source: { inline_string: line } } },
    ),
    // Also without a flag: a proxy that never responded has sent nothing.
    filter: {
      extension_filter: extension(
        "envoy.access_loggers.extension_filters.cel",
        "extensions.access_loggers.filters.cel.v3.ExpressionFilter",
        { expression: "response.flags != 0 || response.size == 0" },
      ),
    },
  };
}

/** Returns one cluster for each proxy. */
export function proxyClusters(model: GatewayModel, runtime: RuntimeEnvironment): Cluster[] {
  const proxies = new Map(tunnelsOf(model).map(({ proxy }) => [clusterOf(proxy), proxy]));
  return [...proxies].map(([name, { host, port, tls }]) => {
    const address = { kind: "host", host, port, tls, serverName: host } as const;
    return {
      name,
      ...common(name, model, {
        ...(model.upstream?.connectTimeoutMs === undefined
          ? {}
          : { connectTimeoutMs: model.upstream.connectTimeoutMs }),
      }),
      ...resolution(address),
      ...tlsOf(address, runtime),
      load_assignment: { cluster_name: name, endpoints: [endpoint(address, runtime)] },
    };
  });
}

function clusterOf(proxy: Proxy): string {
  return `proxy/${proxyName(proxy)}`;
}
