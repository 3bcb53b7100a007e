// A chat completion that the gateway writes itself, complete or as a stream: a question, a guard's message, an API's answer.
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { escapeText } from "../bytes/json/text";

const MODEL = constant("gateway");
const FINISH = constant("stop");

/** What every such completion needs to know. */
export class CompletionHead {
  /** The request's id; the completion's own is made from it. */
  requestId: string = "";
  /** Seconds since the epoch. */
  created: i64 = 0;
  /** The value of `metadata`, JSON; empty when there is none. */
  metadata: ByteBuffer = new ByteBuffer();
  wantsUsage: bool = false;
}

/** `text` is the inside of a JSON string. */
export function writeCompletion(head: CompletionHead, text: Span, out: ByteBuffer): void {
  open(head, "chat.completion", out);
  out.text('"choices":[{"index":0,"message":{"role":"assistant","content":"');
  out.span(text);
  out.text('","refusal":null},"logprobs":null,"finish_reason":"');
  out.span(FINISH);
  out.text('"}],');
  writeUsage(out);
  out.text("}");
}

/** The same as events: role, text, finish, the usage where it was asked for, the end mark. */
export function writeCompletionStream(head: CompletionHead, text: Span, out: ByteBuffer): void {
  openChunk(head, out);
  out.text(
    '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
  );
  // Once is enough.
  head.metadata.clear();
  openChunk(head, out);
  out.text('"choices":[{"index":0,"delta":{"content":"');
  out.span(text);
  out.text('"},"finish_reason":null}]}\n\n');
  openChunk(head, out);
  out.text('"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
  if (head.wantsUsage) {
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

/** No language model has been asked for these words. */
function writeUsage(out: ByteBuffer): void {
  out.text('"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}');
}
