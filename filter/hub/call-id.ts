// The id of a tool call, for dialects that limit its length.
import { byteAt } from "../bytes/text/at";
import { ByteBuffer, constant } from "../bytes/text/bytes";
import { writeString } from "./request-writing";

/** OpenAI rejects longer ids of tool calls: "string too long. Expected a string with maximum length 40". */
const MAX_ID_BYTES: u32 = 40;

const HASHED = constant("call_");
const HEX = constant("0123456789abcdef");

/** FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/); the second basis gives a second, independent hash. */
const FNV_PRIME: u64 = 0x00000100000001b3;
const FIRST_BASIS: u64 = 0xcbf29ce484222325;
const SECOND_BASIS: u64 = 0x6c62272e07bb0142;

/**
 * Writes an id, the inside of a JSON string, as a JSON string of at most MAX_ID_BYTES. A longer one becomes a hash, which is
 * the same for a call and its result. Cutting it instead could give two calls the same id.
 */
export function writeCallId(pointer: usize, length: u32, out: ByteBuffer): void {
  if (length <= MAX_ID_BYTES) {
    writeString(pointer, length, out);
    return;
  }
  out.byte(0x22);
  out.span(HASHED);
  writeHex(hash(pointer, length, FIRST_BASIS), out);
  writeHex(hash(pointer, length, SECOND_BASIS), out);
  out.byte(0x22);
}

function hash(pointer: usize, length: u32, basis: u64): u64 {
  let value = basis;
  for (let i: u32 = 0; i < length; i++) value = (value ^ (<u64>byteAt(pointer, i))) * FNV_PRIME;
  // The last bytes hardly reach the upper bits: the finalizer of MurmurHash3 spreads them.
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccd;
  return value ^ (value >> 33);
}

function writeHex(value: u64, out: ByteBuffer): void {
  for (let shift: i32 = 60; shift >= 0; shift -= 4)
    out.byte(byteAt(HEX.pointer, <u32>((value >> (<u64>shift)) & 15)));
}
