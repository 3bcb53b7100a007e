// Writes the system texts of a chat completions request: as messages, or before the next user text for models that do not
// support the role. Begins messages, for models that accept none of the user directly after tool results.
import { Block, ROLE_SYSTEM } from "../../../../hub/request/request";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { ChatReasoning } from "./write-reasoning";

const SYSTEM_MESSAGE = constant('{"role":"system","content":');
/** What stands between tool results and the next message of the user. */
export const BETWEEN = constant('{"role":"assistant","content":"(I read the results.)"},');

export abstract class ChatSystem extends ChatReasoning {
  /** System text that the next user message has to carry. */
  protected carried: ByteBuffer = scratchBuffer();
  protected isAfterTool: bool = false;

  /** Begins a message of the user or the system, up to its content. */
  protected beginMessage(head: Span): void {
    this.separate();
    if (this.isAfterTool && !this.limits.supportsUserAfterTool) this.out.span(BETWEEN);
    this.isAfterTool = false;
    this.out.span(head);
  }

  /** Moves the carried text to the request. */
  protected writeCarried(): void {
    this.out.bytes(this.carried.pointer, this.carried.length);
    this.carried.clear();
  }

  /** Writes the carried text as the content of a message. */
  protected writeCarriedMessage(): void {
    this.out.byte(0x22);
    this.writeCarried();
    this.out.text('"}');
  }

  /**
   * Writes the configured prompt, the client's leading system texts and the instruction as one message. Returns the index of the
   * first block after them.
   */
  protected writeSystem(): u32 {
    const request = this.request;
    const out = this.out;
    const supportsRole = this.limits.supportsSystemRole;
    this.carried.clear();
    let to: u32 = 0;
    let isMarked = false;
    while (to < request.blocks.count && request.block(to).role == ROLE_SYSTEM) {
      if (this.isMarked(request.block(to))) isMarked = true;
      to++;
    }
    if (to == 0 && this.prompt.length == 0 && this.instruction.length == 0) return 0;
    if (supportsRole) out.span(SYSTEM_MESSAGE);
    if (isMarked && supportsRole) {
      out.byte(0x5b);
      this.writeTextPart(this.prompt);
      for (let i: u32 = 0; i < to; i++) this.writePart(request.block(i));
      this.writeTextPart(this.instruction);
      out.text("]}");
      return to;
    }
    this.carried.span(this.prompt);
    for (let i: u32 = 0; i < to; i++) {
      if (isMarked) this.dropMark(request.block(i));
      this.carry(request.block(i));
    }
    if (this.instruction.length > 0) {
      if (this.carried.length > 0) this.carried.span(BLANK_LINE);
      this.carried.span(this.instruction);
    }
    if (supportsRole) this.writeCarriedMessage();
    return to;
  }

  private carry(block: Block): void {
    if (this.carried.length > 0) this.carried.span(BLANK_LINE);
    this.carried.bytes(block.text, block.textLength);
  }

  /** Writes a later system message in its place, if the model supports that. */
  protected writeLaterSystem(from: u32, to: u32): void {
    const request = this.request;
    if (!this.limits.supportsSystemRole || !this.limits.supportsLaterSystem) {
      for (let i = from; i < to; i++) {
        this.dropMark(request.block(i));
        this.carry(request.block(i));
      }
      return;
    }
    const out = this.out;
    this.beginMessage(SYSTEM_MESSAGE);
    let marked = from;
    for (let i = from; i < to; i++) if (this.isMarked(request.block(i))) marked = i;
    const isMarked = request.block(marked).cacheLength > 0 && this.supportsMarks();
    this.writeTextStart(isMarked);
    for (let i = from; i < to; i++) {
      if (i > from) out.span(BLANK_LINE);
      out.bytes(request.block(i).text, request.block(i).textLength);
    }
    this.writeTextEnd(isMarked, request.block(marked));
    out.byte(0x7d);
  }
}
