// What follows a failed attempt: another credential, the same target, or the next target that supports the request. Without
// a response Envoy retries by its policy; after one, the filter requests the retry with a header.
import { wasRefused } from "../memory/blocks";
import { HEADER_RETRY, HEADER_RETRY_AFTER, PROPERTY_NEXT_CLUSTER } from "../../contract/words";
import { CONTEXT_LENGTH } from "../hub/faults/context-length";
import { Fault } from "../hub/faults/fault";
import { Attempts } from "../exchange/attempts";
import { clientBody } from "../exchange/client-body";
import { Exchange } from "../exchange/exchange";
import { lacksCredential } from "../exchange/missing-credential";
import { header, RESPONSE_HEADERS, setHeader, setHeaderNumber, setProperty } from "../host/host";
import { Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";
import { apiInstead, faultOf, isSupported, takeBudget } from "./request-body";

/** A provider that asks for a longer pause is not asked again; envoy/routes.ts has the same limit. Seconds. */
const MAX_PAUSE: u32 = 10;
const TOO_LONG: u32 = 1000;

/** Sets the cluster of the next attempt. */
export function setRetryCluster(attempts: Attempts): void {
  setProperty(constant(PROPERTY_NEXT_CLUSTER), attempts.target.attemptCluster);
}

/** Requests a retry after a response with this error status. Returns false if none follows. */
export function retryAfterResponse(exchange: Exchange, attempts: Attempts, status: u32): bool {
  const isForKey = status == 401 || status == 403 || status == 429;
  if (isForKey && attempts.hasOtherCredential) {
    attempts.rejectCredential();
    return requestRetry(attempts, 0);
  }
  if (!attempts.isRetried(status)) return false;
  return retryAfterFailure(exchange, attempts);
}

/** Requests a retry after a response that is an error whatever its status. Returns false if none follows. */
export function retryAfterFailure(exchange: Exchange, attempts: Attempts): bool {
  if (attempts.canRepeat) {
    const pause = requestedPause();
    if (pause <= MAX_PAUSE) {
      attempts.repeat();
      return requestRetry(attempts, pause);
    }
  }
  return advance(exchange, attempts) && requestRetry(attempts, 0);
}

/** As `retryAfterFailure`, for an error that was read: a request that is too long for a model is not sent to it again. */
export function retryAfterFault(exchange: Exchange, attempts: Attempts, fault: Fault): bool {
  return fault.code == CONTEXT_LENGTH
    ? advance(exchange, attempts) && requestRetry(attempts, 0)
    : retryAfterFailure(exchange, attempts);
}

/** Selects the next target after an attempt without a response, in case Envoy retries by its policy. */
export function selectAfterReset(exchange: Exchange, attempts: Attempts): void {
  attempts.isDecided = true;
  // A target that was silent for long is likely to be so again, and the next one needs the time.
  const repeats = attempts.canRepeat;
  if (repeats && !attempts.wasLong) attempts.repeat();
  else if (!advance(exchange, attempts)) {
    if (repeats) attempts.repeat();
    else if (attempts.hasOtherCredential) attempts.rejectCredential();
  }
  setRetryCluster(attempts);
}

/** Moves on to the next target that supports the request and has budget left; false, without moving, if there is none. */
function advance(exchange: Exchange, attempts: Attempts): bool {
  if (attempts.targetsLeft == 0) return false;
  const tape = clientBody.open(exchange.client, 0);
  let steps = 1;
  while (steps <= attempts.targetsLeft && !take(exchange, attempts, steps, tape)) steps++;
  clientBody.close();
  if (steps > attempts.targetsLeft) return false;
  attempts.advance(steps);
  return true;
}

/**
 * Counts the request against the limits of a target that supports it. Returns false if it does not, has no credential, or
 * has no budget left.
 * @param tape the client's body; null if only Envoy has it, and it was checked before the first attempt
 */
function take(exchange: Exchange, attempts: Attempts, steps: i32, tape: Tape | null): bool {
  const target = attempts.targetAhead(steps);
  if (lacksCredential(target)) return false;
  const fits =
    tape === null ? !attempts.isRuledOut(steps) : isFit(exchange, attempts, steps, tape, false);
  return fits && takeBudget(exchange, target) === null;
}

/**
 * Returns whether a target that has not been tried supports the request, and puts its other API in its place if only that does.
 * @param otherwise if there is no memory to find out
 */
export function isFit(
  exchange: Exchange,
  attempts: Attempts,
  steps: i32,
  tape: Tape,
  otherwise: bool,
): bool {
  const target = attempts.targetAhead(steps);
  const fault = faultOf(exchange, target, tape);
  if (wasRefused()) return otherwise;
  if (fault === null) return true;
  const other = apiInstead(exchange, target, fault);
  if (other === null) return false;
  const isOtherFit = isSupported(exchange, other, tape, false);
  if (isOtherFit) attempts.replace(steps, other);
  return isOtherFit;
}

function requestRetry(attempts: Attempts, pause: u32): bool {
  attempts.isDecided = true;
  setRetryCluster(attempts);
  setHeader(RESPONSE_HEADERS, constant(HEADER_RETRY), constant("1"));
  if (pause > 0) setHeaderNumber(RESPONSE_HEADERS, constant(HEADER_RETRY_AFTER), pause);
  return true;
}

/** Returns the pause that the response asks for, in seconds. */
export function requestedPause(): u32 {
  return secondsOf(header(RESPONSE_HEADERS, constant("retry-after")));
}

/** Returns the seconds of a `retry-after`; a date, or anything else that is not a small number, is too long. */
function secondsOf(text: Span): u32 {
  if (text.length == 0) return 0;
  const seconds = decimal(text);
  return seconds < 0 ? TOO_LONG : seconds;
}
