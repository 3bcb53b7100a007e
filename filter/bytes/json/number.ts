// Numbers of a tape that the gateway computes with. All others stay text.
import { byteAt, isDigit } from "../text/at";
import { KIND_NUMBER, Tape } from "./tape";

/** The result of `readCount` for a node that is not a count. */
export const NO_COUNT: i64 = -1;

/** A number with more digits may not fit into 64 bits. */
export const MAX_COUNT_DIGITS: u32 = 18;

/** Returns the value of a text of digits alone, at most MAX_COUNT_DIGITS. */
export function countOf(pointer: usize, length: u32): i64 {
  let value: i64 = 0;
  for (let i: u32 = 0; i < length; i++)
    value = value * 10 + <i64>(<u32>load<u8>(pointer + i) - 0x30);
  return value;
}

/** As `readCount`; returns `before` for a node that is not a count. */
export function countOr(tape: Tape, node: u32, before: i64): i64 {
  const value = readCount(tape, node);
  return value == NO_COUNT ? before : value;
}

/** Returns a number of at least 0 and at most 18 characters, without its fraction; NO_COUNT for anything else. */
export function readCount(tape: Tape, node: u32): i64 {
  if (tape.kind(node) != KIND_NUMBER) return NO_COUNT;
  let value: i64 = 0;
  let pointer = tape.pointer(node);
  const end = pointer + tape.size(node);
  if (end - pointer > <usize>MAX_COUNT_DIGITS) return NO_COUNT;
  for (; pointer < end; pointer++) {
    const digit = <u32>load<u8>(pointer) - 0x30;
    if (digit > 9) {
      // 12.0 is 12; -1 and 1e3 are not counts.
      return load<u8>(pointer) == 0x2e ? value : NO_COUNT;
    }
    value = value * 10 + <i64>digit;
  }
  return value;
}

/** Returns the end of the digits of a whole number; 0 if there is none. */
export function numberEnd(pointer: usize, end: usize): usize {
  const length = <u32>(end - pointer);
  let i: u32 = 0;
  while (i < length && isDigit(byteAt(pointer, i))) i++;
  const hasLeadingZero = i > 1 && byteAt(pointer) == 0x30;
  return i == 0 || hasLeadingZero ? 0 : pointer + i;
}
