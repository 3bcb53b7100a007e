// Fits a Responses body that keeps its dialect to what the target's model supports.
import { CHOICE_ANY, CHOICE_NAMED, CHOICE_UNSET } from "../../../../hub/request/request";
import { effortOf } from "../../../../hub/request/request-effort";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { isReasoningModel } from "../../../../hub/request/request-fitting";
import { constant, Span } from "../../../../bytes/text/bytes";
import { ListEdit } from "../../../list-edit";
import { NO_NEUTRAL } from "../../../limit-edits";
import { OpenaiLimitEdits } from "../../limit-edits";
import { limitMessages } from "../../limit-message-edits";
import { request } from "../members";

const MAX_OUTPUT_TOKENS = constant("max_output_tokens");
const REASONING = constant("reasoning");
const EFFORT = constant("effort");
const TEXT = constant("text");
const FORMAT = constant("format");
const TYPE = constant("type");
const INCLUDE = constant("include");

const included = new ListEdit();

export class OpenaiResponsesLimitEdits extends OpenaiLimitEdits {
  constructor() {
    super(request);
  }

  protected plan(): void {
    const tape = this.tape;
    // An unknown word may be an effort of the model's own.
    const wanted = effortOf(tape, tape.member(tape.member(0, REASONING), EFFORT));
    // Unlike chat completions, every model reasons beside tools here.
    this.planEffort(wanted, false, constant("reasoning.effort"));
  }

  protected schemaOf(): u32 {
    const tape = this.tape;
    const format = tape.member(tape.member(0, TEXT), FORMAT);
    if (!tape.equals(tape.member(format, TYPE), constant("json_schema"))) return NO_NODE;
    const schema = tape.member(format, constant("schema"));
    return tape.isObject(schema) ? schema : NO_NODE;
  }

  protected isDropped(key: u32): bool {
    if (this.limits.supportsUser) return false;
    return (
      this.drops(key, constant("user"), NO_NEUTRAL) ||
      this.drops(key, constant("safety_identifier"), NO_NEUTRAL)
    );
  }

  protected change(key: u32): bool {
    const tape = this.tape;
    const value = key + 1;
    if (tape.equals(key, MAX_OUTPUT_TOKENS)) this.lowerTokens(key, MAX_OUTPUT_TOKENS);
    else if (this.changesEffort && tape.equals(key, REASONING)) return this.changeEffort(value);
    else if (tape.equals(key, constant("tool_choice"))) this.limitChoice(value);
    else if (tape.equals(key, INCLUDE)) this.limitIncluded(value);
    else if (this.schema != NO_NODE && tape.equals(key, TEXT)) {
      this.replace(tape.member(value, FORMAT), constant('{"type":"json_object"}'));
      this.report.dropForModel(constant("text.format"));
    }
    return false;
  }

  /** Returns whether nothing is left: a model without efforts supports none of the settings. */
  private changeEffort(reasoning: u32): bool {
    if (this.hasNoEffort) return true;
    this.replaceEffort(this.tape.member(reasoning, EFFORT));
    return false;
  }

  /** A model that does not reason returns 400 for encrypted reasoning. */
  private limitIncluded(list: u32): void {
    const tape = this.tape;
    const limits = this.limits;
    const isKnown = limits.knowsEfforts && tape.isArray(list);
    if (!isKnown || isReasoningModel(this.efforts.effort, limits)) return;
    included.begin(tape, list);
    const end = tape.next(list);
    for (let item = tape.first(list); item < end; item = tape.next(item)) {
      const isRemoved = tape.equals(item, constant("reasoning.encrypted_content"));
      if (isRemoved) this.report.dropForModel(INCLUDE);
      included.item(tape, item, isRemoved, this.edits);
    }
  }

  protected forcedChoice(tape: Tape, node: u32): i32 {
    if (tape.equals(node, constant("required"))) return CHOICE_ANY;
    const type = tape.member(node, TYPE);
    const isNamed =
      tape.equals(type, constant("function")) || tape.equals(type, constant("custom"));
    return isNamed ? CHOICE_NAMED : CHOICE_UNSET;
  }

  protected finish(systemText: Span): Span {
    const list = this.tape.member(0, constant("input"));
    const renames = !this.limits.supportsDeveloperRole;
    limitMessages(this.tape, list, renames, this.limits, this.edits, this.report);
    return systemText;
  }
}
