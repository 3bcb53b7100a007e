// What follows a failed attempt: another credential, the same target, or the next target that supports the request. Without
// a response Envoy retries by its policy; after one, the filter requests the retry with a header.
import { HEADER_RETRY, HEADER_RETRY_AFTER, PROPERTY_NEXT_CLUSTER } from "../../contract/words";
import { Attempts } from "../exchange/attempts";
import { closeBody, openBody } from "../exchange/client-body";
import { Exchange } from "../exchange/exchange";
import { header, RESPONSE_HEADERS, setHeader, setHeaderNumber, setProperty } from "../host/host";
import { Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { admits, canTake } from "./request";

const RETRY = constant(HEADER_RETRY);
const RETRY_AFTER = constant(HEADER_RETRY_AFTER);
const PROVIDERS_RETRY_AFTER = constant("retry-after");
const NEXT_CLUSTER = constant(PROPERTY_NEXT_CLUSTER);
const YES = constant("1");

/** Seconds; envoy/routes.ts allows as many. A provider that wants a longer rest is not asked again. */
const MAX_REST: u32 = 10;
const TOO_LONG: u32 = 1000;

/** Sets the cluster of the next attempt. */
export function setRetryCluster(attempts: Attempts): void {
  setProperty(NEXT_CLUSTER, attempts.target.attemptCluster);
}

/** Whether a response with this error status is followed by another attempt; then Envoy has been asked for it. */
export function retryAfterResponse(exchange: Exchange, attempts: Attempts, status: u32): bool {
  const isForKey = status == 401 || status == 403 || status == 429;
  if (isForKey && attempts.hasOtherKey) {
    attempts.refuseKey();
    return askRetry(attempts, 0);
  }
  if (!attempts.isRetried(status)) return false;
  return retryAfterFailure(exchange, attempts);
}

/** The same after a response that is an error whatever its status. */
export function retryAfterFailure(exchange: Exchange, attempts: Attempts): bool {
  if (attempts.canRepeat) {
    const rest = secondsOf(header(RESPONSE_HEADERS, PROVIDERS_RETRY_AFTER));
    if (rest <= MAX_REST) {
      attempts.repeat();
      return askRetry(attempts, rest);
    }
  }
  return advance(exchange, attempts) && askRetry(attempts, 0);
}

/** After an attempt without a response. Envoy tries again if the policy says so; this is where. */
export function selectAfterReset(exchange: Exchange, attempts: Attempts): void {
  attempts.isDecided = true;
  // Who was silent for long is likely to be so again, and the time is needed by the next model.
  const repeats = attempts.canRepeat;
  if (repeats && !attempts.wasLong) attempts.repeat();
  else if (!advance(exchange, attempts)) {
    if (repeats) attempts.repeat();
    else if (attempts.hasOtherKey) attempts.refuseKey();
  }
  setRetryCluster(attempts);
}

/** Moves on to the next target that can take the request; false when there is none, and then nothing has moved. */
function advance(exchange: Exchange, attempts: Attempts): bool {
  if (attempts.targetsLeft == 0) return false;
  const tape = openBody(exchange, 0);
  let steps = 1;
  while (steps <= attempts.targetsLeft && !takes(exchange, attempts, steps, tape)) steps++;
  closeBody();
  if (steps > attempts.targetsLeft) return false;
  attempts.advance(steps);
  return true;
}

/** @param tape the client's body; null where Envoy has it, and it was looked at before the first attempt */
function takes(exchange: Exchange, attempts: Attempts, steps: i32, tape: Tape | null): bool {
  const target = attempts.targetAhead(steps);
  if (tape !== null) return canTake(exchange, target, tape);
  return !attempts.isRuledOut(steps) && admits(exchange, target);
}

function askRetry(attempts: Attempts, rest: u32): bool {
  attempts.isDecided = true;
  setRetryCluster(attempts);
  setHeader(RESPONSE_HEADERS, RETRY, YES);
  if (rest > 0) setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, rest);
  return true;
}

/** Seconds of a `retry-after`; a date, or anything else that is no small number, is too long. */
function secondsOf(text: Span): u32 {
  if (text.length > 3) return TOO_LONG;
  let seconds: u32 = 0;
  for (let i: u32 = 0; i < text.length; i++) {
    const digit = <u32>load<u8>(text.pointer + i) - 0x30;
    if (digit > 9) return TOO_LONG;
    seconds = seconds * 10 + digit;
  }
  return seconds;
}
