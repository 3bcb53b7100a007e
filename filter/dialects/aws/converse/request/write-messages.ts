// Writes the hub's blocks as messages. Converse requires alternating roles, a user message first, all results of a step in
// one message, and no blank texts.
// @see https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html
import { isBlank, trimmedLength } from "../../../../bytes/json/blank";
import {
  BLOCK_DOCUMENT_DATA,
  BLOCK_NOTHING,
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_RESULT_END,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  FLAG_ERROR,
  HubRequest,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import {
  FAMILY_CLAUDE,
  FAMILY_NOVA,
  FAMILY_UNKNOWN,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { dropUnsigned, isWritten, nextWritten, runEnd } from "../../../../hub/request/turns";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { CachePoints } from "./cache-points";
import {
  writeCall,
  writeContentBlock,
  writeReasoning,
  writeRedacted,
  writeText,
  writeToolId,
} from "./write-blocks";

const USER_MESSAGE = constant('{"role":"user","content":[');
const MESSAGE_END = constant("]}");
/** Between results and a text of the user, for models that reject both in one message. */
const BETWEEN = constant('{"role":"assistant","content":[{"text":"(I read the results.)"}]},');
const NO_OUTPUT = constant("(no output)");
const SEE_DOCUMENT = constant("(See the document.)");

/** Not a member: the name of a last message of the assistant, which the model continues. */
const PREFILL_PATH = constant("prefill");

/** Removes blocks that are not written: blank texts, and reasoning that is not of the model's kind. */
export function prepareMessages(
  request: HubRequest,
  limits: RequestLimits,
  report: RequestReport,
): void {
  const keepsReasoning = limits.family == FAMILY_CLAUDE || limits.family == FAMILY_UNKNOWN;
  dropUnsigned(request, report);
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    const isReasoning = block.kind == BLOCK_REASONING || block.kind == BLOCK_REASONING_DATA;
    if (block.kind == BLOCK_TEXT && isBlank(block.text, block.textLength)) {
      block.kind = BLOCK_NOTHING;
    } else if (isReasoning && !keepsReasoning) {
      report.dropForModel(
        block.kind == BLOCK_REASONING ? report.paths.reasoning : report.paths.redacted,
      );
      block.kind = BLOCK_NOTHING;
    }
  }
}

export class MessagesWriter {
  private documents: i32 = 0;

  constructor(private points: CachePoints) {}

  write(request: HubRequest, limits: RequestLimits, out: ByteBuffer, report: RequestReport): void {
    const count = request.blocks.count;
    this.documents = 0;
    out.text('"messages":[');
    let lastRole: u32 = NO_ROLE;
    for (let from = nextWritten(request, 0); from < count;) {
      const role = request.block(from).role;
      const to = runEnd(request, from);
      const next = nextWritten(request, to);
      if (lastRole == NO_ROLE && role == ROLE_ASSISTANT)
        out.text('{"role":"user","content":[{"text":"(The conversation begins.)"}]}');
      if (lastRole != NO_ROLE || role == ROLE_ASSISTANT) out.byte(0x2c);
      if (role == ROLE_USER) this.writeUser(request, from, to, limits, out, report);
      else this.writeAssistant(request, from, to, next >= count, limits, out, report);
      lastRole = role;
      from = next;
    }
    if (lastRole == NO_ROLE) {
      const advice = "must have a text. Send at least one user message with text.";
      report.reject(report.paths.messages.toText(), advice);
    } else if (lastRole == ROLE_ASSISTANT && !limits.supportsPrefill) {
      report.dropForModel(PREFILL_PATH);
      out.byte(0x2c);
      out.text('{"role":"user","content":[{"text":"Continue."}]}');
    }
    out.byte(0x5d);
  }

  /** Writes the blocks of [from, to) as one user message, first the tool results; as two if the model requires it. */
  private writeUser(
    request: HubRequest,
    from: u32,
    to: u32,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    out.span(USER_MESSAGE);
    const start = out.length;
    for (let i = from; i < to; i++) {
      if (request.block(i).kind != BLOCK_TOOL_RESULT) continue;
      if (out.length > start) out.byte(0x2c);
      i = this.writeResult(request, i, limits, out, report);
    }
    let hasText = false;
    let hasDocument = false;
    let isSplit = out.length > start && !mixesResults(limits);
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
      if (!isContent(request, i)) continue;
      if (isSplit) {
        out.span(MESSAGE_END);
        out.byte(0x2c);
        out.span(BETWEEN);
        out.span(USER_MESSAGE);
      } else if (out.length > start) {
        out.byte(0x2c);
      }
      isSplit = false;
      if (block.kind == BLOCK_TEXT) hasText = true;
      if (block.kind == BLOCK_DOCUMENT_DATA) hasDocument = true;
      this.writeContent(request, i, out, report);
      this.points.write(block.cache, block.cacheLength, report.paths.cache, out, report);
    }
    if (hasDocument && !hasText) {
      // A document needs a text in its message.
      out.byte(0x2c);
      writeText(SEE_DOCUMENT.pointer, SEE_DOCUMENT.length, out);
    }
    out.span(MESSAGE_END);
  }

  private writeContent(
    request: HubRequest,
    index: u32,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    const block = request.block(index);
    if (block.kind == BLOCK_DOCUMENT_DATA) this.documents++;
    writeContentBlock(block, this.documents, out, report);
  }

  /** Writes the tool result at `index` with its contents. Returns the index of its end. */
  private writeResult(
    request: HubRequest,
    index: u32,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): u32 {
    const result = request.block(index);
    out.text('{"toolResult":{"toolUseId":"');
    writeToolId(result.id, result.idLength, limits, out);
    out.text('","content":[');
    const end = request.resultEnd(index);
    let mark = result.cache;
    let markLength = result.cacheLength;
    const start = out.length;
    for (let i = index + 1; i < end; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_NOTHING) continue;
      if (out.length > start) out.byte(0x2c);
      this.writeContent(request, i, out, report);
      // There are no points inside of a result.
      if (block.cacheLength == 0) continue;
      mark = block.cache;
      markLength = block.cacheLength;
    }
    if (out.length == start) writeText(NO_OUTPUT.pointer, NO_OUTPUT.length, out);
    out.span((result.flags & FLAG_ERROR) != 0 ? constant('],"status":"error"}}') : constant("]}}"));
    this.points.write(mark, markLength, report.paths.cache, out, report);
    return end;
  }

  private writeAssistant(
    request: HubRequest,
    from: u32,
    to: u32,
    isLast: bool,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    out.text('{"role":"assistant","content":[');
    const start = out.length;
    for (let i = from; i < to; i++) {
      if (!isWritten(request, i)) continue;
      if (out.length > start) out.byte(0x2c);
      const block = request.block(i);
      if (block.kind == BLOCK_REASONING) {
        i = writeReasoning(request, i, out);
        continue;
      }
      if (block.kind == BLOCK_REASONING_DATA) {
        writeRedacted(block, out);
        continue;
      }
      // Anthropic's models reject white space at the end.
      if (isLast && i + 1 == to) block.textLength = trimmedTextLength(request, i);
      if (block.kind == BLOCK_TOOL_CALL) writeCall(block, limits, out, report);
      else this.writeContent(request, i, out, report);
      this.points.write(block.cache, block.cacheLength, report.paths.cache, out, report);
    }
    out.span(MESSAGE_END);
  }
}
const NO_ROLE: u32 = 0xff;

function trimmedTextLength(request: HubRequest, index: u32): u32 {
  const block = request.block(index);
  return block.kind == BLOCK_TEXT ? trimmedLength(block.text, block.textLength) : block.textLength;
}

/** Returns whether the block is content of a user message, not a result. */
function isContent(request: HubRequest, index: u32): bool {
  const block = request.block(index);
  if (block.role == ROLE_SYSTEM || block.kind == BLOCK_NOTHING) return false;
  return block.kind != BLOCK_TOOL_RESULT && block.kind != BLOCK_RESULT_END;
}

/** Returns whether the model accepts tool results and other content in one message. */
function mixesResults(limits: RequestLimits): bool {
  return limits.family == FAMILY_CLAUDE || limits.family == FAMILY_NOVA;
}
