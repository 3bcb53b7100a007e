// Decides how much an Anthropic model thinks, and what that requires of max_tokens, before anything is written. For every API
// that has these models.
// @see https://platform.claude.com/docs/en/build-with-claude/thinking
// @see https://platform.claude.com/docs/en/build-with-claude/effort
import {
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_TOOL_CALL,
  CHOICE_ANY,
  CHOICE_NAMED,
  HubRequest,
  EFFORT_HIGH,
  EFFORT_NONE,
  EFFORT_UNSET,
  isSigned,
  ROLE_ASSISTANT,
  ROLE_USER,
} from "../../hub/request/request";
import {
  budgetEffort,
  effortBudget,
  effortWord,
  MIN_BUDGET,
  isOtherEffort,
  nearestEffort,
} from "../../hub/request/request-effort";
import {
  OFF_BETWEEN_TOOLS,
  OFF_DISABLED,
  OFF_NONE,
  REASONING_BOTH,
  REASONING_BUDGET,
  RequestLimits,
  RequestReport,
} from "../../hub/request/request-report";
import { writeClosedSchema, writeValue } from "../../hub/request/request-writing";
import { readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";

const TYPE = constant("type");
const DISABLED = constant("disabled");
const ENABLED = constant("enabled");
const ADAPTIVE = constant("adaptive");
const BETWEEN_TOOLS = constant("between_tools");
const BUDGET_TOKENS = constant("budget_tokens");
/** Newer models omit the text otherwise. */
const THINKING_SHOWN = constant(',"thinking":{"type":"adaptive","display":"summarized"}');

/** Every model of Anthropic supports it. */
const MAX_TOKENS_IF_UNKNOWN: i64 = 4096;

export class ThinkingPlan {
  /** Whether the model will think: then it rejects some other members. */
  isOn: bool = false;
  /** The max_tokens that the gateway chose; 0 if the client's is sent. */
  maxTokens: i64 = 0;
  private budget: i64 = 0;
  private effort: i32 = EFFORT_UNSET;
  private isAdaptive: bool = false;
  /** The type that asks for the least thinking; OFF_NONE if none is written. */
  private off: i32 = OFF_NONE;
  /** Whether the client's `thinking` is sent unchanged. */
  private copiesThinking: bool = false;

  /** Whether the budget that the gateway chose requires `max_tokens` in the request. */
  get needsMaxTokens(): bool {
    return this.maxTokens != 0 && this.budget > 0;
  }

  make(request: HubRequest, limits: RequestLimits, report: RequestReport): void {
    this.isOn = false;
    this.budget = 0;
    this.effort = EFFORT_UNSET;
    this.isAdaptive = false;
    this.off = OFF_NONE;
    this.copiesThinking = false;
    const tape = request.tape;
    const hasMaxTokens = tape.isPresent(request.maxTokens);
    const highest: i64 = limits.highestMaxTokens == 0 ? i64.MAX_VALUE : limits.highestMaxTokens;
    let most = hasMaxTokens ? readCount(tape, request.maxTokens) : -1;
    if (most > highest || (!hasMaxTokens && limits.highestMaxTokens != 0)) most = highest;
    if (tape.isObject(request.thinking)) this.planThinking(request, limits, report, most);
    else if (request.effort != EFFORT_UNSET) {
      this.planEffort(request, request.effort, report.paths.effort, limits, report, most);
    }
    this.maxTokens = hasMaxTokens ? 0 : this.chooseMaxTokens(limits);
    report.defaultedMaxTokens = <u32>this.maxTokens;
  }

  /** Returns the configured default, else the model's maximum: a client that sets no limit expects a whole response. */
  private chooseMaxTokens(limits: RequestLimits): i64 {
    const highest: i64 = limits.highestMaxTokens;
    const isMaximum = limits.defaultMaxTokens == 0 && highest != 0;
    if (isMaximum) return highest;
    const set: i64 = limits.defaultMaxTokens == 0 ? MAX_TOKENS_IF_UNKNOWN : limits.defaultMaxTokens;
    const chosen = set + this.budget;
    return highest == 0 ? chosen : min<i64>(chosen, highest);
  }

  /** Copies the client's `thinking`, unless the model is known to reject its type. */
  private planThinking(
    request: HubRequest,
    limits: RequestLimits,
    report: RequestReport,
    maxTokens: i64,
  ): void {
    const tape = request.tape;
    const type = tape.member(request.thinking, TYPE);
    const budget = max<i64>(readCount(tape, tape.member(request.thinking, BUDGET_TOKENS)), 0);
    const isOff = tape.equals(type, DISABLED) || tape.equals(type, BETWEEN_TOOLS);
    this.copiesThinking =
      isForAnthropic(request, budget) && !isUnsupportedThinking(tape, type, limits);
    if (this.copiesThinking && tape.equals(type, ENABLED) && isInUnsignedLoop(request)) {
      // Anthropic would reject the running tool loop, because the client did not send its signed thinking.
      this.copiesThinking = false;
      report.drop(report.paths.thinking);
      return;
    }
    if (this.copiesThinking) {
      const isOwn = request.thinking == request.ownThinking;
      const hasEffort = !request.isEffortThinking && (isOwn || tape.equals(type, ADAPTIVE));
      if (hasEffort && limits.thinksAdaptively())
        this.effort = nearestEffort(limits.efforts, request.effort);
      this.isOn = !tape.equals(type, DISABLED);
      this.budget = budget;
      return;
    }
    let effort = request.effort == EFFORT_UNSET ? EFFORT_HIGH : request.effort;
    if (isOff) effort = EFFORT_NONE;
    else if (budget > 0 && request.effort == EFFORT_UNSET) effort = budgetEffort(budget);
    if (budget > 0 || (isOff && limits.thinkingOff == OFF_NONE)) report.drop(report.paths.thinking);
    this.planEffort(request, effort, report.paths.thinking, limits, report, maxTokens);
  }

  private planEffort(
    request: HubRequest,
    wanted: i32,
    path: Span,
    limits: RequestLimits,
    report: RequestReport,
    maxTokens: i64,
  ): void {
    if (limits.thinksAdaptively()) {
      const isOff = wanted == EFFORT_NONE;
      if (isOff) this.off = limits.thinkingOff;
      // A model that always thinks is asked to think as little as possible.
      if (isOff && this.off != OFF_NONE) return;
      // Thinking excludes a forced tool; an effort does not.
      this.isAdaptive = !isOff && !isToolForced(request);
      this.isOn = this.isAdaptive;
      this.effort = nearestEffort(limits.efforts, wanted);
      if (isOtherEffort(wanted, this.effort)) report.drop(path);
      return;
    }
    // Models with a budget do not think unless they get one.
    if (wanted == EFFORT_NONE) return;
    let budget = effortBudget(wanted);
    if (maxTokens >= 0) budget = min<i64>(budget, (maxTokens * 4) / 5);
    const isPossible = limits.reasoning == REASONING_BUDGET && budget >= MIN_BUDGET;
    if (!isPossible || isToolForced(request) || isInUnsignedLoop(request)) {
      report.drop(path);
      return;
    }
    this.isOn = true;
    this.budget = budget;
  }

  /** Writes the members `thinking` and `output_config`, with a comma before each. `hasFormat`: the second also has the output format. */
  write(request: HubRequest, hasFormat: bool, out: ByteBuffer): void {
    if (this.copiesThinking) {
      out.text(',"thinking":');
      writeValue(request.tape, request.thinking, out);
    } else if (this.isAdaptive) {
      out.span(
        request.wantsReasoningText ? THINKING_SHOWN : constant(',"thinking":{"type":"adaptive"}'),
      );
    } else if (this.off == OFF_DISABLED) {
      out.text(',"thinking":{"type":"disabled"}');
    } else if (this.off == OFF_BETWEEN_TOOLS) {
      out.text(',"thinking":{"type":"between_tools"}');
    } else if (this.budget > 0) {
      out.text(',"thinking":{"type":"enabled","budget_tokens":');
      out.integer(this.budget);
      out.byte(0x7d);
    }
    const hasEffort = this.effort != EFFORT_UNSET;
    if (!hasEffort && !hasFormat) return;
    out.text(',"output_config":{');
    if (hasEffort) {
      out.text('"effort":"');
      out.span(effortWord(this.effort));
      out.byte(0x22);
    }
    if (hasFormat) {
      if (hasEffort) out.byte(0x2c);
      out.text('"format":{"type":"json_schema","schema":');
      writeClosedSchema(request.tape, request.schema, out);
      out.byte(0x7d);
    }
    out.byte(0x7d);
  }
}

/** Returns whether the model is known to reject thinking of this type. */
export function isUnsupportedThinking(tape: Tape, type: u32, limits: RequestLimits): bool {
  if (!limits.knowsReasoning) return false;
  if (tape.equals(type, ENABLED))
    return limits.reasoning != REASONING_BUDGET && limits.reasoning != REASONING_BOTH;
  if (tape.equals(type, ADAPTIVE)) return !limits.thinksAdaptively();
  if (tape.equals(type, DISABLED)) return limits.thinkingOff != OFF_DISABLED;
  return tape.equals(type, BETWEEN_TOOLS) && limits.thinkingOff != OFF_BETWEEN_TOOLS;
}

/**
 * Returns whether `thinking` has Anthropic's form. That of a chat client may be the switch of another provider (DeepSeek's has no
 * budget, Z.ai's has `clear_thinking`), which Anthropic rejects.
 */
function isForAnthropic(request: HubRequest, budget: i64): bool {
  const tape = request.tape;
  const thinking = request.thinking;
  if (thinking == request.ownThinking) return true;
  const end = tape.next(thinking);
  for (let key = tape.first(thinking); key < end; key = tape.next(key + 1)) {
    const isTokens = tape.equals(key, BUDGET_TOKENS);
    if (!isTokens && !tape.equals(key, TYPE) && !tape.equals(key, constant("display")))
      return false;
  }
  return budget >= MIN_BUDGET || !tape.equals(tape.member(thinking, TYPE), ENABLED);
}

function isToolForced(request: HubRequest): bool {
  const isForced = request.toolChoice == CHOICE_ANY || request.toolChoice == CHOICE_NAMED;
  return isForced && request.tools.count > 0;
}

/**
 * Returns whether the request continues a tool loop whose assistant turn has no signed thinking: with a budget Anthropic
 * rejects it with 400 ("Expected `thinking` or `redacted_thinking`, but found `tool_use`").
 */
function isInUnsignedLoop(request: HubRequest): bool {
  let calls = false;
  for (let i = request.blocks.count; i > 0; i--) {
    const block = request.block(i - 1);
    if (block.role == ROLE_USER) {
      // Behind the last turn of the assistant.
      if (calls) return true;
      continue;
    }
    if (block.role != ROLE_ASSISTANT) continue;
    if (block.kind == BLOCK_TOOL_CALL) calls = true;
    if (block.kind == BLOCK_REASONING_DATA || (block.kind == BLOCK_REASONING && isSigned(block)))
      return false;
    if (!calls) return false;
  }
  return calls;
}
