// Writes the hub's blocks as chat messages: a message of role tool for each result, text without other parts as one string
// (several providers accept nothing else), images and documents in user messages.
// @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
import {
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  HubRequest,
  FLAG_PARAGRAPH,
  ROLE_ASSISTANT,
  ROLE_USER,
} from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { separate, writeResultTexts } from "../../write-values";
import {
  beginAssistantMessage,
  beginMessage,
  beginMessages,
  beginToolMessage,
} from "./begin-message";
import { isMarkedBlock, writeCall, writeId, writePart } from "./write-parts";
import { hasReasoning, writeReasoning } from "./write-reasoning";
import { carried, takeCarried, writeCarried, writeLaterSystem, writeSystem } from "./write-system";

const CLOSE_URL = constant('"}');

export function writeMessages(
  request: HubRequest,
  systemPrompt: Span,
  instruction: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  out.text(',"messages":[');
  beginMessages();
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
  writeCarried(limits, out);
  if (out.length == start) {
    report.reject(
      report.paths.messages.toText(),
      "must have a text. Send at least one user message with text.",
    );
    return;
  }
  out.byte(0x5d);
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
      const end = request.resultEnd(i);
      writeResult(request, i, end, limits, out);
      for (let inner = i + 1; inner < end; inner++)
        if (request.block(inner).kind != BLOCK_TEXT) others++;
      i = end;
    } else {
      parts++;
      if (block.kind != BLOCK_TEXT) others++;
    }
  }
  if (parts == 0 && others == 0) return;
  beginMessage(limits, out);
  out.text('{"role":"user","content":');
  if (others == 0 && !isMarked) writeUserText(request, from, to, out);
  else writeUserParts(request, from, to, limits, out);
  out.byte(0x7d);
}

/** Writes the user's texts as one string. */
function writeUserText(request: HubRequest, from: u32, to: u32, out: ByteBuffer): void {
  out.byte(0x22);
  let written: u32 = carried.length;
  takeCarried(out);
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
    else {
      if (written > 0) out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
      written++;
    }
  }
  out.byte(0x22);
}

/** Writes parts: first the images and documents of tool results, then the user's. */
function writeUserParts(
  request: HubRequest,
  from: u32,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
): void {
  out.byte(0x5b);
  if (carried.length > 0) {
    out.text('{"type":"text","text":');
    out.byte(0x22);
    takeCarried(out);
    out.byte(0x22);
    out.byte(0x7d);
  }
  for (let i = from; i < to; i++) {
    const result = request.block(i);
    if (result.kind != BLOCK_TOOL_RESULT) continue;
    let isNamed = false;
    const end = request.resultEnd(i);
    for (i++; i < end; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TEXT) continue;
      if (!isNamed) {
        separate(out);
        out.text('{"type":"text","text":"From the result of tool call ');
        out.bytes(result.id, result.idLength);
        out.byte(0x3a);
        out.span(CLOSE_URL);
        isNamed = true;
      }
      writePart(block, limits.supportsCacheControl, out);
    }
  }
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
    else writePart(block, limits.supportsCacheControl, out);
  }
  out.byte(0x5d);
}

/** Writes a message of role tool. It has text only: the images and documents of a result follow in a user message. */
function writeResult(
  request: HubRequest,
  index: u32,
  end: u32,
  limits: RequestLimits,
  out: ByteBuffer,
): void {
  beginToolMessage(out);
  out.text('{"role":"tool","tool_call_id":');
  writeId(request.block(index), limits, out);
  out.text(',"content":"');
  const texts = writeResultTexts(request, index, end, out);
  if (texts == 0 && end > index + 1) out.text("(The result is in the next message of the user.)");
  out.span(CLOSE_URL);
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
  beginAssistantMessage(out);
  out.text('{"role":"assistant","content":');
  if (texts > 0) writeAssistantText(request, from, to, out);
  else out.span(calls > 0 ? constant("null") : constant('""'));
  writeReasoning(request, from, to, calls > 0, limits, out);
  if (calls > 0) {
    out.text(',"tool_calls":[');
    for (let i = from; i < to; i++)
      if (request.block(i).kind == BLOCK_TOOL_CALL) writeCall(request.block(i), limits, out);
    out.byte(0x5d);
  }
  out.byte(0x7d);
}

/** Joins neighbouring texts, which Claude splits at citations, and separates others by an empty line. */
function writeAssistantText(request: HubRequest, from: u32, to: u32, out: ByteBuffer): void {
  out.byte(0x22);
  let last = to;
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_TEXT) continue;
    const isNext = last + 1 == i && (block.flags & FLAG_PARAGRAPH) == 0;
    if (last != to && !isNext) out.span(BLANK_LINE);
    out.bytes(block.text, block.textLength);
    last = i;
  }
  out.byte(0x22);
}
