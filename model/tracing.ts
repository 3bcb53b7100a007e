// Where the spans of requests go, and how many there are.
import type { Address, ProviderHeader } from "./address.ts";

export interface Tracing {
  /** Of the collector. */
  address: Extract<Address, { kind: "host" }>;
  /** `<host>:<port>` as the collector's URL has it. */
  authority: string;
  /** OTLP over gRPC, or over HTTP at this path. */
  protocol: { kind: "grpc" } | { kind: "http"; path: string };
  /** What each export carries, such as a key of the collector. */
  headers: ProviderHeader[];
  /** How many of 10,000 requests are traced. */
  sampled: number;
  /** Whether a client's `traceparent` decides instead. */
  followsParent: boolean;
  serviceName: string;
  /** Attributes of the resource. */
  resource: Record<string, string>;
  /** Whether the steps of a prompt have spans. */
  hasSteps: boolean;
  /** Whether `traceparent`, `tracestate` and `baggage` are sent to providers. */
  reachesProviders: boolean;
}

/** Returns the environment variables that headers refer to. */
export function variablesOf(headers: readonly ProviderHeader[] = []): string[] {
  const parts = headers.flatMap((header) => header.parts);
  return parts.flatMap((part) => ("environment" in part ? [part.environment] : []));
}
