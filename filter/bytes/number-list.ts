// A list of numbers (f64), in bytes of a fixed length.
import { Span } from "./text/bytes";

const NUMBER_BYTES: u32 = 8;

/** Returns a number of the list; 0 if it is shorter. */
export function numberAt(list: Span, index: u32): f64 {
  return (index + 1) * NUMBER_BYTES <= list.length
    ? load<f64>(list.pointer + index * NUMBER_BYTES)
    : 0;
}

/** Sets a number of the list; nothing if it is shorter. */
export function setNumberAt(list: Span, index: u32, value: f64): void {
  if ((index + 1) * NUMBER_BYTES <= list.length)
    store<f64>(list.pointer + index * NUMBER_BYTES, value);
}
