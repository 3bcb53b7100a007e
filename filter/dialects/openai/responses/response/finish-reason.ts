// Why a response of the Responses API ended: its `status`, and the reason of an incomplete one.
// @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-incomplete_details
import {
  FINISH_LENGTH,
  FINISH_NONE,
  FINISH_REFUSAL,
  FINISH_STOP,
  FINISH_TOOLS,
  FINISH_UNKNOWN,
  findReason,
  FinishWord,
} from "../../../../hub/response/finish-reason";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const RESPONSE = constant("response");
const STATUS = constant("status");
const COMPLETED = constant("completed");
const INCOMPLETE = constant("incomplete");
const INCOMPLETE_DETAILS = constant("incomplete_details");
const REASON = constant("reason");
const OUTPUT = constant("output");
const TYPE = constant("type");
const FUNCTION_CALL = constant("function_call");
const CUSTOM_CALL = constant("custom_tool_call");

/** `incomplete_details.reason`. */
const REASONS: StaticArray<FinishWord> = [
  new FinishWord(constant("max_output_tokens"), FINISH_LENGTH),
  new FinishWord(constant("content_filter"), FINISH_REFUSAL),
  new FinishWord(constant("steered"), FINISH_STOP),
];

/** Returns why a response is incomplete. */
export function incompleteReason(tape: Tape, response: u32): i32 {
  const details = tape.member(response, INCOMPLETE_DETAILS);
  const reason = findReason(REASONS, tape, tape.member(details, REASON));
  return reason == FINISH_NONE ? FINISH_UNKNOWN : reason;
}

/** Returns the reason of a complete response, or of an event that has the response. */
export function readFinish(tape: Tape): i32 {
  const inner = tape.member(0, RESPONSE);
  const response = tape.isObject(inner) ? inner : tape.root();
  const status = tape.member(response, STATUS);
  if (tape.equals(status, INCOMPLETE)) return incompleteReason(tape, response);
  if (!tape.equals(status, COMPLETED)) return FINISH_NONE;
  return hasCall(tape, tape.member(response, OUTPUT)) ? FINISH_TOOLS : FINISH_STOP;
}

function hasCall(tape: Tape, output: u32): bool {
  if (!tape.isArray(output)) return false;
  const end = tape.next(output);
  for (let item = tape.first(output); item < end; item = tape.next(item)) {
    const type = tape.member(item, TYPE);
    if (tape.equals(type, FUNCTION_CALL) || tape.equals(type, CUSTOM_CALL)) return true;
  }
  return false;
}
