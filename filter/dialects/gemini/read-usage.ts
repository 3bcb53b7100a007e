// Reads `usageMetadata` into parts that do not overlap. In a stream each event has some members of it: the last value of
// each counts.
// @see https://ai.google.dev/api/generate-content#UsageMetadata
import { Usage } from "../../hub/usage";
import { NO_COUNT, readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";

const PROMPT = constant("promptTokenCount");
const CACHED = constant("cachedContentTokenCount");
const TOOL_USE = constant("toolUsePromptTokenCount");
const CANDIDATES = constant("candidatesTokenCount");
const THOUGHTS = constant("thoughtsTokenCount");

export class UsageReader {
  private prompt: i64 = NO_COUNT;
  private cached: i64 = NO_COUNT;
  private toolUse: i64 = NO_COUNT;
  private candidates: i64 = NO_COUNT;
  private thoughts: i64 = NO_COUNT;

  read(tape: Tape, node: u32, usage: Usage): void {
    this.prompt = latest(tape, node, PROMPT, this.prompt);
    this.cached = latest(tape, node, CACHED, this.cached);
    this.toolUse = latest(tape, node, TOOL_USE, this.toolUse);
    this.candidates = latest(tape, node, CANDIDATES, this.candidates);
    this.thoughts = latest(tape, node, THOUGHTS, this.thoughts);
    if (this.prompt >= 0) {
      // The prompt's tokens include the cached ones.
      const cached = min(max(this.cached, 0), this.prompt);
      if (this.cached >= 0) usage.cacheRead = cached;
      usage.freshInput = this.prompt - cached + max(this.toolUse, 0);
    }
    if (this.thoughts >= 0) usage.reasoning = this.thoughts;
    // The candidates' tokens exclude the thoughts.
    if (this.candidates >= 0 || this.thoughts >= 0)
      usage.output = max(this.candidates, 0) + max(this.thoughts, 0);
  }
}

function latest(tape: Tape, node: u32, name: Span, before: i64): i64 {
  const value = readCount(tape, tape.member(node, name));
  return value == NO_COUNT ? before : value;
}
