// What the tests of filter/json call (test/unit/filter/json-scanner.ts).
import { Edits } from "../../../filter/bytes/json/edit";
import { scan, scanErrorAt, stringEnd } from "../../../filter/bytes/json/scan";
import { Tape } from "../../../filter/bytes/json/tape";
import { escape, unescape } from "../../../filter/bytes/json/text";
import { ByteBuffer, PADDING, Span } from "../../../filter/bytes/text/bytes";

const tape = new Tape();
const edits = new Edits();
const out = new ByteBuffer();

export const padding: u32 = PADDING;

/** A block for `length` bytes and the padding after them; the caller frees it. */
export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

export function scanText(pointer: usize, length: u32): i32 {
  return scan(tape, pointer, length);
}

/** Many times the same scan, for measuring. */
export function scanRepeatedly(pointer: usize, length: u32, times: u32): i32 {
  let code = 0;
  for (let i: u32 = 0; i < times; i++) code |= scan(tape, pointer, length);
  return code;
}

export function errorAt(): u32 {
  return scanErrorAt;
}

export function endOfString(pointer: usize, end: usize): usize {
  return stringEnd(pointer, end);
}

export function entries(): usize {
  return tape.entries;
}

export function count(): u32 {
  return tape.count;
}

export function capacity(): u32 {
  return tape.capacity;
}

export function kind(node: u32): u32 {
  return tape.kind(node);
}

export function next(node: u32): u32 {
  return tape.next(node);
}

export function first(node: u32): u32 {
  return tape.first(node);
}

export function outerStart(node: u32): u32 {
  return tape.outerStart(node);
}

export function outerEnd(node: u32): u32 {
  return tape.outerEnd(node);
}

export function member(object: u32, name: usize, length: u32): u32 {
  return tape.member(object, new Span(name, length));
}

export function equals(node: u32, text: usize, length: u32): bool {
  return tape.equals(node, new Span(text, length));
}

export function unescapeToOut(pointer: usize, length: u32): void {
  out.clear();
  unescape(pointer, length, out);
}

export function escapeToOut(pointer: usize, length: u32): void {
  out.clear();
  escape(pointer, length, out);
}

export function clearEdits(): void {
  edits.clear();
}

export function replace(start: u32, end: u32, text: usize, length: u32): void {
  edits.replace(start, end, new Span(text, length));
}

export function insert(at: u32, text: usize, length: u32): void {
  edits.insert(at, new Span(text, length));
}

export function append(text: usize, length: u32): void {
  edits.append(new Span(text, length));
}

export function replaceAppended(start: u32, end: u32): void {
  edits.replaceAppended(start, end);
}

export function insertAppended(at: u32): void {
  edits.insertAppended(at);
}

export function areNoEdits(): bool {
  return edits.isEmpty();
}

/** How many bytes of the text at `base` the bytes in `out` replace. */
export function prefixToOut(base: usize): u32 {
  out.clear();
  return edits.prefix(base, out);
}

export function outPointer(): usize {
  return out.pointer;
}

export function outLength(): u32 {
  return out.length;
}
