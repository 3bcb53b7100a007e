// The tool results of one step: in the order of its calls, whatever order the client sent them in.
import {
  Block,
  BLOCK_TEXT,
  BLOCK_TOOL_RESULT,
  FLAG_ERROR,
  HubRequest,
} from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { Records } from "../../../../bytes/records";
import { NO_NUMBER, TextTable } from "../../../../bytes/text-table";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { separate, writeCallHead, writePart } from "./write-parts";

/** The index of a block, and whether its result has been written. */
@unmanaged
class Entry {
  block: u32;
  isWritten: u32;
}

export class StepResults {
  /** The last call of each id; the first result of each id in the step. */
  private calls: TextTable = new TextTable();
  private byId: TextTable = new TextTable();
  /** The calls of the last step of the model, and the results that follow it. */
  private step: Records<Entry> = new Records<Entry>();
  private found: Records<Entry> = new Records<Entry>();
  private isStepOver: bool = true;

  begin(): void {
    this.calls.clear();
    this.step.clear();
    this.isStepOver = true;
  }

  addCall(call: Block, index: u32): void {
    if (this.isStepOver) this.step.clear();
    this.isStepOver = false;
    this.calls.set(call.id, call.idLength, index);
    this.step.add().block = index;
  }

  /** Finds the results in the blocks [from, to). Returns whether there is one. */
  find(request: HubRequest, from: u32, to: u32): bool {
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

  /** Writes the results, or rejects one without a call. */
  write(request: HubRequest, limits: RequestLimits, out: ByteBuffer, report: RequestReport): void {
    this.isStepOver = true;
    for (let i: u32 = 0; i < this.step.count; i++) {
      const call = this.step.at(i).block;
      const block = request.block(call);
      const number = this.byId.get(block.id, block.idLength);
      if (number < this.found.count)
        this.writeOne(request, this.found.at(number), call, limits, out, report);
    }
    this.step.clear();
    for (let i: u32 = 0; i < this.found.count; i++) {
      const entry = this.found.at(i);
      if (entry.isWritten != 0) continue;
      const block = request.block(entry.block);
      const call = this.calls.get(block.id, block.idLength);
      if (call == NO_NUMBER) {
        const message = report.paths.messages.toText() + "[" + block.message.toString() + "]";
        report.reject(message, "has the result of a tool call that no earlier message has.");
        return;
      }
      this.writeOne(request, entry, call, limits, out, report);
    }
  }

  /** Returns whether a part of a result is written behind the results: models before Gemini 3 have no place in them. */
  isLeftOut(part: Block, limits: RequestLimits): bool {
    return part.kind != BLOCK_TEXT && !limits.signsCalls;
  }

  private writeOne(
    request: HubRequest,
    entry: Entry,
    call: u32,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    if (entry.isWritten != 0) return;
    entry.isWritten = 1;
    const result = request.block(entry.block);
    separate(out);
    out.text('{"functionResponse":{');
    writeCallHead(result, request.block(call), limits, out);
    out.span(
      (result.flags & FLAG_ERROR) != 0
        ? constant(',"response":{"error":"')
        : constant(',"response":{"output":"'),
    );
    this.writeContent(request, entry.block, limits, out, report);
    out.text("}}");
  }

  private writeContent(
    request: HubRequest,
    index: u32,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    const end = request.resultEnd(index);
    let texts = 0;
    for (let i = index + 1; i < end; i++) {
      const block = request.block(i);
      if (block.kind != BLOCK_TEXT) continue;
      if (texts++ > 0) out.span(BLANK_LINE);
      out.bytes(block.text, block.textLength);
    }
    out.text('"}');
    let media = 0;
    for (let i = index + 1; i < end; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_TEXT || this.isLeftOut(block, limits)) continue;
      if (media++ == 0) out.text(',"parts":[');
      writePart(block, out, report);
    }
    if (media > 0) out.byte(0x5d);
  }
}
