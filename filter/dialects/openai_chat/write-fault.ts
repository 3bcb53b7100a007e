// A fault in OpenAI's envelope: {"error":{"message","type","param","code"}}.
import { Fault } from "../../hub/fault";
import { escapeText } from "../../bytes/json/text";
import { ByteBuffer } from "../../bytes/text/bytes";

export function writeOpenaiFault(fault: Fault, out: ByteBuffer): void {
  out.text('{"error":{"message":"');
  escapeText(fault.message, out);
  out.text('","type":"');
  out.text(errorType(fault.status));
  out.text('","param":');
  nullable(fault.member, out);
  out.text(',"code":');
  nullable(fault.code, out);
  out.text("}}");
}

function nullable(text: string, out: ByteBuffer): void {
  if (text.length == 0) {
    out.text("null");
    return;
  }
  out.text('"');
  escapeText(text, out);
  out.text('"');
}

/** The error type by HTTP status. OpenAI documents no closed list; these are the words that its API and SDKs use. */
function errorType(status: u32): string {
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  if (status == 503 || status == 529) return "overloaded_error";
  if (status == 408 || status == 504) return "timeout_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** Agents and SDKs recognise some errors by their code; Anthropic's API has only messages. */
export function adaptFault(fault: Fault): void {
  if (fault.code.length > 0) return;
  const message = fault.message;
  if (message.startsWith("prompt is too long") || message.includes("exceed context limit"))
    fault.code = "context_length_exceeded";
  else if (message.includes("credit balance is too low")) fault.code = "insufficient_quota";
  else if (fault.status == 404 && message.startsWith("model:")) fault.code = "model_not_found";
}
