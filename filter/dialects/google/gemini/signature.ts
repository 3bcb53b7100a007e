// Thought signatures: base64 in Gemini's API, base64url without padding in the id of a call (hub/signed-call-id.ts).
// @see https://ai.google.dev/gemini-api/docs/thought-signatures
import { byteAt, isDigit, isLetter } from "../../../bytes/text/at";
import { ByteBuffer } from "../../../bytes/text/bytes";

const PLUS: u32 = 0x2b;
const MINUS: u32 = 0x2d;
const SLASH: u32 = 0x2f;
const EQUALS: u32 = 0x3d;
const UNDERSCORE: u32 = 0x5f;

/** Appends base64 as base64url without padding. Returns false if the text is empty or not base64: nothing is appended. */
export function appendBase64Url(pointer: usize, length: u32, out: ByteBuffer): bool {
  while (length > 0 && byteAt(pointer, length - 1) == EQUALS) length--;
  const start = out.length;
  for (let i: u32 = 0; i < length; i++) {
    const c = byteAt(pointer, i);
    if (c == PLUS || c == MINUS) out.byte(MINUS);
    else if (c == SLASH || c == UNDERSCORE) out.byte(UNDERSCORE);
    else if (isLetter(c) || isDigit(c)) out.byte(c);
    else {
      out.length = start;
      return false;
    }
  }
  return length > 0;
}

/** Appends base64url as base64 with its padding. */
export function appendBase64(pointer: usize, length: u32, out: ByteBuffer): void {
  for (let i: u32 = 0; i < length; i++) {
    const c = byteAt(pointer, i);
    out.byte(c == MINUS ? PLUS : c == UNDERSCORE ? SLASH : c);
  }
  for (let rest = length; (rest & 3) != 0; rest++) out.byte(EQUALS);
}
