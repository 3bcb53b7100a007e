// The `details` of an error of Google's APIs, which have what other providers put into the status and a header.
// @see https://cloud.google.com/apis/design/errors#error_details
import { Tape } from "../../bytes/json/tape";
import { byteAt, isDigit } from "../../bytes/text/at";
import { constant } from "../../bytes/text/bytes";
import { Fault } from "./fault";

/** A longer pause is of no use to a client. Seconds. */
const MAX_DELAY: u32 = 86_400;

/** Reads the details: a wrong key has the status 400, and RetryInfo has the pause before the next attempt. */
export function readErrorDetails(tape: Tape, details: u32, fault: Fault): void {
  if (!tape.isArray(details)) return;
  const end = tape.next(details);
  for (let detail = tape.first(details); detail < end; detail = tape.next(detail)) {
    if (tape.equals(tape.member(detail, constant("reason")), constant("API_KEY_INVALID")))
      fault.status = 401;
    const delay = tape.member(detail, constant("retryDelay"));
    if (tape.isString(delay)) fault.retryAfter = secondsOf(tape, delay);
  }
}

/** Returns the seconds of `34s` or `34.07s`, rounded up; 0 for anything else. */
function secondsOf(tape: Tape, node: u32): u32 {
  const pointer = tape.pointer(node);
  const size = tape.size(node);
  let seconds: u32 = 0;
  let at: u32 = 0;
  for (; at < size && isDigit(byteAt(pointer, at)) && seconds < MAX_DELAY; at++)
    seconds = seconds * 10 + (byteAt(pointer, at) - 0x30);
  if (at == 0) return 0;
  const isFraction = at < size && byteAt(pointer, at) == 0x2e;
  return min(isFraction ? seconds + 1 : seconds, MAX_DELAY);
}
