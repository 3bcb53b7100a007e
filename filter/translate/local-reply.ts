// An error that Envoy itself answers for a request of ours (no connection, no answer in time, body too large): said in
// the client's dialect, in a sentence that a person can act on.
import { Fault } from "../chat/fault";
import { NO_ADDRESS } from "../../contract/words";
import { Target } from "../config/target";
import { property } from "../host/host";
import { constant } from "../text/bytes";

const CODE_DETAILS = constant("response\0code_details");
const VIA_UPSTREAM = "via_upstream";

/** How the response came to be, in Envoy's words (source/docs: "Response Code Details"). */
export function responseDetails(): string {
  const details = property(CODE_DETAILS);
  return String.UTF8.decodeUnsafe(details.pointer, details.length);
}

/** Whether the details tell of a response that a provider sent. */
export function isFromProvider(details: string): bool {
  return details == VIA_UPSTREAM || details.length == 0;
}

export function bodyTooLarge(): Fault {
  return new Fault(
    413,
    "The request body is larger than this gateway allows (limits.request_body).",
  );
}

/** Whether they tell of Envoy's rate limit filter, whose answers envoy/local-replies.ts words. */
export function isOfRateLimit(details: string): bool {
  return details.includes("rate_limit");
}

/** The fault for a local reply with this status and these details. */
export function localReplyFault(status: u32, details: string, target: Target | null): Fault {
  return upstreamFault(status, details, providerOf(target), at(target));
}

/** Returns who answers for a target, as a sentence begins. */
export function providerOf(target: Target | null): string {
  return target === null ? "The provider" : "The provider of '" + target.name + "'";
}

/** @param upstream who was asked, as a sentence begins; `place` is its address in brackets behind a space, or empty */
export function upstreamFault(
  status: u32,
  details: string,
  upstream: string,
  place: string,
): Fault {
  if (status == 413) return bodyTooLarge();
  // The codec's words: "http1.codec_error" and the like.
  if (details.startsWith("http"))
    return new Fault(status, "The request is not valid HTTP, so the gateway could not read it.");
  if (details.includes("timeout") && !details.includes("connection_timeout")) {
    if (status == 408) return new Fault(408, "The request did not arrive in time.");
    const limit = details.includes("per_try")
      ? " did not begin to answer in time (retry.per_try_timeout, retry.first_byte_timeout, the listener's timeout)."
      : " did not answer within the listener's timeout.";
    return new Fault(504, upstream + limit);
  }
  if (details.includes("no_healthy_upstream") || details.includes(NO_ADDRESS)) {
    return new Fault(
      503,
      upstream +
        " has no address: its host name could not be resolved" +
        place +
        ", or it is left out because it has failed too often.",
    );
  }
  if (details.includes("cluster_not_found"))
    return new Fault(503, upstream + " is not known to this gateway yet.");
  if (details.includes("overflow") || details.includes("overload")) {
    return new Fault(503, "The gateway has too many requests under way; try again in a moment.");
  }
  if (details.includes("upstream_reset")) return connectionFault(status, details, upstream, place);
  return new Fault(status, "The gateway could not complete the request: " + words(details) + ".");
}

function connectionFault(status: u32, details: string, upstream: string, place: string): Fault {
  if (details.includes(NO_ADDRESS)) {
    const why =
      " is left out: its name has no address, or it has failed too often. Try again in a moment.";
    return new Fault(status, upstream + place + why);
  }
  if (details.includes("CERTIFICATE_VERIFY_FAILED")) {
    return new Fault(
      status,
      upstream + place + " showed a TLS certificate that cannot be verified: " + reason(details),
    );
  }
  if (details.includes("TLS_error")) {
    return new Fault(
      status,
      "No TLS connection to " + lower(upstream) + place + ": " + reason(details),
    );
  }
  if (details.includes("connection_failure") || details.includes("connection_timeout")) {
    return new Fault(status, upstream + place + " could not be reached: " + reason(details));
  }
  return new Fault(
    status,
    upstream + place + " closed the connection before it answered: " + reason(details),
  );
}

function lower(upstream: string): string {
  return "t" + upstream.substring(1);
}

function at(target: Target | null): string {
  if (target === null) return "";
  return " (" + String.UTF8.decodeUnsafe(target.authority.pointer, target.authority.length) + ")";
}

/** What stands in the braces of the details, or all of them, as a clause. */
function reason(details: string): string {
  const open = details.indexOf("{");
  const close = details.lastIndexOf("}");
  const inside = open >= 0 && close > open ? details.substring(open + 1, close) : details;
  const bar = inside.lastIndexOf("|");
  return (
    words(bar >= 0 ? inside.substring(bar + 1) : inside) +
    ". Check the address, DNS, proxy and TLS settings."
  );
}

/** Envoy writes spaces as underscores in details. */
function words(details: string): string {
  return details.replaceAll("_", " ").replaceAll("|", ", ");
}
