// Creates ids for tool calls that a provider sent without one: clients need them, because results refer to them.
import { byteAt } from "../../bytes/text/at";
import { ByteBuffer, Span } from "../../bytes/text/bytes";

/** OpenAI accepts ids of at most 40 characters, Anthropic only letters, digits, `_` and `-`. */
const MAX_STEM: i32 = 26;

/** Appends `<prefix><request id>_<number>`: unlike in every other turn of the conversation, for the same reason. */
export function appendGeneratedId(
  prefix: Span,
  requestId: ByteBuffer,
  number: i32,
  out: ByteBuffer,
): void {
  out.span(prefix);
  let length = 0;
  for (let i: u32 = 0; i < requestId.length && length < MAX_STEM; i++) {
    const c = byteAt(requestId.pointer, i);
    const isPlain = c - 0x30 < 10 || (c | 0x20) - 0x61 < 26;
    if (!isPlain) continue;
    out.byte(c);
    length++;
  }
  out.byte(0x5f);
  out.integer(number);
}
