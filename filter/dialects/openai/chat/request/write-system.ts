// Writes the system texts of a chat completions request: as messages, or before the next user text for models that do not
// support the role.
import { HubRequest, ROLE_SYSTEM } from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { beginMessage } from "./begin-message";
import { isMarkedBlock, writePart, writeTextPart } from "./write-parts";

const SYSTEM_MESSAGE = constant('{"role":"system","content":');

/** System text that the next user message has to carry. */
export const carried = scratchBuffer();

/** Moves the carried text to `out`. */
export function takeCarried(out: ByteBuffer): void {
  out.bytes(carried.pointer, carried.length);
  carried.clear();
}

/** Writes the system text that no user message has carried as a user message. */
export function writeCarried(limits: RequestLimits, out: ByteBuffer): void {
  if (carried.length == 0) return;
  beginMessage(limits, out);
  out.text('{"role":"user","content":');
  out.byte(0x22);
  takeCarried(out);
  out.byte(0x22);
  out.byte(0x7d);
}

/**
 * Writes the configured prompt, the client's leading system texts and the instruction as one message. Returns the index of the
 * first block behind them.
 */
export function writeSystem(
  request: HubRequest,
  prompt: Span,
  instruction: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): u32 {
  carried.clear();
  let to: u32 = 0;
  let isMarked = false;
  while (to < request.blocks.count && request.block(to).role == ROLE_SYSTEM) {
    if (isMarkedBlock(request.block(to), limits, report)) isMarked = true;
    to++;
  }
  if (to == 0 && prompt.length == 0 && instruction.length == 0) return 0;
  if (isMarked && limits.supportsSystemRole) {
    out.span(SYSTEM_MESSAGE);
    out.byte(0x5b);
    writeTextPart(prompt, out);
    for (let i: u32 = 0; i < to; i++) writePart(request.block(i), true, out);
    writeTextPart(instruction, out);
    out.byte(0x5d);
    out.byte(0x7d);
    return to;
  }
  carried.span(prompt);
  for (let i: u32 = 0; i < to; i++) carry(request.block(i).text, request.block(i).textLength);
  if (instruction.length > 0) carry(instruction.pointer, instruction.length);
  if (!limits.supportsSystemRole) return to;
  out.span(SYSTEM_MESSAGE);
  out.byte(0x22);
  takeCarried(out);
  out.byte(0x22);
  out.byte(0x7d);
  return to;
}

function carry(pointer: usize, length: u32): void {
  if (carried.length > 0) carried.span(BLANK_LINE);
  carried.bytes(pointer, length);
}

/** Writes a later system message in its place, if the model supports that. */
export function writeLaterSystem(
  request: HubRequest,
  from: u32,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
): void {
  if (!limits.supportsSystemRole || !limits.supportsLaterSystem) {
    for (let i = from; i < to; i++) carry(request.block(i).text, request.block(i).textLength);
    return;
  }
  beginMessage(limits, out);
  out.span(SYSTEM_MESSAGE);
  out.byte(0x22);
  for (let i = from; i < to; i++) {
    if (i > from) out.span(BLANK_LINE);
    out.bytes(request.block(i).text, request.block(i).textLength);
  }
  out.byte(0x22);
  out.byte(0x7d);
}
