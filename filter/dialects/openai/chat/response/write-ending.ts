// The end of a response that the gateway does not let go on, as chat clients understand it: `finish_reason: content_filter`, and the
// reason as a refusal.
import { Fault } from "../../../../hub/faults/fault";
import { escapeText } from "../../../../bytes/json/text";
import { ByteBuffer } from "../../../../bytes/text/bytes";
import { ResponseEnding } from "../../../response-ending";

/** Choices that are ended one by one. */
const MAX_CHOICES: u32 = 128;

export function writeEnding(ending: ResponseEnding, fault: Fault, out: ByteBuffer): void {
  out.text("data: {");
  out.bytes(ending.head.pointer, ending.head.length);
  out.text('"choices":[');
  const last = min(ending.lastChoice, MAX_CHOICES - 1);
  for (let i: u32 = 0; i <= last; i++) {
    out.text(i == 0 ? '{"index":' : ',{"index":');
    out.integer(i);
    out.text(',"delta":{"refusal":"');
    escapeText(fault.message, out);
    out.text('"},"logprobs":null,"finish_reason":"content_filter"}');
  }
  out.text("]}\n\ndata: [DONE]\n\n");
}

/** The same for a response that is no stream. */
export function writeWholeEnding(ending: ResponseEnding, fault: Fault, out: ByteBuffer): void {
  out.text("{");
  out.bytes(ending.head.pointer, ending.head.length);
  out.text('"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"');
  escapeText(fault.message, out);
  out.text('"},"logprobs":null,"finish_reason":"content_filter"}]}');
}
