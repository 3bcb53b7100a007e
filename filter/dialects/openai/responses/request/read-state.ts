// Explains why a request that needs what only OpenAI stores is rejected, in the words and with the codes of OpenAI where
// clients act on them: those that retry then send the whole conversation.
import { Fault } from "../../../../hub/faults/fault";
import { Feature } from "../../../../hub/request/feature";
import * as feature from "../../../../hub/request/features";
import { RequestReport } from "../../../../hub/request/request-report";
import { Tape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { byteAt } from "../../../../bytes/text/at";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";

/** OpenAI's code for a response that does not exist (any more). */
const RESPONSE_NOT_FOUND = "previous_response_not_found";
/** Bytes. */
const MAX_MODEL: u32 = 128;

/** Sets the message and code of a fault for `previous_response_id` and the like. */
export function explainState(tape: Tape, report: RequestReport): void {
  const fault = report.fault;
  if (fault === null) return;
  const name = fault.member;
  if (name == "previous_response_id") {
    explain(tape, feature.PREVIOUS_RESPONSES, fault);
    fault.coded(RESPONSE_NOT_FOUND);
  } else if (name == "conversation") {
    explain(tape, feature.CONVERSATIONS, fault);
  } else if (name == "prompt") {
    explain(tape, feature.STORED_PROMPTS, fault);
  } else if (name == "background") {
    explain(tape, feature.BACKGROUND, fault);
  }
}

function explain(tape: Tape, asked: Feature, fault: Fault): void {
  fault.message = modelText(tape) + " " + asked.adviceText();
}

/** Returns `Model X`, by the client's name for it. */
function modelText(tape: Tape): string {
  const node = tape.member(0, constant("model"));
  if (!tape.isString(node) || tape.size(node) == 0) return "This model";
  const plain = new ByteBuffer();
  unescape(tape.pointer(node), tape.size(node), plain);
  let length = min(plain.length, MAX_MODEL);
  while (length > 0 && length < plain.length && (byteAt(plain.pointer, length) & 0xc0) == 0x80)
    length--;
  plain.length = length;
  const text = "Model " + plain.toText();
  plain.release();
  return text;
}
