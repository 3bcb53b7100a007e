// Reads a Responses request into the hub. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/responses/create
import { HubRequest } from "../../hub/request";
import { RequestReport } from "../../hub/request-report";
import { Tape } from "../../bytes/json/tape";

export function readRequest(_tape: Tape, _request: HubRequest, report: RequestReport): void {
  report.reject("input", "cannot be read yet.");
}
