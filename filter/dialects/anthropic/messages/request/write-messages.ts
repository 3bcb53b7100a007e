// Writes the hub's blocks as messages. Anthropic requires alternating roles, tool results first in their message, and no empty
// contents.
// @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
import { trimmedLength } from "../../../../bytes/json/blank";
import {
  BLOCK_NOTHING,
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  HubRequest,
  FLAG_ERROR,
  FLAG_IN_PLACE,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { writeCache, writeString } from "../../../../hub/request/request-writing";
import {
  dropUnsigned,
  isWritten,
  lastPiece,
  nextWritten,
  runEnd,
} from "../../../../hub/request/turns";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { isPlainText, writeCall, writeContentBlock, writeId } from "./write-blocks";

const CONTENT = constant(',"content":');
const CLOSE_STRING = constant('"}');

/** Not a member: the name of a last message of the assistant, which the model continues. */
const PREFILL_PATH = constant("prefill");

/** Decides which blocks are written. Runs before `system` is written, which omits the system texts that stay in place. */
export function prepareMessages(
  request: HubRequest,
  limits: RequestLimits,
  report: RequestReport,
): void {
  dropUnsigned(request, report);
  if (limits.supportsSystemMessages) keepSystemInPlace(request);
}

export function writeMessages(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const count = request.blocks.count;
  out.text(',"messages":[');
  let lastRole: u32 = NO_ROLE;
  for (let from = nextWritten(request, 0); from < count;) {
    const role = request.block(from).role;
    const to = runEnd(request, from);
    const next = nextWritten(request, to);
    if (lastRole == NO_ROLE && role == ROLE_ASSISTANT)
      out.text('{"role":"user","content":"(The conversation begins.)"}');
    if (lastRole != NO_ROLE || role == ROLE_ASSISTANT) out.byte(0x2c);
    if (role == ROLE_SYSTEM) writeSystemMessage(request, from, to, out);
    else if (role == ROLE_USER) writeUser(request, from, to, out);
    else writeAssistant(request, from, to, next >= count, out, report);
    lastRole = role;
    from = next;
  }
  if (lastRole == NO_ROLE) {
    const advice = "must have a text. Send at least one user message with text.";
    report.reject(report.paths.messages.toText(), advice);
  } else if (lastRole == ROLE_ASSISTANT && !limits.supportsPrefill) {
    report.dropForModel(PREFILL_PATH);
    out.byte(0x2c);
    out.text('{"role":"user","content":"Continue."}');
  }
  out.byte(0x5d);
}
const NO_ROLE: u32 = 0xff;

/**
 * Keeps system messages in place where Anthropic allows them: behind a user message, before one of the assistant or at the end.
 * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
function keepSystemInPlace(request: HubRequest): void {
  const count = request.blocks.count;
  let before = ROLE_SYSTEM;
  for (let i: u32 = 0; i < count; i++) {
    const block = request.block(i);
    if (block.kind == BLOCK_NOTHING) continue;
    if (block.role != ROLE_SYSTEM) {
      before = block.role;
      continue;
    }
    let end = i;
    while (
      end < count &&
      (request.block(end).role == ROLE_SYSTEM || request.block(end).kind == BLOCK_NOTHING)
    )
      end++;
    const isAllowed =
      before == ROLE_USER && (end == count || request.block(end).role == ROLE_ASSISTANT);
    for (let k = i; isAllowed && k < end; k++) request.block(k).flags |= FLAG_IN_PLACE;
    i = end - 1;
  }
}

function writeSystemMessage(request: HubRequest, from: u32, to: u32, out: ByteBuffer): void {
  out.text('{"role":"system","content":[');
  let written: u32 = 0;
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.role != ROLE_SYSTEM) continue;
    if (written++ > 0) out.byte(0x2c);
    writeContentBlock(block, block.textLength, out);
  }
  out.byte(0x5d);
  out.byte(0x7d);
}

/** Writes the blocks of [from, to) as one user message: first the tool results, then the rest. */
function writeUser(request: HubRequest, from: u32, to: u32, out: ByteBuffer): void {
  out.text('{"role":"user","content":');
  if (to == from + 1 && isPlainText(request.block(from))) {
    const block = request.block(from);
    writeString(block.text, block.textLength, out);
    out.byte(0x7d);
    return;
  }
  out.byte(0x5b);
  let written: u32 = 0;
  let depth: u32 = 0;
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.role == ROLE_SYSTEM) continue;
    if (block.kind == BLOCK_TOOL_RESULT) {
      if (written++ > 0) out.byte(0x2c);
      i = writeResult(request, i, out);
    }
  }
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.role == ROLE_SYSTEM || block.kind == BLOCK_NOTHING) continue;
    if (block.kind == BLOCK_TOOL_RESULT) depth = 1;
    else if (block.kind == BLOCK_RESULT_END) depth = 0;
    else if (depth == 0) {
      if (written++ > 0) out.byte(0x2c);
      writeContentBlock(block, block.textLength, out);
    }
  }
  out.byte(0x5d);
  out.byte(0x7d);
}

/** Writes the tool result at `index` with its contents. Returns the index of its end. */
function writeResult(request: HubRequest, index: u32, out: ByteBuffer): u32 {
  const result = request.block(index);
  out.text('{"type":"tool_result","tool_use_id":"');
  writeId(result.id, result.idLength, out);
  out.byte(0x22);
  const end = request.resultEnd(index);
  const first = index + 1;
  if (end == first + 1 && isPlainText(request.block(first))) {
    out.span(CONTENT);
    writeString(request.block(first).text, request.block(first).textLength, out);
  } else if (end > first) {
    out.span(CONTENT);
    out.byte(0x5b);
    for (let i = first; i < end; i++) {
      if (i > first) out.byte(0x2c);
      writeContentBlock(request.block(i), request.block(i).textLength, out);
    }
    out.byte(0x5d);
  }
  if ((result.flags & FLAG_ERROR) != 0) out.text(',"is_error":true');
  writeCache(result, out);
  out.byte(0x7d);
  return end;
}

function writeAssistant(
  request: HubRequest,
  from: u32,
  to: u32,
  isLast: bool,
  out: ByteBuffer,
  report: RequestReport,
): void {
  out.text('{"role":"assistant","content":');
  const isString = to == from + 1 && isPlainText(request.block(from));
  if (isString) {
    const block = request.block(from);
    writeString(
      block.text,
      isLast ? trimmedLength(block.text, block.textLength) : block.textLength,
      out,
    );
    out.byte(0x7d);
    return;
  }
  out.byte(0x5b);
  let written: u32 = 0;
  for (let i = from; i < to; i++) {
    if (!isWritten(request, i)) continue;
    if (written++ > 0) out.byte(0x2c);
    i = writeAnswer(request, i, isLast && i + 1 == to, out, report);
  }
  out.byte(0x5d);
  out.byte(0x7d);
}

/** Writes the block at `index`, with its pieces if it is reasoning. Returns the index of the last one. */
function writeAnswer(
  request: HubRequest,
  index: u32,
  isEnd: bool,
  out: ByteBuffer,
  report: RequestReport,
): u32 {
  const block = request.block(index);
  if (block.kind == BLOCK_REASONING) return writeThinking(request, index, out);
  if (block.kind == BLOCK_TOOL_CALL) {
    writeCall(block, out, report);
  } else if (block.kind == BLOCK_REASONING_DATA) {
    out.text('{"type":"redacted_thinking","data":"');
    out.bytes(block.text, block.textLength);
    out.span(CLOSE_STRING);
  } else {
    writeContentBlock(
      block,
      isEnd ? trimmedLength(block.text, block.textLength) : block.textLength,
      out,
    );
  }
  return index;
}

/** Writes the reasoning at `index` with its pieces. Returns the index of the last one. */
function writeThinking(request: HubRequest, index: u32, out: ByteBuffer): u32 {
  const last = lastPiece(request, index);
  out.text('{"type":"thinking","thinking":"');
  for (let i = index; i <= last; i++) out.bytes(request.block(i).text, request.block(i).textLength);
  out.text('","signature":"');
  out.bytes(request.block(last).name, request.block(last).nameLength);
  out.span(CLOSE_STRING);
  return last;
}
