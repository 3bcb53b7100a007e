// Writes the reasoning of earlier turns, for chat providers that support it.
// Design: docs/decisions/2026-11-21-reasoning-carrier.md
import {
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  FLAG_OPENAI,
  isSigned,
} from "../../../../hub/request/request";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { constant } from "../../../../bytes/text/bytes";
import { ChatParts } from "./write-parts";

const REASONING_CONTENT = constant(',"reasoning_content":"');

export abstract class ChatReasoning extends ChatParts {
  /** Returns whether the target supports reasoning of these blocks; what it does not support is dropped. */
  protected hasReasoning(from: u32, to: u32): bool {
    const request = this.request;
    const limits = this.limits;
    const report = this.report;
    let taken = false;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_REASONING) {
        const isOpenai = (block.flags & FLAG_OPENAI) != 0;
        if (limits.supportsReasoningContent || (limits.supportsReasoningDetails && !isOpenai))
          taken = true;
        else report.drop(report.paths.reasoning);
      } else if (block.kind == BLOCK_REASONING_DATA) {
        if (limits.supportsReasoningDetails) taken = true;
        else report.drop(report.paths.redacted);
      }
    }
    return taken;
  }

  /**
   * Writes the reasoning. A message with tool calls has `reasoning_content` even if it is empty: in thinking mode DeepSeek and
   * Moonshot reject it with 400 otherwise.
   * @see https://api-docs.deepseek.com/guides/thinking_mode
   */
  protected writeReasoning(from: u32, to: u32, hasCalls: bool): void {
    const request = this.request;
    const limits = this.limits;
    const out = this.out;
    if (limits.supportsReasoningContent) this.writeReasoningText(from, to, hasCalls);
    if (!limits.supportsReasoningDetails) return;
    let index: u32 = 0;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      const isText = block.kind == BLOCK_REASONING && isSigned(block);
      if (!isText && block.kind != BLOCK_REASONING_DATA) continue;
      if (index == 0) out.text(',"reasoning_details":[');
      else out.byte(0x2c);
      out.span(
        isText
          ? constant('{"type":"reasoning.text","text":"')
          : constant('{"type":"reasoning.encrypted","data":"'),
      );
      out.bytes(block.text, block.textLength);
      if (isText) {
        out.text('","signature":"');
        out.bytes(block.name, block.nameLength);
      }
      out.text('","format":"anthropic-claude-v1","index":');
      out.integer(index++);
      out.byte(0x7d);
    }
    if (index > 0) out.byte(0x5d);
  }

  private writeReasoningText(from: u32, to: u32, hasCalls: bool): void {
    const request = this.request;
    const out = this.out;
    let written: u32 = 0;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_REASONING || block.textLength == 0) continue;
      if (written++ == 0) out.span(REASONING_CONTENT);
      else out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
    }
    if (written == 0 && hasCalls) {
      out.span(REASONING_CONTENT);
      written++;
    }
    if (written > 0) out.byte(0x22);
  }
}
