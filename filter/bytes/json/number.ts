// Numbers of a tape that the program must count with. All others stay text.
import { KIND_NUMBER, Tape } from "./tape";

/** What `readCount` says of a node that is not a count. */
export const NO_COUNT: i64 = -1;

/** A value of at least 0, without its fraction; at most 18 digits count. NO_COUNT for anything else. */
export function readCount(tape: Tape, node: u32): i64 {
  if (tape.kind(node) != KIND_NUMBER) return NO_COUNT;
  let value: i64 = 0;
  let pointer = tape.pointer(node);
  const end = pointer + tape.size(node);
  if (end - pointer > 18) return NO_COUNT;
  for (; pointer < end; pointer++) {
    const digit = <u32>load<u8>(pointer) - 0x30;
    if (digit > 9) {
      // 12.0 is 12; -1 and 1e3 are no way to write a count.
      return load<u8>(pointer) == 0x2e ? value : NO_COUNT;
    }
    value = value * 10 + <i64>digit;
  }
  return value;
}
