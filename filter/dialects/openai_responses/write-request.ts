// Writes a request of the hub for the Responses API. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/responses/create
import { HubRequest } from "../../hub/request";
import { RequestLimits, RequestReport } from "../../hub/request-report";
import { ByteBuffer, Span } from "../../bytes/text/bytes";

export function writeRequest(
  _request: HubRequest,
  _model: Span,
  _systemPrompt: Span,
  _limits: RequestLimits,
  _out: ByteBuffer,
  report: RequestReport,
): void {
  report.reject("input", "cannot be written yet.");
}
