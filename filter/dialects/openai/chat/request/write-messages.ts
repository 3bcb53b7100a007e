// Writes the hub's blocks as chat messages: a message of role tool for each result, text without other parts as one string
// (several providers accept nothing else), images and documents in user messages.
// @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
import {
  BLOCK_REASONING,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  FLAG_PARAGRAPH,
  ROLE_ASSISTANT,
  ROLE_USER,
} from "../../../../hub/request/request";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { constant } from "../../../../bytes/text/bytes";
import { ChatSystem } from "./write-system";

const USER_MESSAGE = constant('{"role":"user","content":');

export abstract class ChatMessages extends ChatSystem {
  protected writeMessages(): void {
    const out = this.out;
    out.text(',"messages":[');
    this.isAfterTool = false;
    this.beginMarks();
    const start = out.length;
    this.writeRuns(this.writeSystem());
    if (this.carried.length > 0) {
      this.beginMessage(USER_MESSAGE);
      this.writeCarriedMessage();
    }
    if (out.length == start) this.rejectEmpty();
    out.byte(0x5d);
  }

  protected writeRun(role: u32, from: u32, to: u32, _isLast: bool): void {
    if (role == ROLE_ASSISTANT) this.writeAssistant(from, to);
    else if (role == ROLE_USER) this.writeUserMessage(from, to);
    else this.writeLaterSystem(from, to);
  }

  private writeUserMessage(from: u32, to: u32): void {
    const request = this.request;
    let parts: u32 = 0;
    let others: u32 = 0;
    let isMarked = false;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TOOL_RESULT) {
        const end = request.resultEnd(i);
        this.writeResult(i, end);
        for (let inner = i + 1; inner < end; inner++)
          if (request.block(inner).kind != BLOCK_TEXT) others++;
        i = end;
      } else {
        parts++;
        if (this.isMarked(block)) isMarked = true;
        if (block.kind != BLOCK_TEXT) others++;
      }
    }
    if (parts == 0 && others == 0) return;
    this.beginMessage(USER_MESSAGE);
    // The mark moves on with the conversation, and the prompt must stay the same: several texts are parts with and without it.
    if (others == 0 && !isMarked && (parts == 1 || !this.supportsMarks()))
      this.writeUserText(from, to);
    else this.writeUserParts(from, to);
    this.out.byte(0x7d);
  }

  /** Writes the user's texts as one string. */
  private writeUserText(from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    out.byte(0x22);
    let written: u32 = this.carried.length;
    this.writeCarried();
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TOOL_RESULT) {
        i = request.resultEnd(i);
        continue;
      }
      if (written > 0) out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
      written++;
    }
    out.byte(0x22);
  }

  /** Writes parts: first the images and documents of tool results, then the user's. */
  private writeUserParts(from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    out.byte(0x5b);
    if (this.carried.length > 0) {
      out.text('{"type":"text","text":"');
      this.writeCarried();
      out.text('"}');
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
          this.begin(constant('{"type":"text","text":"From the result of tool call '));
          out.bytes(result.id, result.idLength);
          out.text(':"}');
          isNamed = true;
        }
        this.writePart(block);
      }
    }
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
      else this.writePart(block);
    }
    out.byte(0x5d);
  }

  /** Writes a message of role tool. It has text only: the images and documents of a result follow in a user message. */
  private writeResult(index: u32, end: u32): void {
    const out = this.out;
    this.begin(constant('{"role":"tool","tool_call_id":'));
    this.isAfterTool = true;
    this.writeId(this.request.block(index));
    out.text(',"content":');
    // An image or document at the end has the mark, in the message of the user that follows.
    const isMarked =
      this.isResultMarked(index, end) && this.request.block(end - 1).kind == BLOCK_TEXT;
    this.writeTextStart(isMarked);
    const texts = this.writeResultTexts(index, end);
    if (texts == 0 && end > index + 1) out.text("(The result is in the next message of the user.)");
    this.writeTextEnd(isMarked, this.request.block(end - 1));
    out.byte(0x7d);
  }

  private writeAssistant(from: u32, to: u32): void {
    const request = this.request;
    const out = this.out;
    let calls: u32 = 0;
    let texts: u32 = 0;
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      this.dropMark(block);
      if (block.kind == BLOCK_TOOL_CALL) calls++;
      if (block.kind == BLOCK_TEXT) texts++;
    }
    const hasReasoning = this.hasReasoning(from, to);
    if (calls == 0 && texts == 0 && !hasReasoning) return;
    this.begin(constant('{"role":"assistant","content":'));
    this.isAfterTool = false;
    if (this.hasThinkingParts) this.writeAssistantParts(from, to);
    else if (texts > 0 || this.hasThinkTags) this.writeAssistantText(from, to);
    else out.span(calls > 0 ? constant("null") : constant('""'));
    this.writeReasoning(from, to, calls > 0);
    if (calls > 0) {
      out.text(',"tool_calls":[');
      for (let i = from; i < to; i++)
        if (request.block(i).kind == BLOCK_TOOL_CALL) this.writeCall(request.block(i));
      out.byte(0x5d);
    }
    out.byte(0x7d);
  }

  /** Writes the texts and the reasoning in their order, as a list of parts. */
  private writeAssistantParts(from: u32, to: u32): void {
    this.out.byte(0x5b);
    for (let i = from; i < to; i++) {
      const block = this.request.block(i);
      if (block.kind == BLOCK_REASONING) this.writeThinkingPart(i, to);
      else if (block.kind == BLOCK_TEXT) this.writePart(block);
    }
    this.out.byte(0x5d);
  }

  /** Joins neighbouring texts, which Claude splits at citations, and separates others by an empty line. */
  private writeAssistantText(from: u32, to: u32): void {
    const out = this.out;
    out.byte(0x22);
    if (this.hasThinkTags) this.writeTaggedReasoning(from, to);
    let last = to;
    for (let i = from; i < to; i++) {
      const block = this.request.block(i);
      if (block.kind != BLOCK_TEXT) continue;
      const isNext = last + 1 == i && (block.flags & FLAG_PARAGRAPH) == 0;
      if (last != to && !isNext) out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
      last = i;
    }
    out.byte(0x22);
  }
}
