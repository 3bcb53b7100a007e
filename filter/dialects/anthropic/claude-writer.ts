// What the APIs with Anthropic's models share: how much a model thinks, decided before anything is written, what that requires
// of max_tokens, and which sampling parameters it leaves.
// @see https://platform.claude.com/docs/en/build-with-claude/thinking
// @see https://platform.claude.com/docs/en/build-with-claude/effort
import {
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_TOOL_CALL,
  EFFORT_HIGH,
  EFFORT_NONE,
  EFFORT_UNSET,
  isSigned,
  ROLE_ASSISTANT,
  ROLE_USER,
  Tool,
} from "../../hub/request/request";
import {
  budgetEffort,
  effortBudget,
  effortWord,
  MIN_BUDGET,
  isOtherEffort,
  nearestEffort,
} from "../../hub/request/request-effort";
import { readDecimal } from "../../hub/request/request-number";
import {
  OFF_BETWEEN_TOOLS,
  OFF_DISABLED,
  OFF_NONE,
  REASONING_BOTH,
  REASONING_BUDGET,
  RequestLimits,
} from "../../hub/request/request-report";
import { isObjectSchema, writeMember, writeValue } from "../../hub/request/request-writing";
import { TurnWriter } from "../../hub/request/turn-writer";
import { isBlank } from "../../bytes/json/blank";
import { readCount } from "../../bytes/json/number";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";
import { isMergeable, isUnion, writeMergedUnion, writeStrictSchema } from "./claude-schema";

const TYPE = constant("type");
const DISABLED = constant("disabled");
const ENABLED = constant("enabled");
const ADAPTIVE = constant("adaptive");
const BETWEEN_TOOLS = constant("between_tools");
const BUDGET_TOKENS = constant("budget_tokens");

/** Every model of Anthropic supports it. */
const MAX_TOKENS_IF_UNKNOWN: i64 = 4096;

export abstract class ClaudeWriter extends TurnWriter {
  /** Whether the model will think: then it rejects some other members. */
  protected isThinking: bool = false;
  /** The max_tokens that the gateway chose; 0 if the client's is sent. */
  protected chosenMaxTokens: i64 = 0;
  /** The thinking budget in tokens; 0 without one. */
  protected budget: i64 = 0;
  private effort: i32 = EFFORT_UNSET;
  private isAdaptive: bool = false;
  /** The type that asks for the least thinking; OFF_NONE if none is written. */
  private off: i32 = OFF_NONE;
  /** Whether the client's `thinking` is sent unchanged. */
  private copiesThinking: bool = false;

  /** Decides for a request whose model does not think in Anthropic's way. */
  protected planNoThinking(): void {
    this.isThinking = false;
    this.budget = 0;
    this.effort = EFFORT_UNSET;
    this.isAdaptive = false;
    this.off = OFF_NONE;
    this.copiesThinking = false;
    this.chosenMaxTokens = 0;
  }

  protected planThinking(): void {
    const request = this.request;
    const tape = this.tape;
    const limits = this.limits;
    this.planNoThinking();
    const hasMaxTokens = tape.isPresent(request.maxTokens);
    if (tape.isObject(request.thinking)) this.planOwnThinking();
    else if (request.effort != EFFORT_UNSET)
      this.planEffort(request.effort, this.report.paths.effort);
    if (!hasMaxTokens) {
      // The configured default, else the model's maximum: a client that sets no limit expects a whole response.
      const highest: i64 = limits.highestMaxTokens == 0 ? i64.MAX_VALUE : limits.highestMaxTokens;
      const set: i64 = limits.defaultMaxTokens;
      if (set == 0 && limits.highestMaxTokens != 0) this.chosenMaxTokens = highest;
      else
        this.chosenMaxTokens = min((set == 0 ? MAX_TOKENS_IF_UNKNOWN : set) + this.budget, highest);
    }
    this.report.defaultedMaxTokens = <u32>this.chosenMaxTokens;
  }

  /** Copies the client's `thinking`, unless the model is known to reject its type. */
  private planOwnThinking(): void {
    const request = this.request;
    const tape = this.tape;
    const limits = this.limits;
    const report = this.report;
    const type = tape.member(request.thinking, TYPE);
    const budget = max<i64>(readCount(tape, tape.member(request.thinking, BUDGET_TOKENS)), 0);
    const isOff = tape.equals(type, DISABLED) || tape.equals(type, BETWEEN_TOOLS);
    if (this.isForAnthropic(budget) && !isUnsupportedThinking(tape, type, limits)) {
      if (tape.equals(type, ENABLED) && this.isInUnsignedLoop()) {
        // Anthropic would reject the running tool loop, because the client did not send its signed thinking.
        report.drop(report.paths.thinking);
        return;
      }
      this.copiesThinking = true;
      const isOwn = request.thinking == request.ownThinking;
      const hasEffort = !request.isEffortThinking && (isOwn || tape.equals(type, ADAPTIVE));
      if (hasEffort && limits.thinksAdaptively())
        this.effort = nearestEffort(limits.efforts, request.effort);
      this.isThinking = !tape.equals(type, DISABLED);
      this.budget = budget;
      return;
    }
    let effort = request.effort == EFFORT_UNSET ? EFFORT_HIGH : request.effort;
    if (isOff) effort = EFFORT_NONE;
    else if (budget > 0 && request.effort == EFFORT_UNSET) effort = budgetEffort(budget);
    if (budget > 0 || (isOff && limits.thinkingOff == OFF_NONE)) report.drop(report.paths.thinking);
    this.planEffort(effort, report.paths.thinking);
  }

  private planEffort(wanted: i32, path: Span): void {
    const limits = this.limits;
    const isToolForced = this.isToolForced() && this.request.tools.count > 0;
    if (limits.thinksAdaptively()) {
      const isOff = wanted == EFFORT_NONE;
      if (isOff) this.off = limits.thinkingOff;
      // A model that always thinks is asked to think as little as possible.
      if (isOff && this.off != OFF_NONE) return;
      // Thinking excludes a forced tool; an effort does not.
      this.isAdaptive = !isOff && !isToolForced;
      this.isThinking = this.isAdaptive;
      this.effort = nearestEffort(limits.efforts, wanted);
      if (isOtherEffort(wanted, this.effort)) this.report.drop(path);
      return;
    }
    // Models with a budget do not think unless they get one.
    if (wanted == EFFORT_NONE) return;
    const budget = this.budgetOf(wanted);
    const isPossible = limits.reasoning == REASONING_BUDGET && budget >= MIN_BUDGET;
    if (!isPossible || isToolForced || this.isInUnsignedLoop()) {
      this.report.drop(path);
      return;
    }
    this.isThinking = true;
    this.budget = budget;
  }

  /** Returns the budget for an effort: at most four fifths of the tokens that the model may return. */
  private budgetOf(effort: i32): i64 {
    const highest: i64 = this.limits.highestMaxTokens;
    const node = this.request.maxTokens;
    let most: i64 = highest == 0 ? -1 : highest;
    if (this.tape.isPresent(node)) most = readCount(this.tape, node);
    if (highest != 0) most = min(most, highest);
    const budget = effortBudget(effort);
    return most < 0 ? budget : min(budget, (most * 4) / 5);
  }

  /** Writes the members `thinking` and `output_config`, with a comma before each. `hasFormat`: the second also has the output format. */
  protected writeThinkingMembers(hasFormat: bool, out: ByteBuffer): void {
    const request = this.request;
    if (this.copiesThinking) {
      writeMember(this.tape, request.thinking, constant(',"thinking":'), out);
    } else if (this.isAdaptive) {
      out.text(',"thinking":{"type":"adaptive"');
      // Newer models omit the text otherwise.
      if (request.wantsReasoningText) out.text(',"display":"summarized"');
      out.byte(0x7d);
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
      writeStrictSchema(this.tape, request.schema, out);
      out.byte(0x7d);
    }
    out.byte(0x7d);
  }

  /**
   * Writes temperature and top_p; returns whether the request has a top_k and the model supports it. The maximum temperature is
   * 1. With thinking only its default is supported, no top_k, and top_p from 0.95; models whose `sampling` is `one` reject
   * temperature and top_p together. What is left out is listed, unless it is the default.
   * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility
   */
  protected writeSampling(topPName: Span, out: ByteBuffer): bool {
    const request = this.request;
    const tape = this.tape;
    const limits = this.limits;
    const report = this.report;
    const allowsSampling = limits.supportsTemperature && !this.isThinking;
    const hasTemperature = tape.isPresent(request.temperature);
    if (hasTemperature) {
      const value = readDecimal(tape, request.temperature);
      if (allowsSampling ? value > 1 : value != 1) report.drop(constant("temperature"));
      if (allowsSampling) {
        out.text(',"temperature":');
        if (value > 1) out.byte(0x31);
        else writeValue(tape, request.temperature, out);
      }
    }
    const topP = readDecimal(tape, request.topP);
    if (tape.isPresent(request.topP) && topP != 1) {
      const isSupported =
        limits.supportsTemperature &&
        (limits.supportsBothSampling || !(allowsSampling && hasTemperature)) &&
        !(this.isThinking && topP < 0.95);
      if (isSupported) writeMember(tape, request.topP, topPName, out);
      else report.drop(constant("top_p"));
    }
    if (!tape.isPresent(request.topK)) return false;
    if (!allowsSampling) report.drop(constant("top_k"));
    return allowsSampling;
  }

  protected writeToolSchema(tool: Tool): void {
    const tape = this.tape;
    const schema = tool.schema;
    let isStrict = tool.isStrict != 0 && this.limits.supportsOutputSchema;
    if (isStrict && schema != NO_NODE && isUnion(tape, schema) && !isMergeable(tape, schema)) {
      // A closed object without properties would allow nothing.
      this.report.dropForModel(this.report.paths.strict);
      tool.isStrict = 0;
      isStrict = false;
    }
    if (tool.isCustom != 0 || schema == NO_NODE) super.writeToolSchema(tool);
    else if (isUnion(tape, schema)) writeMergedUnion(tape, schema, isStrict, this.out);
    else if (isStrict && isObjectSchema(tape, schema)) writeStrictSchema(tape, schema, this.out);
    else super.writeToolSchema(tool);
  }

  /** Writes the stop sequences but blank ones, which are rejected, after `name`. Returns whether there are any. */
  protected writeStop(name: Span, keepsOthers: bool, out: ByteBuffer): bool {
    const tape = this.tape;
    const stop = this.request.stop;
    if (!tape.isPresent(stop)) return false;
    const start = out.length;
    let item = tape.isArray(stop) ? tape.first(stop) : stop;
    for (const end = tape.next(stop); item < end; item = tape.next(item)) {
      const isKept = tape.isString(item)
        ? !isBlank(tape.pointer(item), tape.size(item))
        : keepsOthers;
      if (!this.limits.supportsStop || !isKept) {
        this.report.drop(this.report.paths.stop);
        continue;
      }
      out.span(out.length == start ? name : constant(","));
      writeValue(tape, item, out);
    }
    if (out.length == start) return false;
    out.byte(0x5d);
    return true;
  }

  /**
   * Returns whether `thinking` has Anthropic's form. That of a chat client may be the switch of another provider (DeepSeek's has no
   * budget, Z.ai's has `clear_thinking`), which Anthropic rejects.
   */
  private isForAnthropic(budget: i64): bool {
    const tape = this.tape;
    const thinking = this.request.thinking;
    if (thinking == this.request.ownThinking) return true;
    const end = tape.next(thinking);
    for (let key = tape.first(thinking); key < end; key = tape.next(key + 1)) {
      const isTokens = tape.equals(key, BUDGET_TOKENS);
      if (!isTokens && !tape.equals(key, TYPE) && !tape.equals(key, constant("display")))
        return false;
    }
    return budget >= MIN_BUDGET || !tape.equals(tape.member(thinking, TYPE), ENABLED);
  }

  /**
   * Returns whether the request continues a tool loop whose assistant turn has no signed thinking: with a budget Anthropic
   * rejects it with 400 ("Expected `thinking` or `redacted_thinking`, but found `tool_use`").
   */
  private isInUnsignedLoop(): bool {
    const request = this.request;
    let calls = false;
    for (let i = request.blocks.count; i > 0; i--) {
      const block = request.block(i - 1);
      if (block.role == ROLE_USER) {
        // After the last turn of the assistant.
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
