// The parts of Envoy's API that the gateway writes, as plain objects: exact types between our own functions, open types
// for what Envoy validates anyway.
import type {
  LISTENER_EGRESS,
  LISTENER_INGRESS,
  LISTENER_INTERNAL_EGRESS,
} from "../contract/words.ts";

/** Any YAML value. */
export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };
export type Fields = Record<string, Value>;

/** `google.protobuf.Any` in its YAML form. */
export type Typed = { "@type": string } & Fields;

/** A named extension: filter, access logger, matcher … */
export type Extension = { name: string; typed_config: Typed } & Fields;

/** @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/accesslog/v3/accesslog.proto */
export type AccessLog = Extension & { filter: Fields };

/** @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/bootstrap/v3/bootstrap.proto */
export interface Bootstrap {
  node: { id: string; cluster: string };
  admin: Fields;
  typed_dns_resolver_config: Extension;
  overload_manager: Fields;
  memory_allocator_manager: Fields;
  layered_runtime: Fields;
  bootstrap_extensions: Extension[];
  static_resources: { listeners: Listener[]; clusters: Cluster[] };
}

/** @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/listener/v3/listener.proto */
export type Listener = {
  name: string;
  /** Absent for an internal listener. */
  address?: Value;
  filter_chains: { filters: Extension[] }[];
} & Fields;

/** The listeners whose requests pass through the filter. */
export type ListenerName =
  typeof LISTENER_INGRESS | typeof LISTENER_EGRESS | typeof LISTENER_INTERNAL_EGRESS;

/** @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/route/v3/route_components.proto */
export type Route = { match: Fields } & Fields;

/** @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/cluster/v3/cluster.proto */
export type Cluster = { name: string } & Fields;

/** Returns the `typed_config` of the message `envoy.<name>`. */
export function typed(message: string, fields: Fields = {}): Typed {
  return { "@type": `type.googleapis.com/envoy.${message}`, ...fields };
}

export function extension(name: string, message: string, fields: Fields = {}): Extension {
  return { name, typed_config: typed(message, fields) };
}

/** Returns milliseconds as protobuf's JSON form of a duration: `0.25s`. */
export function duration(milliseconds: number): string {
  return `${String(milliseconds / 1000)}s`;
}

/** Detects a peer that vanished without closing the connection, within about a minute. */
export const TCP_KEEPALIVE = { keepalive_probes: 3, keepalive_time: 30, keepalive_interval: 10 };

export function socketAddress(address: string, port: number): Fields {
  return { socket_address: { address, port_value: port } };
}
