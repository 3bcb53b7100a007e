// Where the hosts of a cluster are, and how their names become addresses.
import { isIP } from "node:net";
import type { Address } from "../control-plane/ir/model.ts";
import { loggedAs } from "./access-log.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Fields } from "./types.ts";
import { duration, extension, socketAddress } from "./types.ts";

const SECOND = 1000;

export function endpoint(address: Address, runtime: RuntimeEnvironment): Fields {
  if (address.kind === "embedded") return socketEndpoint(runtime.demonstrationSocketPath);
  return { lb_endpoints: [{ endpoint: { address: socketAddress(address.host, address.port) } }] };
}

/** A part of the gateway that listens on a unix socket. */
export function socketEndpoint(path = ""): Fields {
  const endpoint = { address: { pipe: { path } } };
  return { lb_endpoints: [{ endpoint, metadata: loggedAs(NO_PORT) }] };
}

/** What the access logs have for a unix socket: on this machine, at no port of it. */
const NO_PORT = "127.0.0.1:0";

/**
 * How the host is found. One logical endpoint keeps the connections that there are when a name's addresses change, as
 * they do all the time at large providers, and tries IPv6 and IPv4 of the host one after the other (happy eyeballs).
 */
export function resolution(address: Address): Fields {
  if (address.kind === "embedded" || isIP(address.host) !== 0) return { type: "STATIC" };
  return {
    cluster_type: extension("envoy.clusters.dns", "extensions.clusters.dns.v3.DnsCluster", {
      all_addresses_in_single_endpoint: true,
      dns_lookup_family: "ALL",
      respect_dns_ttl: true,
      // For answers without a lifetime (hosts file), and after a failure.
      dns_refresh_rate: duration(30 * SECOND),
      dns_failure_refresh_rate: {
        base_interval: duration(1 * SECOND),
        max_interval: duration(10 * SECOND),
      },
    }),
  };
}
