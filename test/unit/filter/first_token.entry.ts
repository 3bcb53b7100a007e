// What the tests of filter/dialects/first-token call (test/unit/filter/first-token.ts).
import { FirstToken } from "../../../filter/dialects/response-start";
import { DIALECTS } from "../../../filter/dialects/dialect-registry";
import { PADDING } from "../../../filter/bytes/text/bytes";

let look: FirstToken = new FirstToken(DIALECTS[0], false);

/** A block for `length` bytes and the padding behind them; the caller frees it. */
export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Starts another reply. */
export function begin(dialect: i32, isStreaming: bool): void {
  look.release();
  look = new FirstToken(DIALECTS[dialect], isStreaming);
  __collect();
}

export function push(pointer: usize, length: u32, isLast: bool, seconds: i32): i32 {
  return look.push(pointer, length, isLast, <i64>seconds);
}

/** Status of the fault, 0 when there is none. */
export function status(): u32 {
  const fault = look.fault;
  return fault === null ? 0 : fault.status;
}
