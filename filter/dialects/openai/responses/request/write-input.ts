// Writes the hub's blocks as items of `input`. Items have no ids: the provider has stored none of them.
// @see https://platform.openai.com/docs/api-reference/responses/create
import {
  Block,
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  FLAG_CUSTOM,
  FLAG_ERROR,
  FLAG_OPENAI,
  HubRequest,
  NO_MESSAGE,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { writeCallId } from "../../../../hub/request/call-id";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { BLANK_LINE, writeString } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import {
  ERROR_PREFIX,
  mentionsError,
  separate,
  writeArguments,
  writeResultTexts,
} from "../../write-values";
import { beginParts, isMarked, writePart, writeTextPart } from "./write-parts";

const USER_MESSAGE = constant('{"type":"message","role":"user","content":');
const SYSTEM_MESSAGE = constant('{"type":"message","role":"system","content":');
const CLOSE_STRING = constant('"}');

/** "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64". */
const MAX_CALL_ID: u32 = 64;

export function writeInput(
  request: HubRequest,
  systemPrompt: Span,
  instruction: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  beginParts();
  const count = request.blocks.count;
  let from = systemEnd(request);
  // JSON output requires the word in an item.
  const isItem =
    instruction.length > 0 || !limits.supportsSystemRole || hasMarkedSystem(request, from, limits);
  if (!isItem) writeInstructions(request, systemPrompt, from, limits, out, report);
  out.text(',"input":[');
  const start = out.length;
  if (isItem) writeSystemItem(request, systemPrompt, from, instruction, limits, out, report);
  while (from < count) {
    const first = request.block(from);
    let to = from + 1;
    while (
      to < count &&
      request.block(to).message == first.message &&
      request.block(to).role == first.role
    )
      to++;
    if (first.role == ROLE_ASSISTANT) writeAssistant(request, from, to, out, report);
    else writeMessage(request, from, to, first.role, limits, out, report);
    from = to;
  }
  if (out.length == start) {
    report.reject("messages", "have no text. Send at least one user message with text.");
    return;
  }
  out.byte(0x5d);
}

/** Returns the index behind the system texts that stand outside of the messages: they become `instructions`. */
function systemEnd(request: HubRequest): u32 {
  let to: u32 = 0;
  while (to < request.blocks.count) {
    const block = request.block(to);
    if (block.role != ROLE_SYSTEM || block.message != NO_MESSAGE) break;
    to++;
  }
  return to;
}

function hasMarkedSystem(request: HubRequest, to: u32, limits: RequestLimits): bool {
  if (!limits.supportsCacheControl) return false;
  for (let i: u32 = 0; i < to; i++) if (request.block(i).cacheLength > 0) return true;
  return false;
}

function writeInstructions(
  request: HubRequest,
  prompt: Span,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  if (to == 0 && prompt.length == 0) return;
  out.text(',"instructions":"');
  const start = out.length;
  out.span(prompt);
  for (let i: u32 = 0; i < to; i++) {
    const block = request.block(i);
    isMarked(block, limits, report);
    if (out.length > start) out.span(BLANK_LINE);
    out.bytes(block.text, block.textLength);
  }
  out.byte(0x22);
}

/** Writes the texts as an item, with the instruction that replaces a schema: for cache marks, and for models whose chat template does not support the system role. */
function writeSystemItem(
  request: HubRequest,
  prompt: Span,
  to: u32,
  instruction: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  if (to == 0 && prompt.length == 0 && instruction.length == 0) return;
  out.span(limits.supportsSystemRole ? SYSTEM_MESSAGE : USER_MESSAGE);
  out.byte(0x5b);
  writeTextPart(prompt, out);
  for (let i: u32 = 0; i < to; i++) writePart(request.block(i), limits, out, report);
  writeTextPart(instruction, out);
  out.byte(0x5d);
  out.byte(0x7d);
}

/** Writes a message of the user or the system: first the outputs of tools, then the rest as one item. */
function writeMessage(
  request: HubRequest,
  from: u32,
  to: u32,
  role: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  let parts: u32 = 0;
  let only = from;
  for (let i = from; i < to; i++) {
    if (request.block(i).kind == BLOCK_TOOL_RESULT) {
      const end = request.resultEnd(i);
      writeOutput(request, i, end, limits, out, report);
      i = end;
    } else {
      parts++;
      only = i;
    }
  }
  if (parts == 0) return;
  separate(out);
  out.span(role == ROLE_USER || !mayBeSystem(from, limits) ? USER_MESSAGE : SYSTEM_MESSAGE);
  const block = request.block(only);
  if (parts == 1 && block.kind == BLOCK_TEXT && !isMarked(block, limits, report)) {
    writeString(block.text, block.textLength, out);
    out.byte(0x7d);
    return;
  }
  out.byte(0x5b);
  for (let i = from; i < to; i++) {
    if (request.block(i).kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
    else writePart(request.block(i), limits, out, report);
  }
  out.byte(0x5d);
  out.byte(0x7d);
}

/** Returns whether the model supports a system message at this place. */
function mayBeSystem(from: u32, limits: RequestLimits): bool {
  return limits.supportsSystemRole && (from == 0 || limits.supportsLaterSystem);
}

/** Writes the output of a tool: texts as one string, with images or documents a list of parts. */
function writeOutput(
  request: HubRequest,
  index: u32,
  end: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const result = request.block(index);
  isMarked(result, limits, report);
  separate(out);
  out.span(
    (result.flags & FLAG_CUSTOM) != 0
      ? constant('{"type":"custom_tool_call_output","call_id":')
      : constant('{"type":"function_call_output","call_id":'),
  );
  writeCallId(result.id, result.idLength, MAX_CALL_ID, out);
  out.text(',"output":');
  let isText = true;
  for (let i = index + 1; i < end; i++) if (request.block(i).kind != BLOCK_TEXT) isText = false;
  if (isText) {
    out.byte(0x22);
    writeResultTexts(request, index, end, out);
    out.byte(0x22);
  } else {
    writeOutputParts(request, index, end, limits, out, report);
  }
  out.byte(0x7d);
}

function writeOutputParts(
  request: HubRequest,
  index: u32,
  end: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  let hasPrefix = (request.block(index).flags & FLAG_ERROR) == 0;
  out.byte(0x5b);
  for (let i = index + 1; i < end; i++) {
    const block = request.block(i);
    if (!hasPrefix && !(block.kind == BLOCK_TEXT && mentionsError(block))) {
      separate(out);
      out.text('{"type":"input_text","text":"');
      out.span(ERROR_PREFIX);
      out.span(CLOSE_STRING);
    }
    hasPrefix = true;
    writePart(block, limits, out, report);
  }
  out.byte(0x5d);
}

/** Writes the items of one turn of the assistant, in its order. */
function writeAssistant(
  request: HubRequest,
  from: u32,
  to: u32,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const end = contentEnd(request, from, to);
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.cacheLength > 0) report.drop(report.paths.cache);
    if (block.kind == BLOCK_TEXT) i = writeTexts(request, i, to, out);
    else if (block.kind == BLOCK_TOOL_CALL) writeCall(block, out);
    else if (block.kind == BLOCK_REASONING && isOpenai(block) && i < end)
      writeReasoning(block, out);
    else if (block.kind == BLOCK_REASONING && !isOpenai(block)) report.drop(report.paths.reasoning);
    else if (block.kind == BLOCK_REASONING || block.kind == BLOCK_REASONING_DATA)
      report.drop(report.paths.redacted);
  }
}

/** Returns the index behind the last text or call: reasoning that nothing follows is rejected ("without its required following item"). */
function contentEnd(request: HubRequest, from: u32, to: u32): u32 {
  for (let i = to; i > from; i--) {
    const kind = request.block(i - 1).kind;
    if (kind == BLOCK_TEXT || kind == BLOCK_TOOL_CALL) return i;
  }
  return from;
}

/** Returns whether reasoning is OpenAI's own. */
function isOpenai(block: Block): bool {
  return (block.flags & FLAG_OPENAI) != 0 && block.nameLength > 0;
}

/** Writes neighbouring texts, which Claude splits at citations, as one. Returns the index of the last one. */
function writeTexts(request: HubRequest, from: u32, to: u32, out: ByteBuffer): u32 {
  separate(out);
  out.text('{"type":"message","role":"assistant","content":[{"type":"output_text","text":"');
  let last = from;
  while (last < to && request.block(last).kind == BLOCK_TEXT) {
    out.bytes(request.block(last).text, request.block(last).textLength);
    last++;
  }
  out.text('"}]}');
  return last - 1;
}

function writeReasoning(block: Block, out: ByteBuffer): void {
  separate(out);
  out.text('{"type":"reasoning","summary":[');
  if (block.textLength > 0) {
    out.text('{"type":"summary_text","text":"');
    out.bytes(block.text, block.textLength);
    out.span(CLOSE_STRING);
  }
  out.text('],"encrypted_content":"');
  out.bytes(block.name, block.nameLength);
  out.span(CLOSE_STRING);
}

function writeCall(block: Block, out: ByteBuffer): void {
  const isCustom = (block.flags & FLAG_CUSTOM) != 0;
  separate(out);
  out.span(
    isCustom
      ? constant('{"type":"custom_tool_call","call_id":')
      : constant('{"type":"function_call","call_id":'),
  );
  writeCallId(block.id, block.idLength, MAX_CALL_ID, out);
  out.text(',"name":');
  writeString(block.name, block.nameLength, out);
  out.span(isCustom ? constant(',"input":"') : constant(',"arguments":"'));
  if (isCustom) out.bytes(block.text, block.textLength);
  else writeArguments(block, out);
  out.span(CLOSE_STRING);
}
