// Writes the turns of a conversation, for dialects whose roles alternate: neighbours of one role are one turn, a user's is the
// first one.
import { constant, Span } from "../../bytes/text/bytes";
import {
  BLOCK_NOTHING,
  BLOCK_REASONING,
  FLAG_CONTINUES,
  FLAG_IN_PLACE,
  FLAG_ENCRYPTED,
  isSigned,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
} from "./request";
import { NO_ROLE, RequestWriter } from "./request-writer";

export abstract class TurnWriter extends RequestWriter {
  /** Writes a message of the user with one text. */
  protected abstract writeUserText(text: Span): void;

  /** Returns whether the model continues a last message of the assistant; else it is listed in the report. */
  protected continuesPrefill(path: Span): bool {
    const isSupported = this.limits.supportsPrefill;
    if (!isSupported) this.report.dropForModel(path);
    return isSupported;
  }

  /** Writes the turns. `isOpen`: whether a message of the user has been written already. */
  protected writeTurns(isOpen: bool): void {
    const request = this.request;
    const first = this.nextWritten(0);
    if (!isOpen && first < request.blocks.count && request.block(first).role == ROLE_ASSISTANT)
      this.writeUserText(constant("(The conversation begins.)"));
    const lastRole = this.writeRuns(first);
    if (lastRole == NO_ROLE) this.rejectEmpty();
    // Not a member: the name of a last message of the assistant, which the model continues.
    else if (lastRole == ROLE_ASSISTANT && !this.continuesPrefill(constant("prefill")))
      this.writeUserText(constant("Continue."));
  }

  /** Returns whether a block is written in its place: not a system text that moves to the top, nor one that was removed. */
  protected isWritten(index: u32): bool {
    const block = this.request.block(index);
    if (block.role == ROLE_SYSTEM) return (block.flags & FLAG_IN_PLACE) != 0;
    return block.kind != BLOCK_NOTHING;
  }

  protected nextWritten(from: u32): u32 {
    while (from < this.request.blocks.count && !this.isWritten(from)) from++;
    return from;
  }

  protected runEnd(from: u32): u32 {
    const request = this.request;
    const role = request.block(from).role;
    let to = from + 1;
    for (let i = to; i < request.blocks.count; i++) {
      if (!this.isWritten(i)) continue;
      if (request.block(i).role != role) break;
      to = i + 1;
    }
    return to;
  }

  /** Removes reasoning that Anthropic's models reject from the conversation: unsigned, or OpenAI's. */
  protected dropUnsigned(): void {
    const request = this.request;
    for (let i: u32 = 0; i < request.blocks.count; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_REASONING || (block.flags & FLAG_CONTINUES) != 0) continue;
      const last = this.lastPiece(i);
      if (isSigned(request.block(last))) continue;
      const paths = this.report.paths;
      this.report.drop((block.flags & FLAG_ENCRYPTED) != 0 ? paths.redacted : paths.reasoning);
      for (; i <= last; i++) request.block(i).kind = BLOCK_NOTHING;
      i = last;
    }
  }

  /** Returns the index of the last piece of the reasoning block that begins at `index`. */
  protected lastPiece(index: u32): u32 {
    const request = this.request;
    while (index + 1 < request.blocks.count) {
      const next = request.block(index + 1);
      if (next.kind != BLOCK_REASONING || (next.flags & FLAG_CONTINUES) == 0) break;
      index++;
    }
    return index;
  }

  /** Writes the texts of the reasoning block at `index` and its signature, the inside of a JSON object. Returns the index of its last piece. */
  protected writeSignedText(index: u32): u32 {
    const request = this.request;
    const out = this.out;
    const last = this.lastPiece(index);
    for (; index <= last; index++) {
      const block = request.block(index);
      out.bytes(block.text, block.textLength);
    }
    out.text('","signature":"');
    out.bytes(request.block(last).name, request.block(last).nameLength);
    return last;
  }
}
