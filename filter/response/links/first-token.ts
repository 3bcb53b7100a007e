// Holds the beginning of a response that another attempt may follow, until it shows content or an error. The link that reads the
// response offers it what it reads (dialects/response-start.ts).
import { Fault } from "../../hub/faults/fault";
import { FirstToken } from "../../dialects/response-start";
import { Exchange } from "../../exchange/exchange";
import { requestId } from "../../exchange/request-id";
import {
  currentSeconds,
  removeHeader,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../../host/host";
import { scratchBuffer } from "../../bytes/text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE, JSON_TYPE, STATUS } from "../../exchange/header-names";
import { replaceBytes } from "../body";
import { maskFault } from "../mask-credentials";

const out = scratchBuffer();

/** Has the response wait for its first token if another attempt may follow. Returns null if none can. */
export function awaitFirstToken(exchange: Exchange, isStream: bool): FirstToken | null {
  return holdAttempt(exchange) ? new FirstToken(exchange.providerDialect(), isStream) : null;
}

/** Has the choice of the next attempt wait until the response is decided. Returns false if no other attempt may follow. */
export function holdAttempt(exchange: Exchange): bool {
  const attempts = exchange.attempts;
  if (attempts === null || !exchange.isReadUpstream() || !attempts.hasMore) return false;
  if (attempts.followUp === null || !exchange.client.endpoint.row.isInference) return false;
  attempts.awaitsToken = true;
  return true;
}

/** Lets the next attempt be chosen. */
export function releaseAttempt(exchange: Exchange): void {
  const attempts = exchange.attempts;
  if (attempts !== null) attempts.awaitsToken = false;
}

/** All bytes so far have been offered. Returns whether it is decided what the response is. */
export function isDecided(start: FirstToken, isEnd: bool): bool {
  if (start.isPending) start.settle(isEnd, currentSeconds());
  return !start.isPending;
}

/**
 * It is decided whether the response is an error, or null. Replaces it if another attempt follows, and returns whether one does.
 * `size`: bytes that Envoy holds.
 */
export function isFollowed(exchange: Exchange, fault: Fault | null, size: u32, isEnd: bool): bool {
  const attempts = exchange.attempts;
  if (attempts === null || !attempts.awaitsToken) return false;
  attempts.awaitsToken = false;
  const followUp = attempts.followUp;
  if (fault === null || followUp === null || !followUp.follows(fault)) return false;
  replace(exchange, fault, size, isEnd);
  exchange.response.finish();
  return true;
}

/** Replaces the response by a fault. The client gets it only if Envoy does not retry. */
function replace(exchange: Exchange, fault: Fault, size: u32, isEnd: bool): void {
  const estimate = exchange.estimate;
  if (estimate !== null) estimate.hasResponse = false;
  setHeaderNumber(RESPONSE_HEADERS, STATUS, fault.status);
  if (isEnd && size == 0) return;
  out.clear();
  exchange.client.dialect.writeFault(maskFault(exchange, fault), requestId(exchange), out);
  replaceBytes(size, out);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
  if (isEnd) setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  else removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
}
