// The id of a tool call as the client gets it: with the signature that its provider requires back in the next turn. Every
// client returns the id; unknown members of a call are lost in some (docs/decisions/2026-11-22-signatures-in-call-ids.md).
//
// `gw1_g`, the length of the provider's id in two digits, that id, the signature in base64url: letters, digits, `_` and `-`,
// which every API accepts in an id. Only a request to the same kind of provider has the signature; all others have the
// provider's id alone.
import { byteAt, isDigit, isLetter, startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";

/** The letter names the kind of provider: Gemini. It begins as the marks of reasoning-carrier.ts, which are found with it. */
const MARK = constant("gw1_g");
/** Bytes before the provider's id. */
const HEAD: u32 = MARK.length + 2;
/** A provider's longer id is replaced before it is signed. */
export const MAX_SIGNED_ID: u32 = 64;

/** The parts of an id. Valid until the next one is read. */
export const plainId = new Span(0, 0);
export const idSignature = new Span(0, 0);

/** Reads an id, the inside of a JSON string, into `plainId` and `idSignature`. Returns whether it has a signature. */
export function readSignedId(pointer: usize, length: u32): bool {
  plainId.pointer = pointer;
  plainId.length = length;
  idSignature.length = 0;
  if (length <= HEAD || !startsWith(pointer, length, MARK)) return false;
  const tens = byteAt(pointer, HEAD - 2);
  const ones = byteAt(pointer, HEAD - 1);
  if (!isDigit(tens) || !isDigit(ones) || !isIdText(pointer, length)) return false;
  const size = (tens - 0x30) * 10 + (ones - 0x30);
  if (size == 0 || size > MAX_SIGNED_ID || length <= HEAD + size) return false;
  plainId.pointer = pointer + HEAD;
  plainId.length = size;
  idSignature.pointer = pointer + HEAD + size;
  idSignature.length = length - HEAD - size;
  return true;
}

/** Appends an id, of at most MAX_SIGNED_ID bytes, with the signature. */
export function writeSignedId(id: ByteBuffer, signature: ByteBuffer, out: ByteBuffer): void {
  out.span(MARK);
  out.byte(0x30 + id.length / 10);
  out.byte(0x30 + (id.length % 10));
  out.bytes(id.pointer, id.length);
  out.bytes(signature.pointer, signature.length);
}

/** Returns whether a text has only letters, digits, `_` and `-`. */
export function isIdText(pointer: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const c = byteAt(pointer, i);
    if (!isDigit(c) && !isLetter(c) && c != 0x5f && c != 0x2d) return false;
  }
  return true;
}
