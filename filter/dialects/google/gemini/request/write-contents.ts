// Writes the hub's blocks as contents. Gemini requires the results of one step in one content, as many as its calls and in
// their order, and nothing beside them; and a user's turn before a call.
// @see https://ai.google.dev/gemini-api/docs/function-calling
import {
  BLOCK_NOTHING,
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  ROLE_ASSISTANT,
  ROLE_USER,
} from "../../../../hub/request/request";
import { constant, Span } from "../../../../bytes/text/bytes";
import { StepResults } from "./step-results";

const USER = constant('{"role":"user","parts":[');
const CONTENT_END = constant("]}");

export abstract class GeminiContents extends StepResults {
  /** The index of the last block of a user that is no tool result: with it the running turn begins. */
  private turnStart: u32 = 0;

  protected writeContents(): void {
    const out = this.out;
    out.text('{"contents":[');
    const opensWithSystem = !this.limits.supportsSystemRole && this.hasSystem();
    if (opensWithSystem) {
      out.span(USER);
      this.writeSystemParts();
      out.span(CONTENT_END);
    }
    this.beginSteps();
    this.prepareContents();
    this.writeTurns(opensWithSystem);
    out.byte(0x5d);
  }

  /**
   * Removes reasoning, which does not come back: a call's signature stands for it. What Google's tools did does, if they are beside
   * functions again. Finds the running turn.
   */
  private prepareContents(): void {
    const request = this.request;
    this.turnStart = 0;
    for (let i: u32 = 0; i < request.blocks.count; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_REASONING || block.kind == BLOCK_REASONING_DATA) {
        const isPart = this.findServerPart(block);
        if (isPart && !this.isMixed) this.report.drop(constant("server_tools"));
        if (!isPart || !this.isMixed) block.kind = BLOCK_NOTHING;
      } else if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
      else if (block.role == ROLE_USER) this.turnStart = i;
    }
  }

  protected writeUserText(text: Span): void {
    this.begin(USER);
    this.writeTextPart(text.pointer, text.length);
    this.out.span(CONTENT_END);
  }

  /** No model continues one. */
  protected continuesPrefill(path: Span): bool {
    this.report.drop(path);
    return false;
  }

  protected writeRun(role: u32, from: u32, to: u32, _isLast: bool): void {
    if (role == ROLE_ASSISTANT) this.writeModel(from, to);
    else this.writeUser(from, to);
  }

  /** Writes a step of the model. In the running turn its first call must have a signature. */
  private writeModel(from: u32, to: u32): void {
    this.begin(constant('{"role":"model","parts":['));
    let needsSignature =
      this.limits.signsCalls && from > this.turnStart && !this.isSigned(from, to);
    for (let i = from; i < to; i++) {
      if (!this.isWritten(i)) continue;
      const block = this.request.block(i);
      if (block.cacheLength > 0) this.report.drop(this.report.paths.cache);
      if (block.kind == BLOCK_REASONING) {
        this.writeServerPart(block);
        continue;
      }
      if (block.kind != BLOCK_TOOL_CALL) {
        this.writePart(block);
        continue;
      }
      this.addCall(block, i);
      this.writeCall(block, needsSignature);
      needsSignature = false;
    }
    this.out.span(CONTENT_END);
  }

  /** Returns whether the step is the model's own: then it is as the model has signed it. */
  private isSigned(from: u32, to: u32): bool {
    for (let i = from; i < to; i++) {
      const block = this.request.block(i);
      if (block.kind == BLOCK_REASONING) return true;
      if (block.kind == BLOCK_TOOL_CALL && block.signatureLength > 0) return true;
    }
    return false;
  }

  /** Writes the tool results of [from, to) as one content, and what else the user sent as the next one. */
  private writeUser(from: u32, to: u32): void {
    const out = this.out;
    if (this.findResults(from, to)) {
      this.begin(USER);
      this.writeResults();
      out.span(CONTENT_END);
      if (this.report.fault !== null) return;
    }
    const start = out.length;
    this.begin(USER);
    const opened = out.length;
    let isInResult = false;
    for (let i = from; i < to; i++) {
      if (!this.isWritten(i)) continue;
      const block = this.request.block(i);
      if (block.cacheLength > 0) this.report.drop(this.report.paths.cache);
      if (block.kind == BLOCK_TOOL_RESULT) isInResult = true;
      else if (block.kind == BLOCK_RESULT_END) isInResult = false;
      else if (!isInResult || this.isLeftOut(block)) this.writePart(block);
    }
    if (out.length == opened) out.length = start;
    else out.span(CONTENT_END);
  }
}
