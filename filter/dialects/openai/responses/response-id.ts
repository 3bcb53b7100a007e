// The ids of a response and of its items, which OpenAI accepts back: at most 64 letters, digits, `_` and `-`.
import { isDigit, isLetter, byteAt } from "../../../bytes/text/at";
import { ByteBuffer } from "../../../bytes/text/bytes";
import { writeHash } from "../../../hub/request/call-id";
import { prefixLength } from "../../../hub/response/response-id";

/** Leaves room for a prefix and an index of ten digits. */
const MAX_STEM: u32 = 48;

/** Appends what the ids have in common: the provider's id without its prefix, or a hash of it if it has other characters. */
export function writeStem(id: ByteBuffer, out: ByteBuffer): void {
  const skip = prefixLength(id);
  const pointer = id.pointer + skip;
  const length = id.length - skip;
  if (length > 0 && length <= MAX_STEM && isPlain(pointer, length)) out.bytes(pointer, length);
  else writeHash(pointer, length, out);
}

function isPlain(pointer: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const c = byteAt(pointer, i);
    if (!isDigit(c) && !isLetter(c) && c != 0x5f && c != 0x2d) return false;
  }
  return true;
}
