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
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { FAMILY_CLAUDE, FAMILY_NOVA, FAMILY_UNKNOWN } from "../../../../hub/request/request-report";
import { constant, Span } from "../../../../bytes/text/bytes";
import { ConverseBlocks } from "./write-blocks";

const USER_MESSAGE = constant('{"role":"user","content":[');
const MESSAGE_END = constant("]}");

export abstract class ConverseMessages extends ConverseBlocks {
  /** Removes blocks that are not written: blank texts, and reasoning that is not of the model's kind. */
  protected prepareMessages(): void {
    const request = this.request;
    const report = this.report;
    const family = this.limits.family;
    const keepsReasoning = family == FAMILY_CLAUDE || family == FAMILY_UNKNOWN;
    this.dropUnsigned();
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

  protected writeMessages(): void {
    this.documents = 0;
    this.out.text('"messages":[');
    this.writeTurns(false);
    this.out.byte(0x5d);
  }

  protected writeUserText(text: Span): void {
    this.begin(USER_MESSAGE);
    this.writeText(text);
    this.out.span(MESSAGE_END);
  }

  protected writeRun(role: u32, from: u32, to: u32, isLast: bool): void {
    if (role == ROLE_USER) this.writeUser(from, to);
    else this.writeAssistant(from, to, isLast);
  }

  /** Writes the blocks of [from, to) as one user message, first the tool results; as two if the model requires it. */
  private writeUser(from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    this.begin(USER_MESSAGE);
    const start = out.length;
    for (let i = from; i < to; i++)
      if (request.block(i).kind == BLOCK_TOOL_RESULT) i = this.writeResult(i);
    let hasText = false;
    let hasDocument = false;
    let isSplit = out.length > start && !this.mixesResults();
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
      if (!this.isContent(i)) continue;
      if (isSplit) {
        out.text(']},{"role":"assistant","content":[{"text":"(I read the results.)"}]}');
        this.begin(USER_MESSAGE);
      }
      isSplit = false;
      if (block.kind == BLOCK_TEXT) hasText = true;
      if (block.kind == BLOCK_DOCUMENT_DATA) hasDocument = true;
      this.writeContentBlock(block);
      this.writeBlockCache(block);
    }
    // A document needs a text in its message.
    if (hasDocument && !hasText) this.writeText(constant("(See the document.)"));
    out.span(MESSAGE_END);
  }

  /** Writes the tool result at `index` with its contents. Returns the index of its end. */
  private writeResult(index: u32): u32 {
    const request = this.request;
    const out = this.out;
    const result = request.block(index);
    this.begin(constant('{"toolResult":{"toolUseId":"'));
    this.writeToolId(result);
    out.text('","content":[');
    const end = request.resultEnd(index);
    // There are no points inside of a result.
    let marked = result;
    const start = out.length;
    for (let i = index + 1; i < end; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_NOTHING) continue;
      this.writeContentBlock(block);
      if (block.cacheLength > 0) marked = block;
    }
    if (out.length == start) this.writeText(constant("(no output)"));
    out.span((result.flags & FLAG_ERROR) != 0 ? constant('],"status":"error"}}') : constant("]}}"));
    this.writeBlockCache(marked);
    return end;
  }

  private writeAssistant(from: u32, to: u32, isLast: bool): void {
    const request = this.request;
    this.begin(constant('{"role":"assistant","content":['));
    for (let i = from; i < to; i++) {
      if (!this.isWritten(i)) continue;
      const block = request.block(i);
      if (block.kind == BLOCK_REASONING) {
        i = this.writeReasoning(i);
      } else if (block.kind == BLOCK_REASONING_DATA) {
        this.writeRedacted(block);
      } else {
        // Anthropic's models reject white space at the end.
        if (isLast && i + 1 == to && block.kind == BLOCK_TEXT)
          block.textLength = trimmedLength(block.text, block.textLength);
        if (block.kind == BLOCK_TOOL_CALL) this.writeCall(block);
        else this.writeContentBlock(block);
        this.writeBlockCache(block);
      }
    }
    this.out.span(MESSAGE_END);
  }

  /** Returns whether the block is content of a user message, not a result. */
  private isContent(index: u32): bool {
    const block = this.request.block(index);
    if (block.role == ROLE_SYSTEM || block.kind == BLOCK_NOTHING) return false;
    return block.kind != BLOCK_TOOL_RESULT && block.kind != BLOCK_RESULT_END;
  }

  /** Returns whether the model accepts tool results and other content in one message. */
  private mixesResults(): bool {
    return this.isClaude || this.limits.family == FAMILY_NOVA;
  }
}
