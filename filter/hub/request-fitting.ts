// What the request writers, and the edits of a body that keeps its dialect, fit to the model's limits.
import { readCount } from "../bytes/json/number";
import { Tape } from "../bytes/json/tape";
import { ByteBuffer, Span } from "../bytes/text/bytes";
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  ChatRequest,
  EFFORT_NONE,
  EFFORT_UNSET,
} from "./request";
import { FORCED_ALL, FORCED_NAMED, RequestLimits, RequestReport } from "./request-report";
import { writeValue } from "./request-writing";

/** Whether the model can answer with that many tokens at most, and the client asks for more. */
export function isTooMany(tape: Tape, node: u32, limits: RequestLimits): bool {
  return limits.highestMaxTokens != 0 && readCount(tape, node) > <i64>limits.highestMaxTokens;
}

/** Writes the client's number of tokens, or the model's own highest, which is counted. */
export function fitMaxTokens(
  tape: Tape,
  node: u32,
  limits: RequestLimits,
  path: Span,
  out: ByteBuffer,
  report: RequestReport,
): void {
  if (isTooMany(tape, node, limits)) {
    out.integer(limits.highestMaxTokens);
    report.dropLimited(path);
  } else {
    writeValue(tape, node, out);
  }
}

/** Whether a choice of this kind (CHOICE_) is one that the model refuses. */
export function isRefusedChoice(choice: i32, limits: RequestLimits): bool {
  if (limits.forcedTools == FORCED_ALL) return false;
  return choice == CHOICE_ANY || (choice == CHOICE_NAMED && limits.forcedTools != FORCED_NAMED);
}

/** Leaves the choice to the model where it takes no other; that is counted. */
export function fitToolChoice(
  request: ChatRequest,
  limits: RequestLimits,
  path: Span,
  report: RequestReport,
): void {
  if (request.tools.count == 0 || !isRefusedChoice(request.toolChoice, limits)) return;
  request.toolChoice = CHOICE_AUTO;
  report.dropLimited(path);
}

/** Whether a model that does not reason with tools has to be told so. */
export function mustNotReason(planned: i32, limits: RequestLimits): bool {
  if (limits.takesReasoningWithTools || !limits.takesEffort(EFFORT_NONE)) return false;
  return reasons(planned, limits);
}

/** Whether the model reasons when it is asked for this effort. */
export function reasons(planned: i32, limits: RequestLimits): bool {
  return planned == EFFORT_UNSET ? limits.reasonsByDefault : planned != EFFORT_NONE;
}
