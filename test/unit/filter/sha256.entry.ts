// What the test of filter/bytes/text/sha256.ts calls (test/unit/filter/bytes/text/sha256.test.ts).
import * as sha from "../../../filter/bytes/text/sha256";
import { PADDING } from "../../../filter/bytes/text/bytes";

/** A place for a text of up to 1,000 bytes. */
export function place(): usize {
  return heap.alloc(1000 + PADDING);
}

export function sha256(pointer: usize, length: u32, out: usize): void {
  sha.sha256(pointer, length, out);
}
