// The proxies through which providers are reached: a tunnel by CONNECT, with the provider's TLS inside. Passwords are only in the
// environment; the model has the names of the variables.
import { BlockList, isIP } from "node:net";
import { remoteKeySets } from "./json-web-tokens.ts";
import type { Address, DefaultProxy, Proxy } from "./address.ts";
import type { GatewayModel } from "./model.ts";

type HostAddress = Extract<Address, { kind: "host" }>;

/** Returns `http://proxy.example.com:3128`, without credentials. */
export function proxyUrl(proxy: Proxy): string {
  return `${proxy.tls ? "https" : "http"}://${hostPort(proxy)}`;
}

/** Returns `<host>:<port>`, with brackets around an IPv6 address. */
export function hostPort({ host, port }: { host: string; port: number }): string {
  return `${host.includes(":") ? `[${host}]` : host}:${String(port)}`;
}

/** Returns an address that is reached through the default proxy, unless the proxy does not apply to it. */
export function throughDefault(
  address: HostAddress,
  standard: DefaultProxy | undefined,
): HostAddress {
  if (standard === undefined || !address.tls || isExempt(address, standard.exceptions))
    return address;
  return { ...address, proxy: standard.proxy };
}

/** Networks of this machine, and of the metadata servers of clouds: no proxy can reach them for it. */
const NEVER = ["localhost", "127.0.0.0/8", "::1", "169.254.0.0/16", "fe80::/10"];

/** Returns whether a host is reached directly although there is a default proxy. */
export function isExempt(
  { host, port }: { host: string; port: number },
  exceptions: readonly string[],
): boolean {
  return [...NEVER, ...exceptions].some((pattern) => matches(pattern.toLowerCase(), host, port));
}

/**
 * Returns whether a pattern of NO_PROXY matches. There is no standard: as in curl and Go, a name also matches the names below it,
 * with or without a dot or `*.` in front.
 */
function matches(pattern: string, host: string, port: number): boolean {
  if (pattern === "*") return true;
  const [, name = "", only] = /^(.*[^:]):(\d+)$/.exec(pattern) ?? ["", pattern];
  const isAddress = isIP(pattern) !== 0;
  if (!isAddress && only !== undefined && Number(only) !== port) return false;
  const wanted = (isAddress ? pattern : name).replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) return wanted === host || isInNetwork(wanted, host);
  const domain = wanted.replace(/^\*?\./, "");
  const lower = host.toLowerCase();
  return domain !== "" && (lower === domain || lower.endsWith(`.${domain}`));
}

function isInNetwork(network: string, host: string): boolean {
  const [, start = "", bits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(network) ?? [];
  const version = isIP(start);
  if (version === 0 || version !== isIP(host) || Number(bits) > (version === 4 ? 32 : 128))
    return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(start, Number(bits), family);
  return list.check(host, family);
}

/** Returns NO_PROXY in the words of Node, which takes a name literally: `example.com` becomes two patterns. */
export function exceptionsForNode(exceptions: readonly string[]): string {
  const names = ["localhost", "127.0.0.1", "::1", "169.254.169.254", ...exceptions];
  return names
    .flatMap((pattern) =>
      /^[a-z0-9][\w.-]*(?::\d+)?$/i.test(pattern) && isIP(pattern) === 0
        ? [pattern, `.${pattern}`]
        : [pattern],
    )
    .join(",");
}

/** One tunnel: Envoy's internal listener that asks a proxy for a connection to one server. */
export interface Tunnel {
  /** Of the listener. */
  name: string;
  /** `<host>:<port>`, as the proxy is asked for it. */
  destination: string;
  proxy: Proxy;
  /** Whether there is TLS inside. */
  isSecure: boolean;
}

/** Returns the tunnel to a server; undefined if it is reached directly. */
export function tunnelTo(address: Address): Tunnel | undefined {
  if (address.kind !== "host" || address.proxy === undefined) return undefined;
  const destination = hostPort(address);
  const { proxy, tls: isSecure } = address;
  const name = ["tunnel", destination, ...(isSecure ? [] : ["plain"]), proxyName(proxy)].join("/");
  return { name, destination, proxy, isSecure };
}

/** Returns a name of the proxy that is unique for its address, TLS and credential. */
export function proxyName({ credential, ...proxy }: Proxy): string {
  return [
    hostPort(proxy),
    ...(proxy.tls ? ["tls"] : []),
    ...(credential === undefined ? [] : [`as=${credential}`]),
  ].join("/");
}

type TunnelUsers = Pick<GatewayModel, "targets" | "tracing" | "ingress" | "egress">;

/** Returns each tunnel that the model needs, once. */
export function tunnelsOf({ targets, tracing, ingress, egress }: TunnelUsers): Tunnel[] {
  const addresses = [
    ...targets.map(({ address }) => address),
    ...(tracing === undefined ? [] : [tracing.address]),
    ...remoteKeySets([ingress, egress]).map(({ address }) => address),
  ];
  const tunnels = addresses.flatMap((address) => tunnelTo(address) ?? []);
  return [...new Map(tunnels.map((tunnel) => [tunnel.name, tunnel])).values()];
}

/** Returns the name of the variable by which Envoy gets the value of `proxy-authorization`. */
export function authorizationVariable(credential: string): string {
  return `GATEWAY_PROXY_AUTHORIZATION_${credential}`;
}

/** Returns Envoy's variables with the credentials of proxies, from the URLs in the environment. */
export function proxyVariables(
  model: TunnelUsers,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = tunnelsOf(model).flatMap(({ proxy }) => proxy.credential ?? []);
  return Object.fromEntries(
    names.map((name) => [authorizationVariable(name), authorization(environment[name] ?? "")]),
  );
}

/** Returns the value of `proxy-authorization` for the credentials of a URL. */
export function authorization(url: string): string {
  const parsed = parseProxyUrl(url);
  if (parsed === null) return "";
  const words = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
  return `Basic ${Buffer.from(words).toString("base64")}`;
}

/** Parses the URL of a proxy. Without a scheme it is http, as in curl; null if it is none. */
export function parseProxyUrl(text: string): URL | null {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") return null;
  if (!/^\/?$/.test(url.pathname + url.search + url.hash)) return null;
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
    return url;
  } catch {
    return null;
  }
}
