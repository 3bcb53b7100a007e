// An error in a 200: a response that failed, or an event that reports it.
import { Fault } from "../../../../hub/faults/fault";
import { readFault } from "../../../../hub/faults/read-fault";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const TYPE = constant("type");
const ERROR = constant("error");
const RESPONSE = constant("response");
const STATUS = constant("status");
const FAILED = constant("failed");
const CANCELLED = constant("cancelled");
const RESPONSE_FAILED = constant("response.failed");
const RESPONSE_CANCELLED = constant("response.cancelled");

/** Returns the fault of a complete response or of an event, or null. OpenAI sends errors flat in the event, or nested. */
export function failureOf(tape: Tape): Fault | null {
  const root = tape.root();
  const type = tape.member(root, TYPE);
  const isNested =
    tape.isObject(tape.member(root, ERROR)) || tape.isString(tape.member(root, ERROR));
  if (isNested || tape.equals(type, ERROR) || tape.isArray(root)) return readFault(tape, root, 0);
  const status = tape.member(root, STATUS);
  if (tape.equals(status, FAILED) || tape.equals(status, CANCELLED)) return failed();
  if (!tape.equals(type, RESPONSE_FAILED) && !tape.equals(type, RESPONSE_CANCELLED)) return null;
  const response = tape.member(root, RESPONSE);
  return tape.isObject(tape.member(response, ERROR)) ? readFault(tape, response, 0) : failed();
}

function failed(): Fault {
  return new Fault(502, "The upstream's response failed without an error message.");
}
