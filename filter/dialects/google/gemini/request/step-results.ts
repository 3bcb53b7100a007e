// Writes the tool results of one step: in the order of its calls, whatever order the client sent them in.
import { Block, BLOCK_TEXT, BLOCK_TOOL_RESULT, FLAG_ERROR } from "../../../../hub/request/request";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { Records } from "../../../../bytes/records";
import { NO_NUMBER, TextTable } from "../../../../bytes/text-table";
import { constant } from "../../../../bytes/text/bytes";
import { GeminiParts } from "./write-parts";

/** The index of a block, and whether its result has been written. */
@unmanaged
class Entry {
  block: u32;
  isWritten: u32;
}

export abstract class StepResults extends GeminiParts {
  /** The last call of each id; the first result of each id in the step. */
  private calls: TextTable = new TextTable();
  private byId: TextTable = new TextTable();
  /** The calls of the last step of the model, and the results that follow it. */
  private step: Records<Entry> = new Records<Entry>();
  private found: Records<Entry> = new Records<Entry>();
  private isStepOver: bool = true;

  /** Before the first message. */
  protected beginSteps(): void {
    this.calls.clear();
    this.step.clear();
    this.isStepOver = true;
  }

  protected addCall(call: Block, index: u32): void {
    if (this.isStepOver) this.step.clear();
    this.isStepOver = false;
    this.calls.set(call.id, call.idLength, index);
    this.step.add().block = index;
  }

  /** Finds the results in the blocks [from, to). Returns whether there is one. */
  protected findResults(from: u32, to: u32): bool {
    const request = this.request;
    this.byId.clear();
    this.found.clear();
    for (let i = from; i < to; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_TOOL_RESULT) continue;
      if (this.byId.get(block.id, block.idLength) == NO_NUMBER)
        this.byId.set(block.id, block.idLength, this.found.count);
      this.found.add().block = i;
      i = request.resultEnd(i);
    }
    return this.found.count > 0;
  }

  /** Writes the results that were found, or rejects one without a call. */
  protected writeResults(): void {
    const request = this.request;
    this.isStepOver = true;
    for (let i: u32 = 0; i < this.step.count; i++) {
      const call = this.step.at(i).block;
      const block = request.block(call);
      const number = this.byId.get(block.id, block.idLength);
      if (number < this.found.count) this.writeResult(this.found.at(number), call);
    }
    this.step.clear();
    for (let i: u32 = 0; i < this.found.count; i++) {
      const entry = this.found.at(i);
      const block = request.block(entry.block);
      const call = this.calls.get(block.id, block.idLength);
      if (entry.isWritten == 0 && call == NO_NUMBER) {
        const message = this.report.paths.messages.toText() + "[" + block.message.toString() + "]";
        this.report.reject(message, "has the result of a tool call that no earlier message has.");
        return;
      }
      this.writeResult(entry, call);
    }
  }

  /** Returns whether a part of a result is written after the results: models before Gemini 3 have no place in them. */
  protected isLeftOut(part: Block): bool {
    return part.kind != BLOCK_TEXT && !this.limits.signsCalls;
  }

  private writeResult(entry: Entry, call: u32): void {
    if (entry.isWritten != 0) return;
    entry.isWritten = 1;
    const request = this.request;
    const out = this.out;
    const result = request.block(entry.block);
    const end = request.resultEnd(entry.block);
    this.begin(constant('{"functionResponse":{'));
    this.writeCallHead(result, request.block(call));
    out.span(
      (result.flags & FLAG_ERROR) != 0
        ? constant(',"response":{"error":"')
        : constant(',"response":{"output":"'),
    );
    let texts = 0;
    for (let i = entry.block + 1; i < end; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_TEXT) continue;
      if (texts++ > 0) out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
    }
    out.text('"}');
    let media = 0;
    for (let i = entry.block + 1; i < end; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TEXT || this.isLeftOut(block)) continue;
      if (media++ == 0) out.text(',"parts":[');
      this.isInResult = true;
      this.writePart(block);
      this.isInResult = false;
    }
    if (media > 0) out.byte(0x5d);
    out.text("}}");
  }
}
