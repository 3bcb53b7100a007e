// Numbers of a tape that the gateway computes with. All others stay text.
import { KIND_NUMBER, Tape } from "./tape";

/** The result of `readCount` for a node that is not a count. */
export const NO_COUNT: i64 = -1;

/** Returns a number of at least 0 and at most 18 characters, without its fraction; NO_COUNT for anything else. */
export function readCount(tape: Tape, node: u32): i64 {
  if (tape.kind(node) != KIND_NUMBER) return NO_COUNT;
  let value: i64 = 0;
  let pointer = tape.pointer(node);
  const end = pointer + tape.size(node);
  if (end - pointer > 18) return NO_COUNT;
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
