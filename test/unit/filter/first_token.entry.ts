// What the tests of filter/dialects/first-token call (test/unit/filter/first-token.ts).
import { FirstToken, MAX_HELD_BYTES } from "../../../filter/dialects/response-start";
import { StreamReader } from "../../../filter/dialects/read-stream";
import { CLIENT_DIALECTS } from "../../../filter/dialects/dialect-registry";
import { scan, SCAN_OK } from "../../../filter/bytes/json/scan";
import { Tape } from "../../../filter/bytes/json/tape";
import { ByteBuffer, PADDING } from "../../../filter/bytes/text/bytes";

let start: FirstToken = new FirstToken(CLIENT_DIALECTS[0], false);
let reader: StreamReader = new StreamReader(CLIENT_DIALECTS[0], false, null, null);
const body = new ByteBuffer();
const out = new ByteBuffer();
const tape = new Tape();

/** A block for `length` bytes and the padding after them; the caller frees it. */
export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Starts another response. */
export function begin(dialect: i32, isStreaming: bool): void {
  reader.release();
  body.clear();
  start = new FirstToken(CLIENT_DIALECTS[dialect], isStreaming);
  reader = new StreamReader(CLIENT_DIALECTS[dialect], false, null, null);
  reader.start = start;
  __collect();
}

/** As a link does: events are offered, a JSON body is judged at its end or when it is too long. */
export function push(pointer: usize, length: u32, isLast: bool, seconds: i32): i32 {
  start.begin(pointer, length);
  if (!start.isJson) {
    reader.push(pointer, length, 0, isLast, out);
  } else {
    body.bytes(pointer, length);
    body.reserve(0);
    const isShort = body.length < MAX_HELD_BYTES;
    const code = isLast && isShort ? scan(tape, body.pointer, body.length) : SCAN_OK;
    if (isLast || !isShort) start.judge(body.pointer, body.length, code);
  }
  start.settle(isLast, <i64>seconds);
  return start.result;
}

/** Status of the fault, 0 when there is none. */
export function status(): u32 {
  const fault = start.fault;
  return fault === null ? 0 : fault.status;
}
