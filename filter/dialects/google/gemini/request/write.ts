// Writes a request of the hub for Gemini. What becomes of each member: members.ts.
// @see https://ai.google.dev/api/generate-content
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_NONE,
  FORMAT_TEXT,
  HubRequest,
} from "../../../../hub/request/request";
import { fitToolChoice } from "../../../../hub/request/request-fitting";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { formatSentence, writeChosenTool } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { writeContents } from "./write-contents";
import { writeGenerationConfig } from "./write-generation-config";
import { hasSystem, writeSystemParts } from "./write-system";
import { writeTools } from "./write-tools";

const CALLING = constant(',"toolConfig":{"functionCallingConfig":{"mode":"');

const NOTHING = new Span(0, 0);

export function writeRequest(
  request: HubRequest,
  systemPrompt: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  fitToolChoice(request, limits, constant("tool_choice"), report);
  const supportsFormat = isFormatSupported(request, limits);
  const instruction = supportsFormat ? NOTHING : formatSentence(request);
  if (!supportsFormat) report.dropForModel(report.paths.format);
  const hasInstruction = hasSystem(request, systemPrompt, instruction);
  writeContents(request, systemPrompt, instruction, limits, out, report);
  if (report.fault !== null) return;
  if (hasInstruction && limits.supportsSystemRole) {
    out.text(',"systemInstruction":{"parts":[');
    writeSystemParts(request, systemPrompt, instruction, out);
    out.text("]}");
  }
  if (writeTools(request, limits, out, report)) writeToolChoice(request, limits, out);
  if (request.tape.isString(request.user)) report.drop(report.paths.user);
  writeGenerationConfig(request, supportsFormat, limits, out, report);
  out.byte(0x7d);
}

/** Returns whether the output format is enforced: models before Gemini 3 reject one beside tools. */
function isFormatSupported(request: HubRequest, limits: RequestLimits): bool {
  if (request.outputFormat == FORMAT_TEXT) return true;
  return limits.supportsOutputSchema && (limits.signsCalls || request.tools.count == 0);
}

/** Writes the choice behind the tools; the model chooses by default. */
function writeToolChoice(request: HubRequest, limits: RequestLimits, out: ByteBuffer): void {
  const choice = request.toolChoice;
  if (choice == CHOICE_NAMED) {
    out.span(CALLING);
    out.text('ANY","allowedFunctionNames":[');
    writeChosenTool(request, out);
    out.text("]}}");
  } else if (choice == CHOICE_ANY || choice == CHOICE_NONE) {
    out.span(CALLING);
    out.span(choice == CHOICE_ANY ? constant('ANY"}}') : constant('NONE"}}'));
  } else if (limits.signsCalls && isStrict(request)) {
    out.span(CALLING);
    out.text('VALIDATED"}}');
  }
}

/** Returns whether a tool is strict: then calls must match their schemas. */
function isStrict(request: HubRequest): bool {
  for (let i: u32 = 0; i < request.tools.count; i++) {
    if (request.tool(i).isStrict != 0) return true;
  }
  return false;
}
