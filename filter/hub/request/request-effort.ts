// How much a model thinks: a scale of efforts, and the token budgets that stand for them.
import { readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";
import {
  EFFORT_HIGH,
  EFFORT_LOW,
  EFFORT_MAX,
  EFFORT_MEDIUM,
  EFFORT_MINIMAL,
  EFFORT_NONE,
  EFFORT_UNSET,
  EFFORT_XHIGH,
  HubRequest,
} from "./request";

const NONE = constant("none");
const MINIMAL = constant("minimal");
const LOW = constant("low");
const MEDIUM = constant("medium");
const HIGH = constant("high");
const XHIGH = constant("xhigh");
const MAX = constant("max");
const BUDGET_TOKENS = constant("budget_tokens");
const NOTHING = new Span(0, 0);

/** Anthropic's minimum thinking budget (https://platform.claude.com/docs/en/build-with-claude/extended-thinking). */
export const MIN_BUDGET: i64 = 1024;

/** Returns the effort of a word; EFFORT_UNSET for an unknown word. */
export function effortOf(tape: Tape, node: u32): i32 {
  if (tape.equals(node, LOW)) return EFFORT_LOW;
  if (tape.equals(node, MEDIUM)) return EFFORT_MEDIUM;
  if (tape.equals(node, HIGH)) return EFFORT_HIGH;
  if (tape.equals(node, XHIGH)) return EFFORT_XHIGH;
  if (tape.equals(node, MAX)) return EFFORT_MAX;
  if (tape.equals(node, MINIMAL)) return EFFORT_MINIMAL;
  return tape.equals(node, NONE) ? EFFORT_NONE : EFFORT_UNSET;
}

/** Returns the word for an effort, on OpenAI's scale; Anthropic has its words from low to max. */
export function effortWord(effort: i32): Span {
  if (effort == EFFORT_NONE) return NONE;
  if (effort == EFFORT_MINIMAL) return MINIMAL;
  if (effort == EFFORT_LOW) return LOW;
  if (effort == EFFORT_MEDIUM) return MEDIUM;
  if (effort == EFFORT_HIGH) return HIGH;
  if (effort == EFFORT_XHIGH) return XHIGH;
  return effort == EFFORT_MAX ? MAX : NOTHING;
}

/** Returns the thinking budget that stands for an effort, in tokens. */
export function effortBudget(effort: i32): i64 {
  if (effort <= EFFORT_MINIMAL) return MIN_BUDGET;
  if (effort == EFFORT_LOW) return 2048;
  if (effort == EFFORT_MEDIUM) return 8192;
  return effort == EFFORT_HIGH ? 16384 : 32768;
}

/** Returns the effort that a thinking budget stands for: low, medium or high, which every model with efforts supports. */
export function budgetEffort(budget: i64): i32 {
  if (budget < 4096) return EFFORT_LOW;
  return budget < 16384 ? EFFORT_MEDIUM : EFFORT_HIGH;
}

/** Returns the effort that a client's `thinking` stands for; EFFORT_UNSET for an unknown type. */
export function thinkingEffort(tape: Tape, thinking: u32): i32 {
  const type = tape.member(thinking, constant("type"));
  if (tape.equals(type, constant("enabled"))) {
    const budget = readCount(tape, tape.member(thinking, BUDGET_TOKENS));
    // DeepSeek, Moonshot and Z.ai have the same member without a budget: a switch.
    return budget > 0 ? budgetEffort(budget) : EFFORT_MEDIUM;
  }
  if (tape.equals(type, constant("adaptive")) || tape.equals(type, constant("between_tools")))
    return EFFORT_MEDIUM;
  return tape.equals(type, constant("disabled")) ? EFFORT_NONE : EFFORT_UNSET;
}

/** Returns whether a model with this effort reasons less than it is asked to, or although it is asked not to: that is listed. */
export function isOtherEffort(wanted: i32, effort: i32): bool {
  return wanted == EFFORT_NONE ? effort > EFFORT_NONE : effort < wanted;
}

/**
 * Makes the `thinking` of a chat client its effort, for providers without such a member. An effort that the client names takes
 * precedence, unless its thinking is off.
 */
export function thinkingAsEffort(request: HubRequest): void {
  const tape = request.tape;
  if (!tape.isObject(request.thinking)) return;
  const effort = thinkingEffort(tape, request.thinking);
  if (request.effort != EFFORT_UNSET && effort != EFFORT_NONE) return;
  request.isEffortThinking = true;
  request.effort = effort;
  request.thinkingBudget = tape.member(request.thinking, BUDGET_TOKENS);
}

/**
 * Returns the supported effort that is nearest to the wanted one: the same, else the next lower, else the next higher, but
 * never `none` for another one. EFFORT_UNSET if the model supports no effort. `efforts` has a bit for each.
 */
export function nearestEffort(efforts: u32, wanted: i32): i32 {
  if (wanted == EFFORT_UNSET || (efforts & (1 << wanted)) != 0) return wanted;
  for (let effort = wanted - 1; effort > EFFORT_NONE; effort--) {
    if ((efforts & (1 << effort)) != 0) return effort;
  }
  for (let effort = wanted + 1; effort <= EFFORT_MAX; effort++) {
    if ((efforts & (1 << effort)) != 0) return effort;
  }
  return EFFORT_UNSET;
}
