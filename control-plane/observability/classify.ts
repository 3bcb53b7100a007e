// The words of a request's labels: those of OpenTelemetry's conventions for generative AI where they have one.
// @see https://github.com/open-telemetry/semantic-conventions-genai
import { ENDPOINTS } from "../../contract/endpoints.ts";
import { BROKEN } from "../../contract/usage-record.ts";
import type { UsageLine } from "../usage/usage-line.ts";

const OPERATIONS: ReadonlyMap<string, string> = new Map(
  ENDPOINTS.flatMap(({ path, operation }) => (operation === "" ? [] : [[path, operation]])),
);

/** Returns `gen_ai.operation.name`; undefined for an endpoint without tokens. */
export function operationOf(endpoint: string | undefined): string | undefined {
  return endpoint === undefined ? undefined : OPERATIONS.get(endpoint);
}

/** Flags of Envoy, and what they mean for the client. */
const FLAGS: Readonly<Record<string, string>> = {
  DC: "client_disconnected",
  UT: "timeout",
  SI: "timeout",
  DT: "timeout",
  UR: "upstream_reset",
  UC: "upstream_reset",
  UPE: "upstream_reset",
};

/** Returns `error.type`; empty for a request that succeeded. */
export function errorType({ status, flags, record }: UsageLine): string {
  for (const flag of flags) {
    const type = FLAGS[flag];
    if (type !== undefined) return type;
  }
  if (status >= 400) return String(status);
  if (record?.error === BROKEN) return BROKEN;
  return status === 0 ? "_OTHER" : "";
}

/** Codes of errors, of the gateway and of providers, and what they are about. */
const KINDS_OF_CODES: Readonly<Record<string, string>> = {
  broken_stream: "broken_stream",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  context_length_exceeded: "context_length",
  insufficient_quota: "quota",
  invalid_api_key: "authentication",
  model_not_allowed: "permission",
  model_not_found: "model_not_found",
  rate_limit_exceeded: "rate_limit",
};

const KINDS_OF_STATUSES: Readonly<Record<number, string>> = {
  401: "authentication",
  403: "permission",
  404: "not_found",
  408: "timeout",
  413: "too_large",
  429: "rate_limit",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

/** Returns what an error is about, a word of a fixed list; undefined for a request that succeeded. */
export function errorKind(line: UsageLine): string | undefined {
  const type = errorType(line);
  if (type === "") return undefined;
  const { status, flags, record } = line;
  for (const code of [record?.code, record?.error]) {
    const kind = code === undefined ? undefined : KINDS_OF_CODES[code];
    if (kind !== undefined) return kind;
  }
  if (flags.includes("UF")) return "connection_failure";
  if (!/^\d+$/.test(type)) return type === "_OTHER" ? "other" : type;
  return KINDS_OF_STATUSES[status] ?? (status >= 500 ? "server_error" : "invalid_request");
}
