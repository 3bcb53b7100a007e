// Fits a request to what the model supports: for the request writers, and for the edits of a body that keeps its dialect.
import { readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";
import { CHOICE_ANY, CHOICE_NAMED, EFFORT_NONE, EFFORT_UNSET } from "./request";
import { isOtherEffort } from "./request-effort";
import { FORCED_ALL, FORCED_NAMED, RequestLimits, RequestReport } from "./request-report";

/** Returns whether the client asks for more output tokens than the model can return. */
export function isTooMany(tape: Tape, node: u32, limits: RequestLimits): bool {
  return limits.highestMaxTokens != 0 && readCount(tape, node) > <i64>limits.highestMaxTokens;
}

/** Returns whether the model rejects a choice of this kind (CHOICE_). */
export function isUnsupportedChoice(choice: i32, limits: RequestLimits): bool {
  if (limits.forcedTools == FORCED_ALL) return false;
  return choice == CHOICE_ANY || (choice == CHOICE_NAMED && limits.forcedTools != FORCED_NAMED);
}

/** The effort that a chat completions model is asked for, and what follows from it. Decided before anything is written. */
export class EffortPlan {
  /** EFFORT_UNSET: the request has no effort. */
  effort: i32 = EFFORT_UNSET;
  /** Whether the model reasons less than the client asked for, or although the client asked for none. */
  isOther: bool = false;
  /** Whether the model reasons more than the client asked for. */
  isRaised: bool = false;
  /** Whether the model must be asked not to reason, because it does not reason beside tools. */
  isForced: bool = false;
  /** Whether the model supports sampling parameters at this effort. */
  allowsSampling: bool = true;

  /** `nearest`: the effort to ask for, if the model does not reject it beside tools. */
  plan(wanted: i32, nearest: i32, hasTools: bool, limits: RequestLimits): void {
    this.effort = nearest;
    this.isOther = isOtherEffort(wanted, nearest);
    this.isRaised = wanted > EFFORT_NONE && nearest > wanted;
    this.isForced = hasTools && mustNotReason(nearest, limits);
    if (this.isForced) {
      this.isOther = wanted > EFFORT_NONE;
      this.effort = EFFORT_NONE;
    }
    const dependsOnEffort = limits.samplesWithoutReasoning && reasons(this.effort, limits);
    this.allowsSampling = limits.supportsTemperature && !dependsOnEffort;
  }

  /** Returns whether reasoning is turned off for a client that has not mentioned it: no reason to reject a strict request. */
  isListed(report: RequestReport): bool {
    return this.isForced && !report.isStrict;
  }

  /** Another member than the effort turns thinking off. */
  switchOff(limits: RequestLimits): void {
    this.effort = EFFORT_UNSET;
    this.isOther = false;
    this.isRaised = false;
    this.isForced = false;
    this.allowsSampling = limits.supportsTemperature;
  }
}

/** Returns whether the model can reason. If nothing is known of it, only an effort in the request shows that it can. */
export function isReasoningModel(planned: i32, limits: RequestLimits): bool {
  if (!limits.knowsEfforts) return planned > EFFORT_NONE;
  return limits.efforts != 0 || limits.reasonsByDefault;
}

/** Returns whether a model that does not reason with tools must be asked not to reason. */
function mustNotReason(planned: i32, limits: RequestLimits): bool {
  if (limits.supportsReasoningWithTools || !limits.supportsEffort(EFFORT_NONE)) return false;
  return reasons(planned, limits);
}

/** Returns whether the model reasons at this effort. */
function reasons(planned: i32, limits: RequestLimits): bool {
  return planned == EFFORT_UNSET ? limits.reasonsByDefault : planned != EFFORT_NONE;
}
