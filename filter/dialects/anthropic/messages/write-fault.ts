// A fault as Anthropic's SDKs and agents recognise it.
import { ANTHROPIC_MESSAGES } from "../../../../contract/dialects";
import { CONTEXT_LENGTH } from "../../../hub/faults/context-length";
import { BLOCKED, Fault, THREAD_UNSUPPORTED } from "../../../hub/faults/fault";
import { ByteBuffer } from "../../../bytes/text/bytes";
import { writeFault } from "../../write-fault";

const TOO_LONG = "prompt is too long";
/** Anthropic's words if only `max_tokens` is too large. */
const TOO_LONG_WITH_OUTPUT = "exceed context limit";

export function writeAnthropicFault(fault: Fault, requestId: ByteBuffer, out: ByteBuffer): void {
  const hasDetails = fault.code == THREAD_UNSUPPORTED || fault.code == BLOCKED;
  const details = hasDetails ? ',"details":{"error_code":"' + fault.code + '"}' : "";
  writeFault(ANTHROPIC_MESSAGES, fault, details, requestId, out);
}

/**
 * Agents compact their conversation when it is too long for the model, and recognise that by the first words of the message. If
 * only `max_tokens` is too large, Claude Code computes a smaller one from the numbers.
 */
export function adaptFault(fault: Fault): void {
  const message = fault.message;
  if (fault.code != CONTEXT_LENGTH || message.startsWith(TOO_LONG)) return;
  if (message.includes(TOO_LONG_WITH_OUTPUT)) return;
  const tokens = fault.tokens.toString();
  const maximum = fault.maxTokens.toString();
  const output = fault.outputTokens;
  if (output > 0) {
    fault.message =
      `input length and \`max_tokens\` ${TOO_LONG_WITH_OUTPUT}: ${tokens} + ${output.toString()} > ${maximum}, ` +
      "decrease input length or `max_tokens` and try again";
  } else if (fault.maxTokens > 0 && fault.tokens > fault.maxTokens) {
    fault.message = `${TOO_LONG}: ${tokens} tokens > ${maximum} maximum. ${message}`;
  } else {
    fault.message = `${TOO_LONG}: ${message}`;
  }
}
