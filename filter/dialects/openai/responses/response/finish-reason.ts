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

/** `incomplete_details.reason`. */
const REASONS: StaticArray<FinishWord> = [
  new FinishWord(constant("max_output_tokens"), FINISH_LENGTH),
  new FinishWord(constant("content_filter"), FINISH_REFUSAL),
  new FinishWord(constant("steered"), FINISH_STOP),
];

/** Returns why a response is incomplete. */
export function incompleteReason(tape: Tape, response: u32): i32 {
  const details = tape.member(response, constant("incomplete_details"));
  const reason = findReason(REASONS, tape, tape.member(details, constant("reason")));
  return reason == FINISH_NONE ? FINISH_UNKNOWN : reason;
}

/** Returns the reason of a complete response, or of an event that has the response. */
export function readFinish(tape: Tape): i32 {
  const inner = tape.member(0, constant("response"));
  const response = tape.isObject(inner) ? inner : tape.root();
  const status = tape.member(response, constant("status"));
  if (tape.equals(status, constant("incomplete"))) return incompleteReason(tape, response);
  if (!tape.equals(status, constant("completed"))) return FINISH_NONE;
  return hasCall(tape, tape.member(response, constant("output"))) ? FINISH_TOOLS : FINISH_STOP;
}

function hasCall(tape: Tape, output: u32): bool {
  if (!tape.isArray(output)) return false;
  const end = tape.next(output);
  for (let item = tape.first(output); item < end; item = tape.next(item)) {
    const type = tape.member(item, constant("type"));
    if (
      tape.equals(type, constant("function_call")) ||
      tape.equals(type, constant("custom_tool_call"))
    )
      return true;
  }
  return false;
}
