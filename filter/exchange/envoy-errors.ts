// Local responses of Envoy (no connection, a timeout, a body too large): why they came, and what to do about it.
import { Fault } from "../hub/fault";
import { NO_MEMORY_FOR_REQUEST, NOT_HTTP } from "../../contract/upstream-errors";
import { NO_ADDRESS } from "../../contract/words";
import { Target } from "../config/target";
import { property } from "../host/host";
import { constant } from "../bytes/text/bytes";
import {
  certificateMessage,
  connectionMessage,
  handshakeMessage,
  rest,
  words,
} from "./connection-reason";

const CODE_DETAILS = constant("response\0code_details");
const VIA_UPSTREAM = "via_upstream";

/** Returns Envoy's reason for the response (source/docs: "Response Code Details"). */
export function responseDetails(): string {
  const details = property(CODE_DETAILS);
  return String.UTF8.decodeUnsafe(details.pointer, details.length);
}

/** Returns whether the details are those of a provider's response. */
export function isFromProvider(details: string): bool {
  return details == VIA_UPSTREAM || details.length == 0;
}

export function bodyTooLarge(): Fault {
  return new Fault(
    413,
    "The request body is larger than this gateway allows (limits.request_body).",
  );
}

/** Returns whether the details are those of Envoy's rate limit filter, whose error envoy/local-replies.ts writes. */
export function isOfRateLimit(details: string): bool {
  return details.includes("rate_limit");
}

/** Returns the fault for a local response with this status and these details. */
export function localResponseFault(status: u32, details: string, target: Target | null): Fault {
  const address =
    target === null
      ? ""
      : String.UTF8.decodeUnsafe(target.authority.pointer, target.authority.length);
  return upstreamFault(status, details, providerOf(target), address);
}

/** Returns the provider of a target, as the subject of a sentence. */
export function providerOf(target: Target | null): string {
  return target === null ? "The provider" : "The provider of '" + target.name + "'";
}

/** Returns the fault for a failed call. `subject`: the server, as a sentence begins; `address`: its address, or empty. */
export function upstreamFault(
  status: u32,
  details: string,
  subject: string,
  address: string,
): Fault {
  if (status == 413) return bodyTooLarge();
  // The codec's words: "http1.codec_error" and the like.
  if (details.startsWith("http")) return new Fault(status, NOT_HTTP);
  if (details.includes("timeout") && !details.includes("connection_timeout")) {
    if (status == 408) return new Fault(408, "The request did not arrive in time.");
    const limit = details.includes("per_try")
      ? " did not start its response in time (retry.per_try_timeout, retry.first_byte_timeout, the listener's timeout)."
      : " did not respond within the listener's timeout.";
    return new Fault(504, subject + limit);
  }
  // In the middle of a sentence.
  const upstream = "t" + subject.substring(1);
  const whom = address.length == 0 ? upstream : address + ", " + upstream;
  if (details.includes("no_healthy_upstream") || details.includes(NO_ADDRESS)) {
    const why =
      ": its host name could not be resolved, or it is ejected after repeated failures. Check base_url and DNS, or retry later.";
    return new Fault(503, "No address for " + whom + why);
  }
  if (details.includes("cluster_not_found"))
    return new Fault(503, subject + " is not known to this gateway yet. Retry later.");
  if (details.includes("overload")) return new Fault(503, NO_MEMORY_FOR_REQUEST);
  if (details.includes("overflow")) {
    const what = "Too many requests are in flight to " + upstream;
    const keys = " (limits.concurrent_requests, upstream.circuit_breakers). Retry later.";
    return new Fault(503, what + keys);
  }
  if (details.includes("upstream_reset"))
    return new Fault(status, connectionFault(details, subject, whom));
  return new Fault(status, "The gateway could not complete the request: " + words(details) + ".");
}

function connectionFault(details: string, subject: string, whom: string): string {
  if (details.includes("CERTIFICATE_VERIFY_FAILED")) return certificateMessage(details, whom);
  if (details.includes("TLS_error")) return handshakeMessage(details, whom);
  if (details.includes("connection_failure") || details.includes("connection_timeout"))
    return connectionMessage(details, whom);
  return (
    subject + " closed the connection before it responded: " + rest(details) + ". Retry later."
  );
}
