// A client's request in one dialect becomes a provider's in another: read into the hub, written from it.
import { ChatRequest } from "../hub/request";
import { RequestLimits, RequestReport } from "../hub/request-report";
import { Tape } from "../bytes/json/tape";
import { ByteBuffer, Span } from "../bytes/text/bytes";
import { Dialect } from "./dialect";

const request = new ChatRequest();

/**
 * Appends the whole translated body to `out`, or leaves `report.fault`: then `out` is of no use.
 * `model`: the provider's name of the model, a JSON string with its quotes. `systemPrompt`: the configured one, the
 * inside of a JSON string, empty when there is none; it goes before the client's own.
 */
export function translateRequest(
  tape: Tape,
  from: Dialect,
  to: Dialect,
  model: Span,
  systemPrompt: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  report.reset(limits.strict, to.api, to.supporter);
  request.reset(tape);
  from.readRequest(tape, request, report);
  if (report.fault === null) to.writeRequest(request, model, systemPrompt, limits, out, report);
  request.forget();
}
