// Why a response of the Responses API ended: its `status`, and the reason of an incomplete one.
// @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-incomplete_details
import {
  FINISH_LENGTH,
  FINISH_NONE,
  FINISH_REFUSAL,
  FINISH_STOP,
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
