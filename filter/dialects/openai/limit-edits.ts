// What both of OpenAI's APIs have in common of fitting a body to its model: the effort and the choice of a tool.
import { EFFORT_UNSET } from "../../hub/request/request";
import { effortWord, nearestEffort } from "../../hub/request/request-effort";
import { EffortPlan, isUnsupportedChoice } from "../../hub/request/request-fitting";
import { Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";
import { LimitEdits } from "../limit-edits";

const QUOTE = constant('"');

export abstract class OpenaiLimitEdits extends LimitEdits {
  protected efforts: EffortPlan = new EffortPlan();
  protected changesEffort: bool = false;

  /** Returns the kind of a choice that forces a call; CHOICE_UNSET for any other. */
  protected abstract forcedChoice(tape: Tape, node: u32): i32;

  /** Plans the effort; `path`: of its member. */
  protected planEffort(wanted: i32, hasTools: bool, path: Span): void {
    const limits = this.limits;
    const efforts = this.efforts;
    const nearest = limits.knowsEfforts ? nearestEffort(limits.efforts, wanted) : wanted;
    efforts.plan(wanted, nearest, hasTools, limits);
    this.changesEffort = efforts.effort != wanted;
    if (efforts.isOther || efforts.isRaised || efforts.isListed(this.report))
      this.report.dropForModel(path);
    this.allowsSampling = efforts.allowsSampling;
  }

  /** Whether the model supports no effort that could replace the client's. */
  protected get hasNoEffort(): bool {
    return this.changesEffort && this.efforts.effort == EFFORT_UNSET;
  }

  protected replaceEffort(node: u32): void {
    const edits = this.edits;
    edits.append(QUOTE);
    edits.append(effortWord(this.efforts.effort));
    edits.append(QUOTE);
    edits.replaceAppended(this.tape.outerStart(node), this.tape.outerEnd(node));
  }

  protected limitChoice(value: u32): void {
    if (!isUnsupportedChoice(this.forcedChoice(this.tape, value), this.limits)) return;
    this.replace(value, constant('"auto"'));
    this.report.dropForModel(constant("tool_choice"));
  }
}
