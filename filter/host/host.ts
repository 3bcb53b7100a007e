// Typed calls of the host: headers, bodies, properties, time, randomness, log.
//
// Ownership: the host writes what it returns into a block from `proxy_on_memory_allocate` (PADDING bytes larger than
// requested). A header or property value belongs to this file and is valid until the next read of one; a body belongs to
// the caller of `takeBody`.
import { freeBlock, takeBlock } from "../memory/blocks";
import * as abi from "./abi";
import { ByteBuffer, PADDING, scratchBuffer, Span } from "../bytes/text/bytes";

export const REQUEST_HEADERS: i32 = 0;
export const REQUEST_TRAILERS: i32 = 1;
export const RESPONSE_HEADERS: i32 = 2;
export const RESPONSE_TRAILERS: i32 = 3;
export const REQUEST_BODY: i32 = 0;
export const RESPONSE_BODY: i32 = 1;
export const VM_CONFIGURATION: i32 = 6;
export const PLUGIN_CONFIGURATION: i32 = 7;

/** Instead of a length: the whole body. */
export const ALL: u32 = 0x7fffffff;

/** The status of what does not exist. */
const NOT_FOUND: i32 = 1;

const LOG_WARNING: i32 = 3;
const LOG_ERROR: i32 = 4;

/** Where the host writes the address and the size of what it returns. */
const POINTER_CELL = memory.data(8);
const SIZE_CELL = memory.data(8);

/** Returns a block for `size` bytes that the host writes. */
export function allocate(size: usize): usize {
  return takeBlock(size + PADDING);
}

let valueBlock: usize = 0;
const value = new Span(0, 0);
let lastStatus: i32 = 0;

/** Takes what the host returned last as the current value, and frees the one before. */
function takeValue(status: i32): Span {
  lastStatus = status;
  freeBlock(valueBlock);
  valueBlock = status == 0 ? load<usize>(POINTER_CELL) : 0;
  value.pointer = valueBlock;
  value.length = valueBlock == 0 ? 0 : load<u32>(SIZE_CELL);
  return value;
}

/** Returns the value of a header, empty if it is absent. Valid until the next read of a header or property. */
export function header(map: i32, name: Span): Span {
  store<usize>(POINTER_CELL, 0);
  return takeValue(
    abi.proxy_get_header_map_value(map, name.pointer, name.length, POINTER_CELL, SIZE_CELL),
  );
}

/** Reads a whole header map in its binary form into `block`, whose `pointer` (0 if there is none) the caller frees. */
export function takeHeaders(map: i32, block: Span): void {
  store<usize>(POINTER_CELL, 0);
  const status = abi.proxy_get_header_map_pairs(map, POINTER_CELL, SIZE_CELL);
  block.pointer = status == 0 ? load<usize>(POINTER_CELL) : 0;
  block.length = block.pointer == 0 ? 0 : load<u32>(SIZE_CELL);
}

export function setHeader(map: i32, name: Span, text: Span): void {
  abi.proxy_replace_header_map_value(map, name.pointer, name.length, text.pointer, text.length);
}

export function removeHeader(map: i32, name: Span): void {
  abi.proxy_remove_header_map_value(map, name.pointer, name.length);
}

/** A header map without headers, in its binary form. */
const NO_HEADERS = memory.data<u32>([0]);

/** Removes all headers of a map. */
export function clearHeaders(map: i32): void {
  abi.proxy_set_header_map_pairs(map, NO_HEADERS, 4);
}

const digits = scratchBuffer();
const digitSpan = new Span(0, 0);

/** Sets a header to a decimal number. */
export function setHeaderNumber(map: i32, name: Span, number: u32): void {
  digits.clear();
  digits.integer(<i64>number);
  digitSpan.pointer = digits.pointer;
  digitSpan.length = digits.length;
  setHeader(map, name, digitSpan);
}

/** Returns a property of the stream, empty if it is absent; path parts are joined by NUL. Valid until the next read. */
export function property(path: Span): Span {
  store<usize>(POINTER_CELL, 0);
  return takeValue(abi.proxy_get_property(path.pointer, path.length, POINTER_CELL, SIZE_CELL));
}

/** Returns whether the property that was read last exists, of any type: its value may be empty, or none that can be read. */
export function wasProperty(): bool {
  return lastStatus != NOT_FOUND;
}

/** Stores a value in the stream's filter state (`wasm.<name>`), which the upstream filter of the request can read. */
export function setProperty(name: Span, text: Span): void {
  abi.proxy_set_property(name.pointer, name.length, text.pointer, text.length);
}

const body = new Span(0, 0);

/**
 * Reads a part of a body. The caller frees `pointer` (0 if there is none) with `freeBlock`; the span itself is valid until
 * the next call.
 */
export function takeBody(buffer: i32, start: u32, length: u32): Span {
  body.pointer = 0;
  body.length = 0;
  if (length == 0) return body;
  store<usize>(POINTER_CELL, 0);
  const status = abi.proxy_get_buffer_bytes(buffer, start, length, POINTER_CELL, SIZE_CELL);
  const pointer = status == 0 ? load<usize>(POINTER_CELL) : 0;
  body.pointer = pointer;
  body.length = pointer == 0 ? 0 : load<u32>(SIZE_CELL);
  return body;
}

/** Replaces the first `length` bytes of a body. */
export function replaceBodyPrefix(buffer: i32, length: u32, bytes: ByteBuffer): void {
  if (length == 0 && bytes.length == 0) return;
  abi.proxy_set_buffer_bytes(buffer, 0, length, bytes.pointer, bytes.length);
}

/**
 * Replaces the first `length` bytes of a body by the first `kept` bytes of a block and `bytes` after them. Unless `kept` is 0,
 * the block has room for both; it is overwritten.
 */
export function replaceBodyPrefixBehind(
  buffer: i32,
  length: u32,
  block: usize,
  kept: u32,
  bytes: ByteBuffer,
): void {
  if (kept == 0) {
    replaceBodyPrefix(buffer, length, bytes);
    return;
  }
  memory.copy(block + kept, bytes.pointer, bytes.length);
  abi.proxy_set_buffer_bytes(buffer, 0, length, block, kept + bytes.length);
}

/** Inserts bytes before a body. */
export function prependBody(buffer: i32, pointer: usize, length: u32): void {
  if (length > 0) abi.proxy_set_buffer_bytes(buffer, 0, 0, pointer, length);
}

/** Seconds since the epoch. */
export function currentSeconds(): i64 {
  return currentMilliseconds() / 1000;
}

/** Milliseconds since the epoch. */
export function currentMilliseconds(): i64 {
  return <i64>(currentMicroseconds() / 1000);
}

/** Microseconds since the epoch, a whole number. */
export function currentMicroseconds(): f64 {
  store<u64>(POINTER_CELL, 0);
  abi.proxy_get_current_time_nanoseconds(POINTER_CELL);
  return <f64>(load<u64>(POINTER_CELL) / 1000);
}

/** Fills 16 bytes with randomness. */
export function randomBytes(pointer: usize): void {
  abi.random_get(pointer, 16);
}

export function logWarning(message: string): void {
  log(LOG_WARNING, message);
}

export function logError(message: string): void {
  log(LOG_ERROR, message);
}

function log(level: i32, message: string): void {
  const bytes = new ByteBuffer();
  bytes.text(message);
  abi.proxy_log(level, bytes.pointer, bytes.length);
  bytes.release();
}

/** AssemblyScript's abort: no input may lead here. Envoy drops the VM; the log line says where the bug is. */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  const text = message === null ? "" : message;
  const place = file === null ? "" : file;
  logError(
    "gateway filter: " + text + " at " + place + ":" + line.toString() + ":" + column.toString(),
  );
  unreachable();
}
