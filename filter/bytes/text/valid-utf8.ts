// Bytes on their way into JSON: each byte that is not part of valid UTF-8 becomes U+FFFD.
import { ByteBuffer } from "./bytes";

/** Appends the bytes; a byte that begins no valid sequence (RFC 3629, section 4) becomes the replacement character. */
export function appendValidUtf8(pointer: usize, length: u32, out: ByteBuffer): void {
  let from: u32 = 0;
  let at: u32 = 0;
  while (at < length) {
    const size = sequenceSize(pointer + at, length - at);
    if (size > 0) {
      at += size;
      continue;
    }
    out.bytes(pointer + from, at - from);
    out.byte(0xef);
    out.byte(0xbf);
    out.byte(0xbd);
    at++;
    from = at;
  }
  out.bytes(pointer + from, at - from);
}

export function isValidUtf8(pointer: usize, length: u32): bool {
  for (let at: u32 = 0; at < length;) {
    const size = sequenceSize(pointer + at, length - at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

/** Bytes of the sequence that begins here, 0 if there is none. */
function sequenceSize(pointer: usize, left: u32): u32 {
  const first = <u32>load<u8>(pointer);
  if (first < 0x80) return 1;
  const size: u32 = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0 || size > left) return 0;
  const second = <u32>load<u8>(pointer + 1);
  // Overlong forms, surrogates, and code points above U+10FFFF.
  const lowest: u32 = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const highest: u32 = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let i: u32 = 2; i < size; i++) {
    if (((<u32>load<u8>(pointer + i)) & 0xc0) != 0x80) return 0;
  }
  return size;
}
