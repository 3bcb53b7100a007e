// Test entry: translates one request and shows what the report says of it.
import { ENVELOPES } from "../../../contract/envelopes";
import { Fault } from "../../../filter/hub/faults/fault";
import { hostedClaude } from "../../../filter/dialects/anthropic/messages/hosted/hosted-claude";
import { HostedRequest } from "../../../filter/dialects/anthropic/messages/hosted/hosted-request";
import { RequestLimits, RequestReport } from "../../../filter/hub/request/request-report";
import { Document } from "../../../filter/config/document";
import { readLimits } from "../../../filter/config/read-limits";
import { awaitMarks } from "../../../filter/dialects/edit-call-ids";
import { CLIENT_DIALECTS, DIALECTS } from "../../../filter/dialects/dialect-registry";
import { RequestNotes } from "../../../filter/hub/request/request-notes";
import { Edits } from "../../../filter/bytes/json/edit";
import { scan } from "../../../filter/bytes/json/scan";
import { NO_NODE, Tape } from "../../../filter/bytes/json/tape";
import { ByteBuffer, PADDING, Span } from "../../../filter/bytes/text/bytes";

// As if the configuration had a target of Gemini.
awaitMarks();

const tape = new Tape();
const out = new ByteBuffer();
const text = new ByteBuffer();
const edits = new Edits();
const report = new RequestReport();
const notes = new RequestNotes();
const betas = new ByteBuffer();
const model = new Span(0, 0);
const prompt = new Span(0, 0);
const session = new Span(0, 0);
let limits = defaultLimits();
/** Of the next requests; null if they are sent to no cloud. */
let hosted: HostedRequest | null = null;

function defaultLimits(): RequestLimits {
  const defaults = new RequestLimits();
  readLimits(new Document(new Map()), NO_NODE, defaults);
  return defaults;
}

export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function release(pointer: usize): void {
  heap.free(pointer);
}

/** Reads the limits as the filter's configuration has them; false when it does not understand them. */
export function setLimits(json: usize, length: u32, strict: bool, streamUsage: bool): bool {
  limits = new RequestLimits();
  hosted = null;
  report.host = null;
  limits.strict = strict;
  limits.supportsStreamUsage = streamUsage;
  const document = new Document(new Map());
  const object = document.open(json, length);
  readLimits(document, object, limits);
  document.close();
  return document.problem.length == 0;
}

/** Puts the next requests of this target into an envelope, with the client's betas. */
export function setEnvelope(index: i32, header: usize, length: u32): void {
  const cloud = hostedClaude(ENVELOPES[index]().name);
  limits.isLimiting = true;
  betas.clear();
  betas.bytes(header, length);
  hosted = cloud === null ? null : new HostedRequest(cloud, betas, false);
  report.host = hosted;
}

/** 0: translated, 1: a fault, 2: not JSON. `model` and `prompt` are the escaped insides of JSON strings. */
export function translate(
  body: usize,
  length: u32,
  from: i32,
  to: i32,
  modelAt: usize,
  modelLength: u32,
  promptAt: usize,
  promptLength: u32,
): i32 {
  if (scan(tape, body, length) != 0) return 2;
  model.pointer = modelAt;
  model.length = modelLength;
  prompt.pointer = promptAt;
  prompt.length = promptLength;
  out.clear();
  notes.clear();
  CLIENT_DIALECTS[from].translateRequest(
    tape,
    DIALECTS[to],
    model,
    prompt,
    limits,
    session,
    out,
    report,
    notes,
  );
  __collect();
  return report.fault === null ? 0 : 1;
}

/** As `translate`, for a target of the same dialect. `model` is not used. */
export function edit(
  body: usize,
  length: u32,
  dialect: i32,
  modelAt: usize,
  modelLength: u32,
  promptAt: usize,
  promptLength: u32,
): i32 {
  if (scan(tape, body, length) != 0) return 2;
  prompt.pointer = promptAt;
  prompt.length = promptLength;
  out.clear();
  edits.clear();
  const target = CLIENT_DIALECTS[dialect];
  report.reset(limits.strict, target.api, target.supporter);
  const systemText = limits.isLimiting
    ? target.fitRequest(tape, limits, prompt, edits, report)
    : prompt;
  target.editRequest(tape, systemText, edits);
  const done = edits.prefix(body, out);
  out.bytes(body + done, length - done);
  return report.fault === null ? 0 : 1;
}

/** Only the scan, to know what the translation costs beyond it. */
export function scanOnly(body: usize, length: u32): i32 {
  return scan(tape, body, length);
}

export function outputPointer(): usize {
  return out.pointer;
}

export function outputLength(): u32 {
  return out.length;
}

export function droppedPointer(): usize {
  return report.dropped.pointer;
}

export function droppedLength(): u32 {
  return report.dropped.length;
}

export function droppedCount(): u32 {
  return report.droppedCount;
}

export function reportFlags(): u32 {
  return (report.isStreaming ? 1 : 0) | (report.wantsUsage ? 2 : 0);
}

export function defaultedMaxTokens(): u32 {
  return report.defaultedMaxTokens;
}

/** Puts the fault as `status|member|message` at `textPointer`; returns its length. */
export function faultText(): u32 {
  text.clear();
  const fault: Fault | null = report.fault;
  if (fault === null) return 0;
  text.text(fault.status.toString() + "|" + fault.member + "|" + fault.message);
  return text.length;
}

/** Puts the header `anthropic-beta` of the last request where `textPointer` says; answers its length. */
export function betaHeaderText(): u32 {
  text.clear();
  if (hosted !== null) (<HostedRequest>hosted).writeHeader(text);
  return text.length;
}

/** Puts the echo where `textPointer` says; answers its length. */
export function echoText(): u32 {
  text.clear();
  text.bytes(notes.echo.pointer, notes.echo.length);
  return text.length;
}

/** Puts the tool with a wire name as `name|namespace|custom` where `textPointer` says; answers its length, 0 for none. */
export function toolText(wire: usize, length: u32): u32 {
  text.clear();
  const tool = notes.tools.find(wire, length);
  if (tool === null) return 0;
  text.bytes(tool.name, tool.nameLength);
  text.byte(0x7c);
  text.bytes(tool.space, tool.spaceLength);
  text.text(tool.isCustom ? "|custom" : "|function");
  return text.length;
}

export function textPointer(): usize {
  return text.pointer;
}
