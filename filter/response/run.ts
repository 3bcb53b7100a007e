// Runs the links of a response (chain.ts): in the listener's context and, where the upstream filter reads the response, in the
// context of the attempt.
import { Exchange } from "../exchange/exchange";
import { Link } from "../exchange/link";
import { Response, ResponseOwner } from "../exchange/response";
import { ALL, property } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { constant } from "../bytes/text/bytes";
import { NO_CALLOUT } from "../host/callout";
import { bodySize, dropBytes, openBody, takenLength } from "./body";
import { KeptBytes } from "./wait";

/** How many bytes the reader has passed on: those of a cloud are unwrapped. */
let received: u32 = 0;

/** Runs the links on the next bytes of the body. Returns the status for Envoy. */
export function onBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const response = exchange.response;
  const first = response.links;
  if (first === null && !response.isDone) return CONTINUE;
  const reader = readerOf(response);
  const isEnd = endsHere || isEndBeforeTrailers(response, reader, size);
  openBody(size);
  return run(exchange, first, reader, isEnd);
}

/**
 * Runs the link that waits for a callout, with its response (`waitFor`). Returns the status for Envoy: CONTINUE if the response is
 * over, and may leave. Else the link gets its bytes with the next ones.
 */
export function onCallout(exchange: Exchange): i32 {
  const response = exchange.response;
  const kept = response.waiting;
  if (kept === null) return STOP;
  response.waiting = null;
  const link = kept.next;
  if (link !== null) link.onCallout();
  if (!(kept instanceof KeptBytes) || !(<KeptBytes>kept).hasEnd) return STOP;
  openBody(0);
  return run(exchange, kept, readerOf(response), true);
}

/** Runs the links from one on, and counts what they read. */
function run(exchange: Exchange, from: Link | null, reader: Link | null, isEnd: bool): i32 {
  const response = exchange.response;
  const isRead = response.owner == ResponseOwner.Provider && (response.isDone || reader !== null);
  received = reader === null ? bodySize() : 0;
  const status = runLinks(response, from, reader, isEnd);
  response.isBodyHeld = status == STOP && response.owner == ResponseOwner.Provider;
  if (status == CONTINUE) response.isHeadHeld = false;
  else if (response.isBodyHeld && from !== null) from.onHeld(bodySize());
  const estimate = exchange.estimate;
  if (estimate === null || !isRead) return status;
  const waits = exchange.callout != NO_CALLOUT;
  // Bytes that are held come again, unless they are kept for a link that waits.
  if (status == CONTINUE || waits)
    estimate.responseBytes += received == ALL ? takenLength() : received;
  if (isEnd && !waits) {
    estimate.isWhole = true;
    exchange.chargeLimits();
  }
  return status;
}

function runLinks(response: Response, from: Link | null, reader: Link | null, isEnd: bool): i32 {
  if (response.isDone && bodySize() > 0) dropBytes();
  let link = from;
  // A link may take itself out, or all of them.
  while (link !== null && response.links !== null) {
    const next = link.next;
    const size = bodySize();
    const status = link.onBytes(size, isEnd);
    if (status != CONTINUE) return status;
    if (link === reader) received = size;
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
 * not translated, the end comes in an empty frame, unless a link holds it because it waits.
 */
function isEndBeforeTrailers(response: Response, reader: Link | null, size: u32): bool {
  // A property costs 2,900 instructions, in every call of a stream.
  if (!response.isDecompressed) return false;
  if (!response.mayWait) {
    if (reader === null || response.isDone) return false;
    if (reader.passes && size > 0) return false;
  }
  // Known from the provider's last byte on.
  return property(constant("response\0backend_latency")).length > 0;
}
