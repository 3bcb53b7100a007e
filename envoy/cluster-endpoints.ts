// Addresses of a cluster's hosts, and how their names are resolved.
import { isIP } from "node:net";
import type { Address } from "../model/model.ts";
import { type Tunnel, tunnelTo } from "../model/proxy.ts";
import { loggedAs } from "./access-log.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Fields } from "./envoy-types.ts";
import { duration, extension, socketAddress } from "./envoy-types.ts";

const SECOND = 1000;

export function endpoint(address: Address, runtime: RuntimeEnvironment): Fields {
  if (address.kind === "embedded") return socketEndpoint(runtime.demonstrationSocketPath);
  const tunnel = tunnelTo(address);
  if (tunnel !== undefined) return tunnelEndpoint(tunnel);
  return { lb_endpoints: [{ endpoint: { address: socketAddress(address.host, address.port) } }] };
}

/** Returns the endpoint of a part of the gateway that listens on a unix socket. */
export function socketEndpoint(path = ""): Fields {
  const endpoint = { address: { pipe: { path } } };
  return { lb_endpoints: [{ endpoint, metadata: loggedAs(NO_PORT) }] };
}

/** Returns the endpoint of a server that is reached through a proxy: the internal listener that opens the tunnel. */
function tunnelEndpoint({ name, destination }: Tunnel): Fields {
  const address = {
    envoy_internal_address: { server_listener_name: name, endpoint_id: destination },
  };
  return { lb_endpoints: [{ endpoint: { address }, metadata: loggedAs(destination) }] };
}

/** What the access logs show for a unix socket: this machine, with no port. */
const NO_PORT = "127.0.0.1:0";

/**
 * Returns how the host is resolved. One logical endpoint keeps existing connections when a name's addresses change, as
 * they constantly do at large providers, and tries IPv6 and IPv4 of the host one after the other (happy eyeballs). The name of a
 * server that is reached through a proxy is resolved by the proxy.
 */
export function resolution(address: Address): Fields {
  const isStatic =
    address.kind === "embedded" || address.proxy !== undefined || isIP(address.host) !== 0;
  if (isStatic) return { type: "STATIC" };
  return {
    cluster_type: extension("envoy.clusters.dns", "extensions.clusters.dns.v3.DnsCluster", {
      all_addresses_in_single_endpoint: true,
      dns_lookup_family: "ALL",
      respect_dns_ttl: true,
      // For DNS responses without a TTL (hosts file), and after a failure.
      dns_refresh_rate: duration(30 * SECOND),
      dns_failure_refresh_rate: {
        base_interval: duration(1 * SECOND),
        max_interval: duration(10 * SECOND),
      },
    }),
  };
}
