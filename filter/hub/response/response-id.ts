// The id of a response in another dialect: the rest stays the same, so that the logs of both sides can be matched.
import { startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";

/** Prefixes of the ids of responses in all APIs. */
const PREFIXES: StaticArray<Span> = [constant("chatcmpl-"), constant("msg_"), constant("resp_")];

/** Writes an id with this prefix in the place of its own. */
export function writeResponseId(id: ByteBuffer, prefix: Span, out: ByteBuffer): void {
  const skip = prefixLength(id);
  out.span(prefix);
  out.bytes(id.pointer + skip, id.length - skip);
}

/** Returns the length of an id's own prefix. */
export function prefixLength(id: ByteBuffer): u32 {
  let length: u32 = 0;
  for (let i = 0; i < PREFIXES.length; i++) {
    const own = unchecked(PREFIXES[i]);
    if (id.length > own.length && startsWith(id.pointer, id.length, own)) length = own.length;
  }
  return length;
}
