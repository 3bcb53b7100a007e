// The few numbers of a request that are compared. What is sent is the client's own text.
import { KIND_NUMBER, Tape } from "../../bytes/json/tape";
import { byteAt, isDigit } from "../../bytes/text/at";

/** Exponents beyond this are infinite or 0. */
const MAX_EXPONENT: i32 = 400;

/** Returns the value of a number node, precise enough to compare; NaN for anything else. */
export function readDecimal(tape: Tape, node: u32): f64 {
  if (tape.kind(node) != KIND_NUMBER) return f64.NaN;
  const pointer = tape.pointer(node);
  const size = tape.size(node);
  const isNegative = byteAt(pointer) == 0x2d;
  let at: u32 = isNegative ? 1 : 0;
  let value: f64 = 0;
  let exponent: i32 = 0;
  let hasPoint = false;
  for (; at < size; at++) {
    const byte = byteAt(pointer, at);
    if (isDigit(byte)) {
      value = value * 10 + <f64>(byte - 0x30);
      if (hasPoint) exponent--;
    } else if (byte == 0x2e) {
      hasPoint = true;
    } else {
      break;
    }
  }
  if (at < size) exponent += readExponent(pointer, at + 1, size);
  if (value != 0) value = scaled(value, exponent);
  return isNegative ? -value : value;
}

/** Returns the value times ten to the power of an exponent: division is exact for the few digits of real numbers. */
function scaled(value: f64, exponent: i32): f64 {
  let power: f64 = 1;
  for (let i = min(abs(exponent), MAX_EXPONENT); i > 0; i--) power *= 10;
  return exponent < 0 ? value / power : value * power;
}

/** Reads the digits after `e`. The cap keeps a hostile exponent small. */
function readExponent(pointer: usize, at: u32, size: u32): i32 {
  let isNegative = false;
  let value: i32 = 0;
  for (; at < size; at++) {
    const byte = byteAt(pointer, at);
    if (byte == 0x2d) isNegative = true;
    else if (isDigit(byte) && value < 1_000_000) value = value * 10 + <i32>(byte - 0x30);
  }
  return isNegative ? -value : value;
}
