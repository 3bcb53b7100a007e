// What the provider's side of an exchange looks like to the host: requests as sent, replies as scripted, failures.
import type { HeaderPair } from "./header-map.ts";

/** A request on the wire to a provider, after everything that Envoy takes away natively. */
export interface SentRequest {
  /** Which attempt this is, from 0. */
  attempt: number;
  cluster: string;
  method: string;
  path: string;
  authority: string;
  headers: HeaderPair[];
  body: Uint8Array;
}

export interface UpstreamReply {
  status: number;
  headers: readonly HeaderPair[];
  /** The body as it arrives: one body callback for each. */
  chunks?: readonly Uint8Array[];
  /** Come behind the last chunk. */
  trailers?: readonly HeaderPair[];
  /** `reset`: the connection breaks after the last chunk. Default `complete`. */
  ending?: "complete" | "reset";
  /** The end comes in an empty frame of its own, as with chunked encoding. Default: together with the last chunk. */
  emptyEnd?: boolean;
}

/** Nothing usable came back: Envoy answers in the provider's place. */
export interface UpstreamFailure {
  failure: LocalReply;
}

export interface LocalReply {
  status: number;
  body: Uint8Array;
  headers: readonly HeaderPair[];
  /** `response.code_details`. */
  details: string;
}

function failure(status: number, details: string, body: string): UpstreamFailure {
  return { failure: { status, details, body: Buffer.from(body), headers: [] } };
}

const DISCONNECTED = "upstream connect error or disconnect/reset before headers. reset reason: ";

/** Envoy's own words for the usual failures, as Envoy 1.40 says them. */
export const FAILURES = {
  connectionRefused: failure(
    503,
    "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}",
    `${DISCONNECTED}remote connection failure, transport failure reason: delayed connect error: Connection refused`,
  ),
  reset: failure(
    503,
    "upstream_reset_before_response_started{connection_termination}",
    `${DISCONNECTED}connection termination`,
  ),
  timeout: failure(504, "response_timeout", "upstream request timeout"),
  perTryTimeout: failure(504, "upstream_per_try_timeout", "upstream request timeout"),
  noHealthyUpstream: failure(503, "no_healthy_upstream", "no healthy upstream"),
  overflow: failure(
    503,
    "upstream_reset_before_response_started{overflow}",
    `${DISCONNECTED}overflow`,
  ),
} as const satisfies Record<string, UpstreamFailure>;
