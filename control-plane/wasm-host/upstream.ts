// The provider's side of an exchange: requests as sent, scripted responses, failures.
import type { HeaderPair } from "./header-map.ts";

/** A request as sent to a provider, after all native changes by Envoy. */
export interface SentRequest {
  /** Number of the attempt, from 0. */
  attempt: number;
  cluster: string;
  method: string;
  path: string;
  authority: string;
  headers: HeaderPair[];
  body: Uint8Array;
}

export interface UpstreamResponse {
  status: number;
  headers: readonly HeaderPair[];
  /** The body in chunks as it arrives: one body callback for each. */
  chunks?: readonly Uint8Array[];
  /** Follow the last chunk. */
  trailers?: readonly HeaderPair[];
  /** `reset`: the connection breaks after the last chunk. Default `complete`. */
  ending?: "complete" | "reset";
  /**
   * Whether the end of the stream arrives in a separate empty frame, as with chunked encoding. Default: together with
   * the last chunk.
   */
  emptyEnd?: boolean;
}

/** A failed attempt without a usable response: Envoy sends a local reply. */
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

/** The usual failures, with the texts of Envoy 1.40. */
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
