// Writes how much a model thinks: a level from Gemini 3 on, a budget of tokens before.
// @see https://ai.google.dev/gemini-api/docs/thinking
import {
  EFFORT_HIGH,
  EFFORT_LOW,
  EFFORT_MEDIUM,
  EFFORT_MINIMAL,
  EFFORT_NONE,
  EFFORT_UNSET,
  HubRequest,
} from "../../../../hub/request/request";
import {
  isOtherEffort,
  nearestEffort,
  thinkingAsEffort,
} from "../../../../hub/request/request-effort";
import {
  OFF_NONE,
  REASONING_BUDGET,
  REASONING_NONE,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { readCount } from "../../../../bytes/json/number";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { separate } from "./write-parts";

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

export function writeThinking(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  thinkingAsEffort(request);
  const effort = request.effort;
  const isShown = effort > EFFORT_NONE || request.wantsReasoningText;
  if (effort == EFFORT_UNSET && !isShown) return;
  if (limits.reasoning == REASONING_NONE) {
    if (effort > EFFORT_NONE) dropEffort(request, report);
    return;
  }
  separate(out);
  out.text('"thinkingConfig":{');
  if (isShown) out.text('"includeThoughts":true');
  if (effort != EFFORT_UNSET) {
    if (limits.reasoning == REASONING_BUDGET)
      writeBudget(request, readCount(tape, request.thinkingBudget), limits, out, report);
    else writeLevel(request, limits, out, report);
  }
  out.byte(0x7d);
}

function dropEffort(request: HubRequest, report: RequestReport): void {
  report.dropForModel(request.isEffortThinking ? report.paths.thinking : report.paths.effort);
}

/** `tokens`: the client's budget, NO_COUNT if it gave none. */
function writeBudget(
  request: HubRequest,
  tokens: i64,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const isAlways = limits.thinkingOff == OFF_NONE;
  let budget = tokens;
  if (request.effort == EFFORT_NONE && isAlways) dropEffort(request, report);
  if (request.effort == EFFORT_NONE) budget = isAlways ? LEAST_OF_ALWAYS : 0;
  else if (tokens >= 0) budget = min(max(tokens, LEAST_BUDGET), MOST_BUDGET);
  else if (request.isEffortThinking) budget = AUTOMATIC;
  else budget = budgetOf(request.effort);
  separate(out);
  out.text('"thinkingBudget":');
  out.integer(budget);
}

/** Google's own budgets for the efforts of OpenAI. @see https://ai.google.dev/gemini-api/docs/openai#thinking */
function budgetOf(effort: i32): i64 {
  if (effort <= EFFORT_MINIMAL) return LEAST_BUDGET;
  if (effort == EFFORT_LOW) return 1024;
  return effort == EFFORT_MEDIUM ? 8192 : MOST_BUDGET;
}

/** A model with levels always thinks: effort none becomes the least. */
function writeLevel(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const wanted = min(request.effort, EFFORT_HIGH);
  const level = nearestEffort(limits.efforts, max(wanted, EFFORT_MINIMAL));
  if (level < EFFORT_MINIMAL || level > EFFORT_HIGH) return;
  if (isOtherEffort(wanted, level) || request.effort > EFFORT_HIGH) dropEffort(request, report);
  separate(out);
  out.text('"thinkingLevel":"');
  out.span(unchecked(LEVELS[level - EFFORT_MINIMAL]));
  out.byte(0x22);
}
