// Same dialect on both sides: what the target's limits ask of the client's body, as edits of single members. Everything
// else passes byte for byte. Not to be called for a target without limits (`isLimiting`).
import { RequestLimits, RequestReport } from "../hub/request-report";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { Dialect } from "./dialect";

const MESSAGES = constant("messages");

/**
 * Adds to `edits` what the limits ask; what is taken out is counted in `report`, or refused there when they are strict.
 * `systemPrompt` is the configured one, the inside of a JSON string. Answers the text that is still to be put before the
 * client's own system text: the prompt, and what stands for an output format that the model does not take.
 */
export function limitRequest(
  tape: Tape,
  dialect: Dialect,
  limits: RequestLimits,
  systemPrompt: Span,
  edits: Edits,
  report: RequestReport,
): Span {
  report.reset(limits.strict, dialect.api, dialect.supporter);
  // Without messages it is no request, and there might be nothing left of it.
  if (tape.member(0, MESSAGES) == NO_NODE) return systemPrompt;
  return dialect.limitRequest(tape, limits, systemPrompt, edits, report);
}
