// What the tests of filter/bytes/multipart.ts call (test/unit/filter/bytes/multipart.test.ts).
import { Form } from "../../../filter/bytes/multipart";
import { constant, PADDING, Span } from "../../../filter/bytes/text/bytes";

const MODEL = constant("model");
const form = new Form();
const span = new Span(0, 0);

export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Returns the number of fields with the name `model`, or -1 if the body is rejected. */
export function read(type: usize, typeLength: u32, body: usize, length: u32): i32 {
  span.pointer = type;
  span.length = typeLength;
  if (!form.readBoundary(span) || !form.read(body, length, MODEL)) return -1;
  return form.count;
}

export function start(field: i32): u32 {
  return form.fields[field].start;
}

export function end(field: i32): u32 {
  return form.fields[field].end;
}
