// A fault as OpenAI's SDKs and agents recognise it.
import { OPENAI_CHAT } from "../../../contract/dialects";
import { Fault } from "../../hub/faults/fault";
import { ByteBuffer } from "../../bytes/text/bytes";
import { NO_REQUEST_ID, writeFault } from "../write-fault";

export function writeOpenaiFault(fault: Fault, out: ByteBuffer): void {
  writeFault(OPENAI_CHAT, fault, "", NO_REQUEST_ID, out);
}

/** Agents and SDKs recognise some errors by their code; Anthropic's API has only messages. */
export function adaptFault(fault: Fault): void {
  if (fault.code.length > 0) return;
  const message = fault.message;
  if (message.includes("credit balance is too low")) fault.code = "insufficient_quota";
  else if (fault.status == 404 && message.startsWith("model:")) fault.code = "model_not_found";
}
