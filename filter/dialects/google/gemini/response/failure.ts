// The failures that a response of Gemini reports: an error object, or a reason why the model could not respond.
import { Fault } from "../../../../hub/faults/fault";
import { findReason, FINISH_FAULT } from "../../../../hub/response/finish-reason";
import { readFault } from "../../../../hub/faults/read-fault";
import { Tape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { FINISH_REASONS } from "./finish-reason";

export const ERROR = constant("error");

/** Bytes of a message of the model. */
const MAX_MESSAGE: u32 = 1024;

/** Returns the failure that a response, or an event of a stream, reports in these members; null if it reports none. */
export function failureIn(tape: Tape, response: u32, error: u32, candidates: u32): Fault | null {
  if (tape.isPresent(error)) return readFault(tape, response, 0);
  if (!tape.isArray(candidates)) return null;
  const end = tape.next(candidates);
  for (let one = tape.first(candidates); one < end; one = tape.next(one)) {
    const fault = failureOfCandidate(tape, one);
    if (fault !== null) return fault;
  }
  return null;
}

function failureOfCandidate(tape: Tape, candidate: u32): Fault | null {
  const word = tape.member(candidate, constant("finishReason"));
  if (findReason(FINISH_REASONS, tape, word) != FINISH_FAULT) return null;
  const text = new ByteBuffer();
  text.bytes(tape.pointer(word), tape.size(word));
  const message = tape.member(candidate, constant("finishMessage"));
  if (tape.isString(message) && tape.size(message) > 0) {
    text.text(": ");
    unescape(tape.pointer(message), min(tape.size(message), MAX_MESSAGE), text);
  }
  const fault = new Fault(502, "The model failed (" + text.toText() + "). Try again.");
  text.release();
  return fault;
}
