// The few numbers of a request that are compared. What is sent on stays the client's own text.
import { KIND_NUMBER, Tape } from "../bytes/json/tape";

/** Value of a number node, close enough to compare; NaN for anything else. */
export function readDecimal(tape: Tape, node: u32): f64 {
  if (tape.kind(node) != KIND_NUMBER) return f64.NaN;
  let pointer = tape.pointer(node);
  const end = pointer + tape.size(node);
  const isNegative = pointer < end && load<u8>(pointer) == 0x2d;
  if (isNegative) pointer++;
  let value: f64 = 0;
  let exponent: i32 = 0;
  let hasPoint = false;
  for (; pointer < end; pointer++) {
    const c = <u32>load<u8>(pointer);
    if (c == 0x2e) {
      hasPoint = true;
    } else if (c - 0x30 < 10) {
      value = value * 10 + <f64>(c - 0x30);
      if (hasPoint) exponent--;
    } else {
      break;
    }
  }
  if (pointer < end) exponent += readExponent(pointer + 1, end);
  if (value != 0 && exponent != 0) value *= Math.pow(10, <f64>exponent);
  return isNegative ? -value : value;
}

/** The digits behind `e`; beyond a million one is as good as the other. */
function readExponent(pointer: usize, end: usize): i32 {
  let isNegative = false;
  let value: i32 = 0;
  for (; pointer < end; pointer++) {
    const c = <u32>load<u8>(pointer);
    if (c == 0x2d) isNegative = true;
    else if (c - 0x30 < 10 && value < 1_000_000) value = value * 10 + <i32>(c - 0x30);
  }
  return isNegative ? -value : value;
}
