// Base64 (RFC 4648, section 4): the bodies of AWS's InvokeModel.
import { ByteBuffer } from "./bytes";

const ALPHABET = memory.data<u8>([
  65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88,
  89, 90, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114,
  115, 116, 117, 118, 119, 120, 121, 122, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 43, 47,
]);
const BACKSLASH: u32 = 0x5c;
const PAD: u32 = 0x3d;
const NO_VALUE: u32 = 64;

/** Appends the bytes of a text inside of a JSON string, where a slash may be escaped. Returns false if it is not base64. */
export function decodeBase64(pointer: usize, length: u32, out: ByteBuffer): bool {
  let to = out.reserve((length / 4) * 3 + 3);
  if (to == 0) return false;
  const start = to;
  const end = pointer + length;
  let bits: u32 = 0;
  let count: u32 = 0;
  for (; pointer < end; pointer++) {
    const byte = <u32>load<u8>(pointer);
    if (byte == BACKSLASH) continue;
    if (byte == PAD) break;
    const value = valueOf(byte);
    if (value == NO_VALUE) return false;
    bits = (bits << 6) | value;
    if (++count < 4) continue;
    store<u8>(to++, <u8>(bits >> 16));
    store<u8>(to++, <u8>(bits >> 8));
    store<u8>(to++, <u8>bits);
    bits = 0;
    count = 0;
  }
  // One character holds six bits of a byte.
  if (count == 1) return false;
  if (count > 1) store<u8>(to++, <u8>(bits >> (count == 2 ? 4 : 10)));
  if (count > 2) store<u8>(to++, <u8>(bits >> 2));
  out.length += <u32>(to - start);
  return true;
}

function valueOf(byte: u32): u32 {
  if (byte - 0x41 < 26) return byte - 0x41;
  if (byte - 0x61 < 26) return byte - 0x61 + 26;
  if (byte - 0x30 < 10) return byte - 0x30 + 52;
  return byte == 0x2b ? 62 : byte == 0x2f ? 63 : NO_VALUE;
}

/** Appends bytes as base64. */
export function encodeBase64(pointer: usize, length: u32, out: ByteBuffer): void {
  const size = ((length + 2) / 3) * 4;
  let to = out.reserve(size);
  if (to == 0) return;
  for (let at: u32 = 0; at < length; at += 3) {
    const left = length - at;
    // There is PADDING after the bytes.
    const second = left > 1 ? <u32>load<u8>(pointer + at, 1) : 0;
    const third = left > 2 ? <u32>load<u8>(pointer + at, 2) : 0;
    const bits = ((<u32>load<u8>(pointer + at)) << 16) | (second << 8) | third;
    store<u8>(to++, load<u8>(ALPHABET + (bits >> 18)));
    store<u8>(to++, load<u8>(ALPHABET + ((bits >> 12) & 63)));
    store<u8>(to++, left > 1 ? load<u8>(ALPHABET + ((bits >> 6) & 63)) : <u8>PAD);
    store<u8>(to++, left > 2 ? load<u8>(ALPHABET + (bits & 63)) : <u8>PAD);
  }
  out.length += size;
}
