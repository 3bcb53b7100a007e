// A fault in Anthropic's envelope: {"type":"error","error":{"type","message"},"request_id"}.
import { Fault, THREAD_UNSUPPORTED } from "../../hub/fault";
import { escapeText } from "../../bytes/json/text";
import { ByteBuffer } from "../../bytes/text/bytes";

const TOO_LONG = "prompt is too long";

export function writeAnthropicFault(fault: Fault, requestId: string, out: ByteBuffer): void {
  out.text('{"type":"error","error":{"type":"');
  out.text(errorType(fault.status));
  out.text('","message":"');
  escapeText(fault.message, out);
  out.byte(0x22);
  if (fault.code == THREAD_UNSUPPORTED) {
    out.text(',"details":{"error_code":"');
    out.text(fault.code);
    out.text('"}');
  }
  out.text('},"request_id":"');
  escapeText(requestId, out);
  out.text('"}');
}

/** The error type by HTTP status: https://docs.anthropic.com/en/api/errors (529 is theirs). */
function errorType(status: u32): string {
  if (status == 401) return "authentication_error";
  if (status == 402) return "billing_error";
  if (status == 403) return "permission_error";
  if (status == 404) return "not_found_error";
  if (status == 413) return "request_too_large";
  if (status == 429) return "rate_limit_error";
  if (status == 503 || status == 529) return "overloaded_error";
  if (status == 408 || status == 504) return "timeout_error";
  return status < 500 ? "invalid_request_error" : "api_error";
}

/** Agents compact their conversation when the context is too small, and recognise that by the first words of the message. */
export function adaptFault(fault: Fault): void {
  const message = fault.message;
  if (fault.code == "context_length_exceeded" && !message.startsWith(TOO_LONG))
    fault.message = `${TOO_LONG}: ${message}`;
}
