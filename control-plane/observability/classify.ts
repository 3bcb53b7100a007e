// The words of a request's labels: those of OpenTelemetry's conventions for generative AI where they have one.
// @see https://github.com/open-telemetry/semantic-conventions-genai
import { ENDPOINTS } from "../../contract/endpoints.ts";
import { BROKEN } from "../../contract/usage-record.ts";
import type { UsageLine } from "./usage-line.ts";

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
