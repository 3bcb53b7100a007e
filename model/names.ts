// Words of the command line that several commands share.

/** From the most to the least. */
export const LOG_LEVELS = [
  "trace",
  "debug",
  "info",
  "warning",
  "error",
  "critical",
  "off",
] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where access log lines go: to their files, or to these and standard output. */
export const ACCESS_LOG_PLACES = ["file", "stdout"] as const;
export type AccessLogPlace = (typeof ACCESS_LOG_PLACES)[number];

/** Default time for open requests to finish after a stop. */
export const DEFAULT_DRAIN_MS = 30_000;
/** Default drain timeout of a listener that a reload changes. */
export const DEFAULT_RELOAD_DRAIN_MS = 600_000;

/** The access logs by the name that `gateway logs --access` takes. */
export const ACCESS_LOGS = ["ingress", "llm", "internal"] as const;
export type AccessLogName = (typeof ACCESS_LOGS)[number];

/** The component of the lines in which Envoy logs failed tunnels through proxies. */
export const TUNNEL_COMPONENT = "tunnel";

/** The log of usage records, which the control plane reads. */
export const USAGE_LOG = "usage";
/** The log of the content of requests and responses. */
export const CONTENT_LOG = "content";
/** All logs that Envoy writes. */
export const ENVOY_LOGS = [...ACCESS_LOGS, USAGE_LOG, CONTENT_LOG] as const;

/** `llm` → `access_llm.log`. */
export function accessLogFile(name: (typeof ENVOY_LOGS)[number]): string {
  return `access_${name}.log`;
}
