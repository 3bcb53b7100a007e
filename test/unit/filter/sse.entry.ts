// What the tests of filter/sse call (test/unit/filter/sse-framer.ts).
import { SseFramer } from "../../../filter/bytes/sse/sse-framer";
import { PADDING } from "../../../filter/bytes/text/bytes";

let framer = new SseFramer();

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
  framer = new SseFramer();
  __collect();
}

export function push(pointer: usize, length: u32): void {
  framer.push(pointer, length);
}

export function next(): bool {
  return framer.next();
}

export function hold(): void {
  framer.hold();
}

export function rawPointer(): usize {
  return framer.rawPointer;
}

export function rawLength(): u32 {
  return framer.rawLength;
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

export function hasData(): bool {
  return framer.hasData;
}

export function isLateLf(): bool {
  return framer.isLateLf;
}

export function heldPointer(): usize {
  return framer.heldPointer();
}

export function heldLength(): u32 {
  return framer.heldLength();
}

/** Reads a whole stream in pieces of this size, for measuring. Answers the bytes of data there were. */
export function readAll(pointer: usize, length: u32, piece: u32): u32 {
  let bytes: u32 = 0;
  for (let at: u32 = 0; at < length; at += piece) {
    framer.push(pointer + at, min(piece, length - at));
    while (framer.next()) bytes += framer.dataLength;
    framer.hold();
  }
  return bytes;
}
