// A fault as Anthropic's SDKs and agents recognise it.
import { ANTHROPIC_MESSAGES } from "../../../contract/dialects";
import { Fault, THREAD_UNSUPPORTED } from "../../hub/fault";
import { ByteBuffer } from "../../bytes/text/bytes";
import { writeFault } from "../write-fault";

const TOO_LONG = "prompt is too long";

export function writeAnthropicFault(fault: Fault, requestId: ByteBuffer, out: ByteBuffer): void {
  const hasDetails = fault.code == THREAD_UNSUPPORTED;
  const details = hasDetails ? ',"details":{"error_code":"' + fault.code + '"}' : "";
  writeFault(ANTHROPIC_MESSAGES, fault, details, requestId, out);
}

/** Agents compact their conversation when the context is too small, and recognise that by the first words of the message. */
export function adaptFault(fault: Fault): void {
  const message = fault.message;
  if (fault.code == "context_length_exceeded" && !message.startsWith(TOO_LONG))
    fault.message = `${TOO_LONG}: ${message}`;
}
