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
} from "../../../../hub/request/request-report";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { integerText, LimitEdits } from "../../../limit-edits";
import { ListEdit } from "../../../list-edit";
import { isUnsupportedThinking } from "../../claude-writer";

const THINKING = constant("thinking");
const TYPE = constant("type");
const ENABLED = constant("enabled");
const BUDGET_TOKENS = constant("budget_tokens");

const QUOTE = constant('"');

const KEEP: i32 = 0;
const REMOVE: i32 = 1;
const TO_ADAPTIVE: i32 = 2;
const TO_BUDGET: i32 = 3;
const TO_OFF: i32 = 4;

const members = new ListEdit();

export abstract class ThinkingLimits extends LimitEdits {
  /** Whether the client's effort is replaced or removed. */
  protected changesEffort: bool = false;
  /** Whether an effort is added, because the client sent none. */
  protected addsEffort: bool = false;
  private effort: i32 = EFFORT_UNSET;
  private thinkingChange: i32 = KEEP;
  private budget: i64 = 0;

  /** Decides everything before the first edit. */
  protected planThinking(): void {
    const tape = this.tape;
    const limits = this.limits;
    const object = tape.member(0, THINKING);
    const node = tape.member(tape.member(0, constant("output_config")), constant("effort"));
    const wanted = effortOf(tape, node);
    this.thinkingChange = KEEP;
    this.addsEffort = false;
    this.effort = limits.knowsEfforts ? nearestEffort(limits.efforts, wanted) : wanted;
    this.changesEffort = this.effort != wanted;
    if (tape.isObject(object)) this.planChange(object, wanted);
    // A budget expresses it.
    if (this.effort < wanted && this.thinkingChange != TO_BUDGET)
      this.report.dropForModel(constant("output_config.effort"));
    if (tape.isPresent(node) || this.effort == EFFORT_UNSET) this.addsEffort = false;
  }

  private planChange(object: u32, wanted: i32): void {
    const tape = this.tape;
    const limits = this.limits;
    const report = this.report;
    const type = tape.member(object, TYPE);
    if (!isUnsupportedThinking(tape, type, limits)) return;
    const isAdaptive = tape.equals(type, constant("adaptive"));
    const isEnabled = tape.equals(type, ENABLED);
    if (isEnabled && limits.thinksAdaptively()) {
      this.thinkingChange = TO_ADAPTIVE;
      this.addNearest(thinkingEffort(tape, object));
      if (tape.isPresent(tape.member(object, BUDGET_TOKENS)))
        report.dropForModel(constant("thinking.budget_tokens"));
    } else if (isAdaptive && this.planBudget(wanted)) {
      this.thinkingChange = TO_BUDGET;
    } else if (isAdaptive || isEnabled) {
      this.thinkingChange = REMOVE;
      report.dropForModel(THINKING);
    } else if (limits.thinkingOff != OFF_NONE) {
      // The client asks for no thinking: the model thinks as little as it can.
      this.thinkingChange = TO_OFF;
    } else {
      this.thinkingChange = REMOVE;
      if (limits.reasoning == REASONING_NONE) return;
      this.addNearest(EFFORT_NONE);
      report.dropForModel(THINKING);
    }
  }

  private addNearest(wanted: i32): void {
    if (this.effort != EFFORT_UNSET) return;
    this.effort = nearestEffort(this.limits.efforts, wanted);
    this.addsEffort = true;
  }

  /** Sets the budget that stands for an effort. Returns false if thinking with a budget is not possible. */
  private planBudget(wanted: i32): bool {
    const tape = this.tape;
    const highest: i64 = this.limits.highestMaxTokens;
    if (this.limits.reasoning != REASONING_BUDGET) return false;
    let most = readCount(tape, tape.member(0, constant("max_tokens")));
    if (highest != 0) most = min(most, highest);
    const budget = effortBudget(wanted == EFFORT_UNSET ? EFFORT_HIGH : wanted);
    this.budget = min(budget, (most * 4) / 5);
    return this.budget >= MIN_BUDGET && !isToolForced(tape) && !isInBareLoop(tape);
  }

  /** Appends the planned effort, a JSON string, to the edits. */
  protected appendEffort(): void {
    this.edits.append(QUOTE);
    this.edits.append(effortWord(this.effort));
    this.edits.append(QUOTE);
  }

  /** Returns whether an effort is left. */
  protected replaceEffort(node: u32): bool {
    if (this.effort == EFFORT_UNSET) return false;
    this.appendEffort();
    this.edits.replaceAppended(this.tape.outerStart(node), this.tape.outerEnd(node));
    return true;
  }

  /** Changes the value of `thinking`. Returns whether nothing of it is left. */
  protected changeThinking(object: u32): bool {
    const tape = this.tape;
    const change = this.thinkingChange;
    if (change == REMOVE) return true;
    if (change == TO_OFF)
      this.replace(
        object,
        this.limits.thinkingOff == OFF_BETWEEN_TOOLS
          ? constant('{"type":"between_tools"}')
          : constant('{"type":"disabled"}'),
      );
    if (change != TO_ADAPTIVE && change != TO_BUDGET) return false;
    members.begin(tape, object);
    const end = tape.next(object);
    for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, TYPE)) this.changeType(key + 1);
      members.item(tape, key, tape.equals(key, BUDGET_TOKENS), this.edits);
    }
    return false;
  }

  private changeType(node: u32): void {
    if (this.thinkingChange == TO_ADAPTIVE) {
      this.replace(node, constant('"adaptive"'));
      return;
    }
    this.edits.append(constant('"enabled","budget_tokens":'));
    this.edits.append(integerText(this.budget));
    this.edits.replaceAppended(this.tape.outerStart(node), this.tape.outerEnd(node));
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
