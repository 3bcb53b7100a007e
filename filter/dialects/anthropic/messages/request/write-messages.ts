// Writes the hub's blocks as messages. Anthropic requires alternating roles, tool results first in their message, and no empty
// contents.
// @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
import { trimmedLength } from "../../../../bytes/json/blank";
import {
  BLOCK_NOTHING,
  BLOCK_TEXT,
  BLOCK_TOOL_RESULT,
  FLAG_ERROR,
  FLAG_IN_PLACE,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { constant, Span } from "../../../../bytes/text/bytes";
import { AnthropicBlocks, writeId } from "./write-blocks";

export abstract class AnthropicTurns extends AnthropicBlocks {
  protected writeUserText(text: Span): void {
    this.begin(constant('{"role":"user","content":"'));
    this.out.span(text);
    this.out.text('"}');
  }

  protected writeRun(role: u32, from: u32, to: u32, isLast: bool): void {
    if (role == ROLE_USER) this.writeUser(from, to);
    else if (role == ROLE_ASSISTANT) this.writeAssistant(from, to, isLast);
    else this.writeSystemMessage(from, to);
  }

  /**
   * Keeps system messages in place where Anthropic allows them: after a user message, before one of the assistant or at the end.
   * @see https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
   */
  protected keepSystemInPlace(): void {
    const request = this.request;
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

  private writeSystemMessage(from: u32, to: u32): void {
    this.begin(constant('{"role":"system","content":['));
    for (let i = from; i < to; i++) {
      const block = this.request.block(i);
      if (block.role == ROLE_SYSTEM) this.writeContentBlock(block);
    }
    this.out.text("]}");
  }

  /** Writes the blocks of [from, to) as one user message: first the tool results, then the rest. */
  private writeUser(from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    this.begin(constant('{"role":"user","content":'));
    if (!this.writePlainText(from, to)) {
      out.byte(0x5b);
      for (let i = from; i < to; i++)
        if (request.block(i).kind == BLOCK_TOOL_RESULT) i = this.writeResult(i);
      for (let i = from; i < to; i++) {
        const block = request.block(i);
        if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
        else if (block.role != ROLE_SYSTEM && block.kind != BLOCK_NOTHING)
          this.writeContentBlock(block);
      }
      out.byte(0x5d);
    }
    out.byte(0x7d);
  }

  /** Writes the tool result at `index` with its contents. Returns the index of its end. */
  private writeResult(index: u32): u32 {
    const request = this.request;
    const out = this.out;
    const result = request.block(index);
    const end = request.resultEnd(index);
    this.begin(constant('{"type":"tool_result","tool_use_id":"'));
    writeId(result, out);
    out.byte(0x22);
    if (end > index + 1) {
      out.text(',"content":');
      if (!this.writePlainText(index + 1, end)) {
        out.byte(0x5b);
        for (let i = index + 1; i < end; i++) this.writeContentBlock(request.block(i));
        out.byte(0x5d);
      }
    }
    if ((result.flags & FLAG_ERROR) != 0) out.text(',"is_error":true');
    this.writeCache(result.cache, result.cacheLength);
    out.byte(0x7d);
    return end;
  }

  private writeAssistant(from: u32, to: u32, isLast: bool): void {
    const out = this.out;
    const last = this.request.block(to - 1);
    // White space at the end is rejected.
    if (isLast && last.kind == BLOCK_TEXT)
      last.textLength = trimmedLength(last.text, last.textLength);
    this.begin(constant('{"role":"assistant","content":'));
    if (!this.writePlainText(from, to)) {
      out.byte(0x5b);
      for (let i = from; i < to; i++) if (this.isWritten(i)) i = this.writeAssistantBlock(i);
      out.byte(0x5d);
    }
    out.byte(0x7d);
  }
}
