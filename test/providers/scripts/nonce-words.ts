// What client and providers of the soak agree on.
import type { DialectName, ProviderDialect } from "../wire.ts";

/** Text deltas of a response, each with the number of its request and its own. */
export const DELTAS = 5;
/** Between two events of a slow stream. */
export const PACE_MS = 20;

export const NONCE = /nonce:(\d+);/;
export const FAULT = /\[fault ([^\]]+)\]/;

/** No fault, but a pause after each event. */
export const SLOW = "slow";

/** The text of the response to a request, by its number. */
export function textsOf(number: number): string[] {
  return Array.from({ length: DELTAS }, (_, at) => `nonce:${String(number)};${String(at)} `);
}

/** The providers, each with its wire format. */
export const PROVIDERS = ["chat", "messages", "gemini"] as const satisfies ProviderDialect[];
export type ProviderName = (typeof PROVIDERS)[number];
export const CLIENTS = ["chat", "messages", "responses"] as const satisfies DialectName[];

/** Of each provider one place never fails, so that a fallback has somewhere to go. */
export type Ports = Record<ProviderName, { healthy: number; faulty: number }>;

/** What a provider has put into a response: the most that the response may cost. */
export interface Booking {
  number: number;
  input: number;
  output: number;
}
export type ProviderReport = { ports: Ports } | Booking;
