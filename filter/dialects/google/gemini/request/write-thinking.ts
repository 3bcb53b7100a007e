// Writes how much a model thinks: a level from Gemini 3 on, a budget of tokens before.
// @see https://ai.google.dev/gemini-api/docs/thinking
import {
  EFFORT_HIGH,
  EFFORT_LOW,
  EFFORT_MEDIUM,
  EFFORT_MINIMAL,
  EFFORT_NONE,
  EFFORT_UNSET,
} from "../../../../hub/request/request";
import {
  isOtherEffort,
  nearestEffort,
  thinkingAsEffort,
} from "../../../../hub/request/request-effort";
import { OFF_NONE, REASONING_BUDGET, REASONING_NONE } from "../../../../hub/request/request-report";
import { readCount } from "../../../../bytes/json/number";
import { constant, Span } from "../../../../bytes/text/bytes";
import { GeminiTools } from "./write-tools";

const LEVELS: StaticArray<Span> = [
  constant("MINIMAL"),
  constant("LOW"),
  constant("MEDIUM"),
  constant("HIGH"),
];

/** Limits that hold for every model with budgets; one that always thinks requires at least 128. */
const LEAST_BUDGET: i64 = 512;
const MOST_BUDGET: i64 = 24576;
const LEAST_OF_ALWAYS: i64 = 128;
/** The model chooses. */
const AUTOMATIC: i64 = -1;

export abstract class GeminiThinking extends GeminiTools {
  protected writeThinking(): void {
    const request = this.request;
    const out = this.out;
    thinkingAsEffort(request);
    const effort = request.effort;
    const isShown = effort > EFFORT_NONE || request.wantsReasoningText;
    if (effort == EFFORT_UNSET && !isShown) return;
    if (this.limits.reasoning == REASONING_NONE) {
      if (effort > EFFORT_NONE) this.dropEffort();
      return;
    }
    this.begin(constant('"thinkingConfig":{'));
    if (isShown) out.text('"includeThoughts":true');
    if (effort != EFFORT_UNSET) {
      if (this.limits.reasoning == REASONING_BUDGET) this.writeBudget(effort);
      else this.writeLevel(effort);
    }
    out.byte(0x7d);
  }

  private writeBudget(effort: i32): void {
    const isAlways = this.limits.thinkingOff == OFF_NONE;
    const tokens = readCount(this.tape, this.request.thinkingBudget);
    let budget: i64 = 0;
    if (effort == EFFORT_NONE) {
      if (isAlways) {
        this.dropEffort();
        budget = LEAST_OF_ALWAYS;
      }
    } else if (tokens >= 0) budget = min(max(tokens, LEAST_BUDGET), MOST_BUDGET);
    else budget = this.request.isEffortThinking ? AUTOMATIC : budgetOf(effort);
    this.begin(constant('"thinkingBudget":'));
    this.out.integer(budget);
  }

  /** A model with levels always thinks: effort none becomes the least. */
  private writeLevel(effort: i32): void {
    const wanted = min(effort, EFFORT_HIGH);
    const level = nearestEffort(this.limits.efforts, max(wanted, EFFORT_MINIMAL));
    if (level < EFFORT_MINIMAL || level > EFFORT_HIGH) return;
    if (isOtherEffort(wanted, level) || effort > EFFORT_HIGH) this.dropEffort();
    this.begin(constant('"thinkingLevel":"'));
    this.out.span(unchecked(LEVELS[level - EFFORT_MINIMAL]));
    this.out.byte(0x22);
  }
}

/** Google's own budgets for the efforts of OpenAI. @see https://ai.google.dev/gemini-api/docs/openai#thinking */
function budgetOf(effort: i32): i64 {
  if (effort <= EFFORT_MINIMAL) return LEAST_BUDGET;
  if (effort == EFFORT_LOW) return 1024;
  return effort == EFFORT_MEDIUM ? 8192 : MOST_BUDGET;
}
