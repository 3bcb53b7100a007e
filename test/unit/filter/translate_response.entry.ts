// What the tests of response translation call in the filter's code (test/unit/translate-response.ts).
import {
  ResponseOptions,
  ResponseTranslator,
  readError,
} from "../../../filter/dialects/translate-response";
import { CLIENT_DIALECTS, DIALECTS } from "../../../filter/dialects/dialect-registry";
import { recogniseContextLength } from "../../../filter/hub/faults/context-length";
import { Fault } from "../../../filter/hub/faults/fault";
import { RequestNotes } from "../../../filter/hub/request/request-notes";
import { ByteBuffer, PADDING, Span } from "../../../filter/bytes/text/bytes";

const out = new ByteBuffer();
const REQUEST_ID = new ByteBuffer();
REQUEST_ID.text("req-1");
let translator: ResponseTranslator | null = null;
let model: Span = new Span(0, 0);
/** What the next responses know of their request. */
const notes = new RequestNotes();

const COMPLETED: i64 = 1741569999;
let seconds: i64 = COMPLETED;

function clock(): i64 {
  return seconds;
}

export function passSeconds(count: i32): void {
  seconds += count;
}

/** A block for `length` bytes; the caller frees it. */
export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Starts a response; the request id is "req-1", the model asked for "asked-model". */
export function start(from: i32, to: i32, wantsUsage: bool, created: i64): void {
  seconds = COMPLETED;
  const options = new ResponseOptions();
  options.from = DIALECTS[from];
  options.to = CLIENT_DIALECTS[to];
  options.wantsUsage = wantsUsage;
  options.created = created;
  options.requestId = REQUEST_ID;
  options.clock = clock;
  options.notes = notes;
  if (model.length == 0) {
    const name = "asked-model";
    model = new Span(heap.alloc(64), <u32>String.UTF8.byteLength(name));
    String.UTF8.encodeUnsafe(changetype<usize>(name), name.length, model.pointer);
  }
  options.model = model;
  translator = new ResponseTranslator(options);
}

export function clearNotes(): void {
  notes.clear();
}

/** Adds a tool; `pointer`: its wire name, name and namespace, one after the other, escaped. */
export function addTool(
  pointer: usize,
  wireLength: u32,
  nameLength: u32,
  spaceLength: u32,
  isCustom: bool,
): void {
  const name = pointer + wireLength;
  const space = name + nameLength;
  notes.tools.add(pointer, wireLength, name, nameLength, space, spaceLength, isCustom);
}

export function setEcho(pointer: usize, length: u32): void {
  notes.echo.clear();
  notes.echo.bytes(pointer, length);
}

/** Ends the stream with a fault of the gateway's. */
export function fail(status: u32, pointer: usize, length: u32): void {
  const reply = translator;
  if (reply == null) return;
  const fault = new Fault(status, String.UTF8.decodeUnsafe(pointer, length));
  recogniseContextLength(fault);
  reply.fail(fault, out);
}

export function push(pointer: usize, length: u32): void {
  const reply = translator;
  if (reply != null) reply.push(pointer, length, out);
}

export function end(): void {
  const reply = translator;
  if (reply != null) reply.end(out);
}

export function complete(pointer: usize, length: u32): u32 {
  const reply = translator;
  return reply == null ? 0 : reply.complete(pointer, length, out);
}

export function finishResponse(): void {
  const reply = translator;
  if (reply != null) reply.release();
  translator = null;
}

let statusOfError: u32 = 0;

/** The status that the last `error` gets. */
export function errorStatus(): u32 {
  return statusOfError;
}

export function error(from: i32, to: i32, status: u32, pointer: usize, length: u32): void {
  const fault = readError(DIALECTS[from], CLIENT_DIALECTS[to], status, pointer, length);
  statusOfError = fault.status;
  CLIENT_DIALECTS[to].writeFault(fault, REQUEST_ID, out);
}

export function outPointer(): usize {
  return out.pointer;
}

export function outLength(): u32 {
  return out.length;
}

export function clearOut(): void {
  out.clear();
}

export function droppedTotal(): u32 {
  const reply = translator;
  return reply == null ? 0 : reply.dropped.total;
}

export function droppedCount(kind: i32): u32 {
  const reply = translator;
  return reply == null ? 0 : reply.dropped.count(kind);
}

/** 0 fresh input, 1 cache read, 2 cache write, 3 output, 4 reasoning. */
export function usageOf(part: i32): i64 {
  const reply = translator;
  if (reply == null) return -1;
  if (part == 0) return reply.usage.freshInput;
  if (part == 1) return reply.usage.cacheRead;
  if (part == 2) return reply.usage.cacheWrite;
  return part == 3 ? reply.usage.output : reply.usage.reasoning;
}

export function faultStatus(): u32 {
  const reply = translator;
  if (reply == null) return 0;
  const fault = reply.fault;
  return fault == null ? 0 : fault.status;
}

export function collect(): void {
  __collect();
}
