// Runs the links of a response (chain.ts): in the listener's context and, where the upstream filter reads the response, in the
// context of the attempt.
import { Exchange } from "../exchange/exchange";
import { Link } from "../exchange/link";
import { Response, ResponseOwner } from "../exchange/response";
import { ALL, property } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { constant } from "../bytes/text/bytes";
import { bodySize, dropBytes, openBody, takenLength } from "./body";

/** How many bytes the reader of the callback got: those of a cloud are unwrapped. */
let received: u32 = 0;

/** Runs the links on the next bytes of the body. Returns the status for Envoy. */
export function onBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const response = exchange.response;
  const first = response.links;
  if (first === null && !response.isDone) return CONTINUE;
  const reader = readerOf(response);
  const isRead = response.owner == ResponseOwner.Provider && (response.isDone || reader !== null);
  const isEnd = endsHere || isEndBeforeTrailers(response, reader, size);
  openBody(size);
  received = size;
  const status = runLinks(response, reader, isEnd);
  response.isBodyHeld = status == STOP && response.owner == ResponseOwner.Provider;
  if (status == CONTINUE) response.isHeadHeld = false;
  else if (response.isBodyHeld && first !== null) first.onHeld(bodySize());
  const estimate = exchange.estimate;
  if (estimate === null || !isRead) return status;
  // Bytes that are held come again.
  if (status == CONTINUE) estimate.responseBytes += received == ALL ? takenLength() : received;
  if (isEnd) {
    estimate.isWhole = true;
    exchange.chargeLimits();
  }
  return status;
}

function runLinks(response: Response, reader: Link | null, isEnd: bool): i32 {
  if (response.isDone) {
    if (bodySize() > 0) dropBytes();
    return CONTINUE;
  }
  let link = response.links;
  while (link !== null && !response.isDone) {
    // The link may take itself out.
    const next = link.next;
    if (link === reader) received = bodySize();
    const status = link.onBytes(bodySize(), isEnd);
    if (status != CONTINUE) return status;
    link = next;
  }
  return CONTINUE;
}

/** Runs the links on the trailers, which end the body. Returns the status for Envoy. */
export function onTrailers(exchange: Exchange): i32 {
  const response = exchange.response;
  const attempts = exchange.attempts;
  const awaitsToken = attempts !== null && attempts.awaitsToken && exchange.isReadUpstream();
  if (response.isBodyHeld || awaitsToken) return onBody(exchange, ALL, true);
  const link = response.links;
  return link === null ? CONTINUE : link.onTrailers();
}

/** Returns the first link that reads bytes in a dialect; null if there is none. */
function readerOf(response: Response): Link | null {
  let link = response.links;
  while (link !== null && !link.reads) link = link.next;
  return link;
}

/**
 * Returns whether this is the end of a body that Envoy decompresses. Its decompressors add trailers, so the last body callback
 * does not say that it is the last, and a filter that holds it is never called again (Envoy 1.40). In a stream that is
 * not translated, the end comes in an empty frame.
 */
function isEndBeforeTrailers(response: Response, reader: Link | null, size: u32): bool {
  // A property costs 2,900 instructions, in every call of a stream.
  if (!response.isDecompressed || reader === null || response.isDone) return false;
  if (reader.passes && size > 0) return false;
  // Known from the provider's last byte on.
  return property(constant("response\0backend_latency")).length > 0;
}
