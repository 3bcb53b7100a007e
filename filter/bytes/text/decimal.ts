// Decimal numbers in bytes.
import { Span } from "./bytes";

const NOT_A_NUMBER: i32 = -1;

/** Returns the value of a whole number of at most nine digits, -1 for anything else. */
export function decimal(text: Span): i32 {
  if (text.length == 0 || text.length > 9) return NOT_A_NUMBER;
  let value: i32 = 0;
  for (let i: u32 = 0; i < text.length; i++) {
    const digit = <i32>load<u8>(text.pointer + i) - 0x30;
    if (digit < 0 || digit > 9) return NOT_A_NUMBER;
    value = value * 10 + digit;
  }
  return value;
}

/** Returns the HTTP status that a text is; 0 if it is not three digits. */
export function statusCode(text: Span): u32 {
  const value = decimal(text);
  return text.length == 3 && value > 0 ? value : 0;
}
