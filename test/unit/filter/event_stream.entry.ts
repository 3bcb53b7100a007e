// What the tests of filter/bytes/event-stream call (test/unit/filter/event-stream-framer.ts).
import { crc32 as checksum } from "../../../filter/bytes/event-stream/crc32";
import { EventStreamFramer } from "../../../filter/bytes/event-stream/event-stream-framer";
import { PADDING } from "../../../filter/bytes/text/bytes";

let framer = new EventStreamFramer();

export const padding: u32 = PADDING;

/** A block for `length` bytes and the padding after them; the caller frees it. */
export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Starts another stream. */
export function begin(): void {
  framer.release();
  framer = new EventStreamFramer();
  __collect();
}

export function push(pointer: usize, length: u32): void {
  framer.push(pointer, length);
}

export function end(): void {
  framer.end();
}

export function next(): bool {
  return framer.next();
}

export function hold(): void {
  framer.hold();
}

export function isError(): bool {
  return framer.isError();
}

export function dataPointer(): usize {
  return framer.dataPointer;
}

export function dataLength(): u32 {
  return framer.dataLength;
}

export function namePointer(): usize {
  return framer.namePointer;
}

export function nameLength(): u32 {
  return framer.nameLength;
}

export function heldLength(): u32 {
  return framer.heldLength();
}

export function crc32(pointer: usize, length: u32): u32 {
  return checksum(pointer, length);
}
