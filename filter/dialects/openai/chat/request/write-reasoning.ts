// Writes the reasoning of earlier turns, for chat providers that support it: where the provider's limits say, or in the member
// that this provider's own reasoning came in. Design: docs/decisions/2026-11-21-reasoning-carrier.md
import {
  MEMBER_CONTENT,
  MEMBER_DETAILS,
  MEMBER_NONE,
  MEMBER_PART,
  MEMBER_PARTS,
  MEMBER_REASONING,
  MEMBER_SUMMARY,
  MEMBER_TAGS,
  memberOfMark,
  restOfMark,
} from "../../../../hub/reasoning-carrier";
import {
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  FLAG_CONTINUES,
  isSigned,
} from "../../../../hub/request/request";
import { NEEDS_NONE, NEEDS_TURNS } from "../../../../hub/request/request-limits";
import { BLANK_LINE, writeString } from "../../../../hub/request/request-writing";
import { constant, Span } from "../../../../bytes/text/bytes";
import { ChatParts } from "./write-parts";
import { writeCallReasoning, writeTextReasoning } from "./stand-in-reasoning";

const REASONING_CONTENT = constant(',"reasoning_content":"');
const THINKING_PART = constant('{"type":"thinking","thinking":[{"type":"text","text":');

const rest = new Span(0, 0);

export abstract class ChatReasoning extends ChatParts {
  /** Whether a reasoning block of the message goes into `content`, as a part, or between tags. */
  protected hasThinkingParts: bool = false;
  protected hasThinkTags: bool = false;
  /** The blocks of the message whose mark is that of `markedAt`, the last of several pieces. */
  private piecesFrom: u32 = 0;
  private markedAt: u32 = 0;

  /** Returns whether the target supports reasoning of these blocks; what it does not support is dropped. */
  protected hasReasoning(from: u32, to: u32): bool {
    const request = this.request;
    const report = this.report;
    let taken = false;
    this.hasThinkingParts = false;
    this.hasThinkTags = false;
    this.piecesFrom = to;
    this.markedAt = from;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      const isText = block.kind == BLOCK_REASONING;
      if (!isText && block.kind != BLOCK_REASONING_DATA) continue;
      const member = this.memberFor(i, to);
      if (member == MEMBER_PARTS) this.hasThinkingParts = true;
      if (member == MEMBER_TAGS) this.hasThinkTags = true;
      if (member != MEMBER_NONE) taken = true;
      else report.drop(isText ? report.paths.reasoning : report.paths.redacted);
    }
    return taken;
  }

  /** Returns the member of the message that a reasoning block goes into; MEMBER_NONE if the target does not support it. */
  private memberFor(index: u32, to: u32): u32 {
    const request = this.request;
    const limits = this.limits;
    const block = request.block(index);
    if (block.kind == BLOCK_REASONING_DATA)
      return limits.supportsReasoningDetails ? MEMBER_DETAILS : MEMBER_NONE;
    if (limits.supportsReasoningDetails && isSigned(block)) return MEMBER_DETAILS;
    if (limits.supportsReasoningContent) return MEMBER_CONTENT;
    if (!limits.supportsOwnReasoning) return MEMBER_NONE;
    if (index < this.piecesFrom || index > this.markedAt) this.findMark(index, to);
    const last = request.block(this.markedAt);
    const member = memberOfMark(last.name, last.nameLength, limits.origin);
    restOfMark(last.name, last.nameLength, rest);
    // What a provider's tool did has no place in chat, also if the provider has both formats.
    return member == MEMBER_PART ? MEMBER_NONE : member;
  }

  private findMark(index: u32, to: u32): void {
    const request = this.request;
    this.piecesFrom = index;
    for (index++; index < to; index++) {
      const next = request.block(index);
      if (next.kind != BLOCK_REASONING || (next.flags & FLAG_CONTINUES) == 0) break;
    }
    this.markedAt = index - 1;
  }

  /** Writes the reasoning that has a member of its own. */
  protected writeReasoning(from: u32, to: u32, hasCalls: bool): void {
    const needs = this.limits.needsReasoning;
    const hasText = this.writeReasoningText(from, to, MEMBER_CONTENT, REASONING_CONTENT);
    if (!hasText && needs != NEEDS_NONE) {
      const isNeeded = hasCalls || (needs == NEEDS_TURNS && this.request.tools.count > 0);
      if (isNeeded) this.writeStandIn(from, to);
    }
    this.writeReasoningText(from, to, MEMBER_REASONING, constant(',"reasoning":"'));
    this.writeReasoningDetails(from, to);
  }

  /** Writes the reasoning that was in the content: the inside of a JSON string. */
  protected writeTaggedReasoning(from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_REASONING || this.memberFor(i, to) != MEMBER_TAGS) continue;
      out.text("<think>\\n");
      out.bytes(block.text, block.textLength);
      out.text("\\n</think>\\n\\n");
    }
  }

  /** Writes the texts that go into one member, separated by an empty line. Returns whether there were any. */
  private writeReasoningText(from: u32, to: u32, member: u32, name: Span): bool {
    const request = this.request;
    const out = this.out;
    let written: u32 = 0;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_REASONING || block.textLength == 0) continue;
      if (this.memberFor(i, to) != member) continue;
      out.span(written++ == 0 ? name : BLANK_LINE);
      out.bytes(block.text, block.textLength);
    }
    if (written > 0) out.byte(0x22);
    return written > 0;
  }

  /** Writes a text for reasoning that the client has not kept: of the first call, or else of the first text. */
  private writeStandIn(from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    out.span(REASONING_CONTENT);
    let textAt = to;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TEXT && textAt == to) textAt = i;
      if (block.kind != BLOCK_TOOL_CALL) continue;
      writeCallReasoning(block.name, block.nameLength, block.id, block.idLength, out);
      out.byte(0x22);
      return;
    }
    if (textAt < to) {
      const block = request.block(textAt);
      writeTextReasoning(block.text, block.textLength, out);
    } else out.byte(0x20);
    out.byte(0x22);
  }

  private writeReasoningDetails(from: u32, to: u32): void {
    const request = this.request;
    const limits = this.limits;
    const out = this.out;
    let index: u32 = 0;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      const isData = block.kind == BLOCK_REASONING_DATA;
      if (!isData && block.kind != BLOCK_REASONING) continue;
      const member = this.memberFor(i, to);
      const hasSignature = !isData && limits.supportsReasoningDetails && isSigned(block);
      const isSummary = member == MEMBER_SUMMARY;
      if (member != MEMBER_DETAILS && !isSummary && !hasSignature) continue;
      if (index == 0) out.text(',"reasoning_details":[');
      else out.byte(0x2c);
      if (isData) out.text('{"type":"reasoning.encrypted","data":"');
      else if (isSummary) out.text('{"type":"reasoning.summary","summary":"');
      else out.text('{"type":"reasoning.text","text":"');
      out.bytes(block.text, block.textLength);
      if (hasSignature) {
        out.text('","signature":"');
        out.bytes(block.name, block.nameLength);
      }
      out.byte(0x22);
      if (hasSignature || isData) {
        out.text(',"format":"anthropic-claude-v1"');
      } else if (rest.length > 0) {
        out.text(',"format":');
        writeString(rest.pointer, rest.length, out);
      }
      out.text(',"index":');
      out.integer(index++);
      out.byte(0x7d);
    }
    if (index > 0) out.byte(0x5d);
  }

  /**
   * Writes a reasoning block as a part of `content`; beside such parts also one that was between tags.
   * @see https://github.com/mistralai/client-python (3.7.0): ThinkChunk, "Signature to replay some reasoning blocks across turns"
   */
  protected writeThinkingPart(index: u32, to: u32): void {
    const member = this.memberFor(index, to);
    if (member != MEMBER_PARTS && member != MEMBER_TAGS) return;
    const block = this.request.block(index);
    const out = this.out;
    this.begin(THINKING_PART);
    writeString(block.text, block.textLength, out);
    out.text("}]");
    if (rest.length > 0) {
      out.text(',"signature":');
      writeString(rest.pointer, rest.length, out);
    }
    out.byte(0x7d);
  }
}
