// Writes what a model samples with, which depends on how much it reasons: the same in both APIs.
import { EFFORT_NONE, EFFORT_UNSET, HubRequest } from "../../hub/request/request";
import { nearestEffort } from "../../hub/request/request-effort";
import { EffortPlan } from "../../hub/request/request-fitting";
import { readDecimal } from "../../hub/request/request-number";
import { RequestLimits, RequestReport } from "../../hub/request/request-report";
import { writeMember } from "../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";

/** Decides the effort before anything is written. `hasTools`: whether tools may exclude reasoning. */
export function planEffort(
  request: HubRequest,
  hasTools: bool,
  limits: RequestLimits,
  efforts: EffortPlan,
  report: RequestReport,
): void {
  // A model that does not reason, or of which nothing is known, responds without thinking by default.
  const wanted = request.effort;
  const isAsked = wanted != EFFORT_NONE || limits.knowsEfforts;
  const nearest = isAsked ? nearestEffort(limits.efforts, wanted) : EFFORT_UNSET;
  efforts.plan(wanted, nearest, hasTools, limits);
  if (efforts.isOther)
    report.dropForModel(request.isEffortThinking ? report.paths.thinking : report.paths.effort);
}

/** Writes a value as it is, or drops it if the target does not support it. */
export function writeLimited(
  request: HubRequest,
  node: u32,
  name: Span,
  path: Span,
  isTaken: bool,
  out: ByteBuffer,
  report: RequestReport,
): void {
  if (!request.tape.isPresent(node)) return;
  if (isTaken) writeMember(request.tape, node, name, out);
  else report.dropForModel(path);
}

/** `isFree`: whether the model supports sampling parameters at the planned effort. */
export function writeSampling(
  request: HubRequest,
  isFree: bool,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  // The defaults are the same in every API, and ask for nothing.
  if (isFree || readDecimal(tape, request.temperature) != 1)
    writeLimited(
      request,
      request.temperature,
      constant(',"temperature":'),
      constant("temperature"),
      isFree,
      out,
      report,
    );
  const supportsTopP =
    isFree && (limits.supportsBothSampling || !tape.isPresent(request.temperature));
  if (supportsTopP || readDecimal(tape, request.topP) != 1)
    writeLimited(
      request,
      request.topP,
      constant(',"top_p":'),
      constant("top_p"),
      supportsTopP,
      out,
      report,
    );
}
