// An error in a 200: a response that failed, or an event that reports it.
import { Fault } from "../../../../hub/faults/fault";
import { readFault } from "../../../../hub/faults/read-fault";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const ERROR = constant("error");

/** Returns the fault of a complete response or of an event, or null. OpenAI sends errors flat in the event, or nested. */
export function failureOf(tape: Tape): Fault | null {
  const root = tape.root();
  const type = tape.member(root, constant("type"));
  const isNested =
    tape.isObject(tape.member(root, ERROR)) || tape.isString(tape.member(root, ERROR));
  if (isNested || tape.equals(type, ERROR) || tape.isArray(root)) return readFault(tape, root, 0);
  const status = tape.member(root, constant("status"));
  if (tape.equals(status, constant("failed")) || tape.equals(status, constant("cancelled")))
    return failed();
  if (
    !tape.equals(type, constant("response.failed")) &&
    !tape.equals(type, constant("response.cancelled"))
  )
    return null;
  const response = tape.member(root, constant("response"));
  return tape.isObject(tape.member(response, ERROR)) ? readFault(tape, response, 0) : failed();
}

function failed(): Fault {
  return new Fault(502, "The provider's response failed without an error message.");
}
