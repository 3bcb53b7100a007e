// Chat completions: written for the gateway's own responses (a question, the guard's message, an API's text), and read.
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { escapeText } from "../bytes/json/text";

const MODEL = constant("gateway");
const CHOICES = constant("choices");
const MESSAGE = constant("message");

/** Members that every completion has. */
export class CompletionHead {
  /** The completion's id is made from it. */
  requestId: string = "";
  /** Seconds since the epoch. */
  created: i64 = 0;
  /** The value of `metadata`, JSON; empty without one. */
  metadata: ByteBuffer = new ByteBuffer();
  hasUsage: bool = false;
}

/** @param text the inside of a JSON string */
export function writeCompletion(head: CompletionHead, text: Span, out: ByteBuffer): void {
  open(head, "chat.completion", out);
  out.text('"choices":[{"index":0,"message":{"role":"assistant","content":"');
  out.span(text);
  out.text('","refusal":null},"logprobs":null,"finish_reason":"stop"}],');
  writeUsage(out);
  out.text("}");
}

/** Writes the same as events: role, text, finish reason, the usage if it was requested, the end mark. */
export function writeCompletionStream(head: CompletionHead, text: Span, out: ByteBuffer): void {
  openChunk(head, out);
  out.text(
    '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
  );
  // Only the first chunk has it.
  head.metadata.clear();
  openChunk(head, out);
  out.text('"choices":[{"index":0,"delta":{"content":"');
  out.span(text);
  out.text('"},"finish_reason":null}]}\n\n');
  openChunk(head, out);
  out.text('"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
  if (head.hasUsage) {
    openChunk(head, out);
    out.text('"choices":[],');
    writeUsage(out);
    out.text("}\n\n");
  }
  out.text("data: [DONE]\n\n");
}

function openChunk(head: CompletionHead, out: ByteBuffer): void {
  out.text("data: ");
  open(head, "chat.completion.chunk", out);
}

function open(head: CompletionHead, kind: string, out: ByteBuffer): void {
  out.text("{");
  if (head.metadata.length > 0) {
    out.text('"metadata":');
    out.bytes(head.metadata.pointer, head.metadata.length);
    out.text(",");
  }
  out.text('"id":"chatcmpl-');
  escapeText(head.requestId, out);
  out.text('","object":"');
  out.text(kind);
  out.text('","created":');
  out.integer(head.created);
  out.text(',"model":"');
  out.span(MODEL);
  out.text('",');
}

/** No language model was called for this response. */
function writeUsage(out: ByteBuffer): void {
  out.text('"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}');
}

/** Returns the message of a completion's first choice, NO_NODE if `tape` has none. */
export function firstChoiceMessage(tape: Tape): u32 {
  const choices = tape.member(0, CHOICES);
  if (!tape.isArray(choices) || tape.isEmpty(choices)) return NO_NODE;
  return tape.member(tape.first(choices), MESSAGE);
}
