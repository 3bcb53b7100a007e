// Fits the thinking of a messages body to what the target's model supports. A client that uses an alias cannot know whether
// the model requires a budget (Claude 4.5 and older) or adaptive thinking (Claude 4.7 and newer).
// @see https://platform.claude.com/docs/en/build-with-claude/thinking
import { EFFORT_HIGH, EFFORT_NONE, EFFORT_UNSET } from "../../../../hub/request/request";
import {
  effortBudget,
  effortOf,
  effortWord,
  MIN_BUDGET,
  nearestEffort,
  thinkingEffort,
} from "../../../../hub/request/request-effort";
import {
  OFF_BETWEEN_TOOLS,
  OFF_NONE,
  REASONING_BUDGET,
  REASONING_NONE,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { Edits } from "../../../../bytes/json/edit";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { integerText } from "../../../limit-edits";
import { ListEdit } from "../../../list-edit";
import { isUnsupportedThinking } from "../../claude-writer";

const THINKING = constant("thinking");
const TYPE = constant("type");
const ENABLED = constant("enabled");
const BUDGET_TOKENS = constant("budget_tokens");

const QUOTE = constant('"');
const OFF_DISABLED_VALUE = constant('{"type":"disabled"}');

const KEEP: i32 = 0;
const REMOVE: i32 = 1;
const TO_ADAPTIVE: i32 = 2;
const TO_BUDGET: i32 = 3;
const TO_OFF: i32 = 4;

const members = new ListEdit();

/** One per dialect: `plan` decides everything before the first edit. */
export class ThinkingLimit {
  /** Whether the client's effort is replaced or removed. */
  changesEffort: bool = false;
  /** Whether an effort is added, because the client sent none. */
  addsEffort: bool = false;
  private effort: i32 = EFFORT_UNSET;
  private change: i32 = KEEP;
  private budget: i64 = 0;
  private off: Span = OFF_DISABLED_VALUE;

  plan(tape: Tape, limits: RequestLimits, report: RequestReport): void {
    const object = tape.member(0, THINKING);
    const node = tape.member(tape.member(0, constant("output_config")), constant("effort"));
    const wanted = effortOf(tape, node);
    this.change = KEEP;
    this.addsEffort = false;
    this.effort = limits.knowsEfforts ? nearestEffort(limits.efforts, wanted) : wanted;
    this.changesEffort = this.effort != wanted;
    if (tape.isObject(object)) this.planChange(tape, object, wanted, limits, report);
    // A budget expresses it.
    if (this.effort < wanted && this.change != TO_BUDGET)
      report.dropForModel(constant("output_config.effort"));
    if (tape.isPresent(node) || this.effort == EFFORT_UNSET) this.addsEffort = false;
  }

  private planChange(
    tape: Tape,
    object: u32,
    wanted: i32,
    limits: RequestLimits,
    report: RequestReport,
  ): void {
    const type = tape.member(object, TYPE);
    if (!isUnsupportedThinking(tape, type, limits)) return;
    const isAdaptive = tape.equals(type, constant("adaptive"));
    if (tape.equals(type, ENABLED) && limits.thinksAdaptively()) {
      this.change = TO_ADAPTIVE;
      this.addNearest(limits, thinkingEffort(tape, object));
      if (tape.isPresent(tape.member(object, BUDGET_TOKENS)))
        report.dropForModel(constant("thinking.budget_tokens"));
    } else if (isAdaptive && this.planBudget(tape, wanted, limits)) {
      this.change = TO_BUDGET;
    } else if (isAdaptive || tape.equals(type, ENABLED)) {
      this.change = REMOVE;
      report.dropForModel(THINKING);
    } else {
      this.planOff(limits, report);
    }
  }

  /** The client asks for no thinking: the model thinks as little as it can. */
  private planOff(limits: RequestLimits, report: RequestReport): void {
    this.change = limits.thinkingOff == OFF_NONE ? REMOVE : TO_OFF;
    this.off =
      limits.thinkingOff == OFF_BETWEEN_TOOLS
        ? constant('{"type":"between_tools"}')
        : OFF_DISABLED_VALUE;
    if (limits.thinkingOff != OFF_NONE || limits.reasoning == REASONING_NONE) return;
    this.addNearest(limits, EFFORT_NONE);
    report.dropForModel(THINKING);
  }

  private addNearest(limits: RequestLimits, wanted: i32): void {
    if (this.effort != EFFORT_UNSET) return;
    this.effort = nearestEffort(limits.efforts, wanted);
    this.addsEffort = true;
  }

  /** Sets the budget that stands for an effort. Returns false if thinking with a budget is not possible. */
  private planBudget(tape: Tape, wanted: i32, limits: RequestLimits): bool {
    if (limits.reasoning != REASONING_BUDGET) return false;
    let most = readCount(tape, tape.member(0, constant("max_tokens")));
    if (limits.highestMaxTokens != 0) most = min<i64>(most, limits.highestMaxTokens);
    this.budget = min<i64>(
      effortBudget(wanted == EFFORT_UNSET ? EFFORT_HIGH : wanted),
      (most * 4) / 5,
    );
    return this.budget >= MIN_BUDGET && !isToolForced(tape) && !isInBareLoop(tape);
  }

  effortWord(): Span {
    return effortWord(this.effort);
  }

  /** Returns whether an effort is left. */
  replaceEffort(tape: Tape, node: u32, edits: Edits): bool {
    if (this.effort == EFFORT_UNSET) return false;
    edits.append(QUOTE);
    edits.append(effortWord(this.effort));
    edits.append(QUOTE);
    edits.replaceAppended(tape.outerStart(node), tape.outerEnd(node));
    return true;
  }

  /** Changes the value of `thinking`. Returns whether nothing of it is left. */
  edit(tape: Tape, object: u32, edits: Edits): bool {
    if (this.change == REMOVE) return true;
    if (this.change == TO_OFF) edits.replace(tape.start(object), tape.end(object), this.off);
    if (this.change != TO_ADAPTIVE && this.change != TO_BUDGET) return false;
    members.begin(tape, object);
    const end = tape.next(object);
    for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, TYPE)) this.changeType(tape, key + 1, edits);
      members.item(tape, key, tape.equals(key, BUDGET_TOKENS), edits);
    }
    return false;
  }

  private changeType(tape: Tape, node: u32, edits: Edits): void {
    const start = tape.outerStart(node);
    const end = tape.outerEnd(node);
    if (this.change == TO_ADAPTIVE) {
      edits.replace(start, end, constant('"adaptive"'));
      return;
    }
    edits.append(constant('"enabled"'));
    edits.append(constant(',"budget_tokens":'));
    edits.append(integerText(this.budget));
    edits.replaceAppended(start, end);
  }
}

/** Thinking with a budget excludes a forced tool. */
function isToolForced(tape: Tape): bool {
  const type = tape.member(tape.member(0, constant("tool_choice")), TYPE);
  return tape.equals(type, constant("any")) || tape.equals(type, constant("tool"));
}

/**
 * Returns whether the last turn of the assistant calls tools without thinking: with a budget Anthropic rejects it with 400
 * ("Expected `thinking` or `redacted_thinking`, but found `tool_use`").
 */
function isInBareLoop(tape: Tape): bool {
  const list = tape.member(0, constant("messages"));
  let last = NO_NODE;
  const end = tape.isArray(list) ? tape.next(list) : 0;
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    if (tape.equals(tape.member(message, constant("role")), constant("assistant"))) last = message;
  }
  const content = tape.member(last, constant("content"));
  if (!tape.isArray(content)) return false;
  let calls = false;
  const stop = tape.next(content);
  for (let block = tape.first(content); block < stop; block = tape.next(block)) {
    const type = tape.member(block, TYPE);
    if (tape.equals(type, THINKING) || tape.equals(type, constant("redacted_thinking")))
      return false;
    if (tape.equals(type, constant("tool_use"))) calls = true;
  }
  return calls;
}
