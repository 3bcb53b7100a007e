// What the test of filter/bytes/text/ascii.ts calls (test/unit/filter/bytes/text/ascii.test.ts).
import * as ascii from "../../../filter/bytes/text/ascii";
import { PADDING } from "../../../filter/bytes/text/bytes";

/** A place for a text of up to 1,000 bytes. */
export function place(): usize {
  return heap.alloc(1000 + PADDING);
}

export function isPlainId(pointer: usize, length: u32): bool {
  return ascii.isPlainId(pointer, length);
}

export function isLowerCase(pointer: usize, length: u32): bool {
  return ascii.isLowerCase(pointer, length);
}
