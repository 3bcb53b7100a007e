// What an export carries besides the metrics: headers with their secrets filled in, and whose metrics they are.
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { ProviderHeader } from "../../../model/address.ts";
import type { Tracing } from "../../../model/tracing.ts";

const SERVICE_NAME = "gateway";

export function headersOf(
  headers: readonly ProviderHeader[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    headers.map(({ name, parts }) => [
      name,
      parts
        .map((part) => ("environment" in part ? (environment[part.environment] ?? "") : part.text))
        .join(""),
    ]),
  );
}

/**
 * Returns the attributes of the resource, which are those of the traces. The instance keeps its name over restarts, as its
 * counts do: gateways that share a collector must not share series.
 */
export function resourceOf(
  tracing: Pick<Tracing, "serviceName" | "resource"> | undefined,
  version: string,
  directory: string,
): Record<string, string> {
  const instance = createHash("sha256").update(`${hostname()}\0${directory}`).digest("hex");
  return {
    "service.name": tracing?.serviceName ?? SERVICE_NAME,
    "service.version": version,
    "service.instance.id": instance.slice(0, 16),
    ...tracing?.resource,
  };
}
