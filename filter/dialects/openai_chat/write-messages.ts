// Writes the hub's blocks as chat messages: a message of the tool's role for each result, texts alone as one string
// (several providers take nothing else), images and documents in messages of the user.
// @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
import {
  Block,
  BLOCK_RESULT_END,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  HubRequest,
  FLAG_ERROR,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../hub/request";
import { RequestLimits, RequestReport } from "../../hub/request-report";
import { BLANK_LINE, writeString } from "../../hub/request-writing";
import { writeCallId } from "../../hub/call-id";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import {
  isMarkedBlock,
  separate,
  writeCall,
  writePart,
  writeTextPart,
} from "./write-request-parts";
import { hasReasoning, writeReasoning } from "./write-request-reasoning";

const MESSAGES = constant(',"messages":[');
const SYSTEM_MESSAGE = constant('{"role":"system","content":');
const USER_MESSAGE = constant('{"role":"user","content":');
const ASSISTANT_MESSAGE = constant('{"role":"assistant","content":');
const TOOL_MESSAGE = constant('{"role":"tool","tool_call_id":');
const CONTENT = constant(',"content":"');
const NULL = constant("null");
const EMPTY_STRING = constant('""');
const TEXT_PART = constant('{"type":"text","text":');
const CLOSE_URL = constant('"}');
const TOOL_CALLS = constant(',"tool_calls":[');
const ERROR_PREFIX = constant("Error: ");
const IN_NEXT_MESSAGE = constant("(The result is in the next message of the user.)");
const FROM_RESULT = constant('{"type":"text","text":"From the result of tool call ');

/** The system text that the next message of the user has to carry, because the model knows no system role. */
const carried = scratchBuffer();

export function writeMessages(
  request: HubRequest,
  systemPrompt: Span,
  instruction: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  out.span(MESSAGES);
  carried.clear();
  const start = out.length;
  const count = request.blocks.count;
  let from = writeSystem(request, systemPrompt, instruction, limits, out, report);
  while (from < count) {
    const first = request.block(from);
    let to = from + 1;
    while (
      to < count &&
      request.block(to).message == first.message &&
      request.block(to).role == first.role
    )
      to++;
    if (first.role == ROLE_ASSISTANT) writeAssistant(request, from, to, limits, out, report);
    else if (first.role == ROLE_USER) writeUser(request, from, to, limits, out, report);
    else writeLaterSystem(request, from, to, limits, out);
    from = to;
  }
  writeCarried(out);
  if (out.length == start) {
    report.reject(
      "messages",
      "hold no text. Send at least one message of role user that says something.",
    );
    return;
  }
  out.byte(0x5d);
}

/** The system text that no message of the user was there to carry. */
function writeCarried(out: ByteBuffer): void {
  if (carried.length == 0) return;
  separate(out);
  out.span(USER_MESSAGE);
  writeString(carried.pointer, carried.length, out);
  out.byte(0x7d);
  carried.clear();
}

/** The configured prompt, the client's and the output format's sentence as one message; answers where the rest begins. */
function writeSystem(
  request: HubRequest,
  prompt: Span,
  instruction: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): u32 {
  let to: u32 = 0;
  let isMarked = false;
  while (to < request.blocks.count && request.block(to).role == ROLE_SYSTEM) {
    if (isMarkedBlock(request.block(to), limits, report)) isMarked = true;
    to++;
  }
  if (to == 0 && prompt.length == 0 && instruction.length == 0) return 0;
  if (isMarked && limits.takesSystemRole) {
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
  if (!limits.takesSystemRole) return to;
  out.span(SYSTEM_MESSAGE);
  writeString(carried.pointer, carried.length, out);
  out.byte(0x7d);
  carried.clear();
  return to;
}

function carry(pointer: usize, length: u32): void {
  if (carried.length > 0) carried.span(BLANK_LINE);
  carried.bytes(pointer, length);
}

/** A system message in the middle of the conversation stays where it is. */
function writeLaterSystem(
  request: HubRequest,
  from: u32,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
): void {
  if (!limits.takesSystemRole || !limits.takesLaterSystem) {
    for (let i = from; i < to; i++) carry(request.block(i).text, request.block(i).textLength);
    return;
  }
  separate(out);
  out.span(SYSTEM_MESSAGE);
  out.byte(0x22);
  for (let i = from; i < to; i++) {
    if (i > from) out.span(BLANK_LINE);
    out.bytes(request.block(i).text, request.block(i).textLength);
  }
  out.byte(0x22);
  out.byte(0x7d);
}

function writeUser(
  request: HubRequest,
  from: u32,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  let parts: u32 = 0;
  let others: u32 = 0;
  let isMarked = false;
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (isMarkedBlock(block, limits, report) && block.kind != BLOCK_TOOL_RESULT) isMarked = true;
    if (block.kind == BLOCK_TOOL_RESULT) {
      const end = resultEnd(request, i);
      writeResult(request, i, end, out);
      for (let inner = i + 1; inner < end; inner++)
        if (request.block(inner).kind != BLOCK_TEXT) others++;
      i = end;
    } else {
      parts++;
      if (block.kind != BLOCK_TEXT) others++;
    }
  }
  if (parts == 0 && others == 0) return;
  separate(out);
  out.span(USER_MESSAGE);
  if (others == 0 && !isMarked) writeUserText(request, from, to, out);
  else writeUserParts(request, from, to, limits, out);
  out.byte(0x7d);
}

function resultEnd(request: HubRequest, index: u32): u32 {
  let end = index + 1;
  while (end < request.blocks.count && request.block(end).kind != BLOCK_RESULT_END) end++;
  return end;
}

/** The user's texts as one string. */
function writeUserText(request: HubRequest, from: u32, to: u32, out: ByteBuffer): void {
  out.byte(0x22);
  let written: u32 = carried.length;
  out.bytes(carried.pointer, carried.length);
  carried.clear();
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.kind == BLOCK_TOOL_RESULT) i = resultEnd(request, i);
    else {
      if (written > 0) out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
      written++;
    }
  }
  out.byte(0x22);
}

/** Parts: first what the results of tools show, then the user's own. */
function writeUserParts(
  request: HubRequest,
  from: u32,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
): void {
  out.byte(0x5b);
  if (carried.length > 0) {
    out.span(TEXT_PART);
    writeString(carried.pointer, carried.length, out);
    out.byte(0x7d);
    carried.clear();
  }
  for (let i = from; i < to; i++) {
    const result = request.block(i);
    if (result.kind != BLOCK_TOOL_RESULT) continue;
    let isNamed = false;
    const end = resultEnd(request, i);
    for (i++; i < end; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TEXT) continue;
      if (!isNamed) {
        separate(out);
        out.span(FROM_RESULT);
        out.bytes(result.id, result.idLength);
        out.byte(0x3a);
        out.span(CLOSE_URL);
        isNamed = true;
      }
      writePart(block, limits.takesCacheControl, out);
    }
  }
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.kind == BLOCK_TOOL_RESULT) i = resultEnd(request, i);
    else writePart(block, limits.takesCacheControl, out);
  }
  out.byte(0x5d);
}

/** A message of the tool's role: text only, so what else a result holds follows in a message of the user. */
function writeResult(request: HubRequest, index: u32, end: u32, out: ByteBuffer): void {
  const result = request.block(index);
  separate(out);
  out.span(TOOL_MESSAGE);
  writeCallId(result.id, result.idLength, out);
  out.span(CONTENT);
  let texts: u32 = 0;
  for (let i = index + 1; i < end; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_TEXT) continue;
    if (texts++ > 0) out.span(BLANK_LINE);
    else if ((result.flags & FLAG_ERROR) != 0 && !saysError(block)) out.span(ERROR_PREFIX);
    out.bytes(block.text, block.textLength);
  }
  if (texts == 0) {
    if ((result.flags & FLAG_ERROR) != 0) out.span(ERROR_PREFIX);
    if (end > index + 1) out.span(IN_NEXT_MESSAGE);
  }
  out.span(CLOSE_URL);
}

/** Whether a text begins with the word error. */
function saysError(block: Block): bool {
  if (block.textLength < 5) return false;
  const letters = load<u32>(block.text) | 0x20202020;
  return letters == 0x6f727265 && (load<u8>(block.text + 4) | 0x20) == 0x72;
}

function writeAssistant(
  request: HubRequest,
  from: u32,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  let calls: u32 = 0;
  let texts: u32 = 0;
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    isMarkedBlock(block, limits, report);
    if (block.kind == BLOCK_TOOL_CALL) calls++;
    if (block.kind == BLOCK_TEXT) texts++;
  }
  const reasons = hasReasoning(request, from, to, limits, report);
  if (calls == 0 && texts == 0 && !reasons) return;
  separate(out);
  out.span(ASSISTANT_MESSAGE);
  if (texts > 0) writeAssistantText(request, from, to, out);
  else out.span(calls > 0 ? NULL : EMPTY_STRING);
  writeReasoning(request, from, to, calls > 0, limits, out);
  if (calls > 0) {
    out.span(TOOL_CALLS);
    for (let i = from; i < to; i++)
      if (request.block(i).kind == BLOCK_TOOL_CALL) writeCall(request.block(i), out);
    out.byte(0x5d);
  }
  out.byte(0x7d);
}

/** Texts that were neighbours are one text (Claude cuts it at citations); others are paragraphs. */
function writeAssistantText(request: HubRequest, from: u32, to: u32, out: ByteBuffer): void {
  out.byte(0x22);
  let last = to;
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_TEXT) continue;
    if (last != to && last + 1 != i) out.span(BLANK_LINE);
    out.bytes(block.text, block.textLength);
    last = i;
  }
  out.byte(0x22);
}
