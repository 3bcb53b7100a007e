// Writes a request of the hub as chat completions. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/chat/create
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  CHOICE_NONE,
  CHOICE_UNSET,
  EFFORT_UNSET,
  FORMAT_JSON,
  FORMAT_TEXT,
  HubRequest,
  SERVICE_STANDARD,
} from "../../../../hub/request/request";
import { effortWord } from "../../../../hub/request/request-effort";
import { EffortPlan, fitMaxTokens, fitToolChoice } from "../../../../hub/request/request-fitting";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import {
  isStrictSchema,
  schemaInstruction,
  writeChosenTool,
  writeShortened,
  writeTool,
  writeToolCache,
  writeValue,
} from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { planEffort, writeLimited, writeSampling } from "../../write-sampling";
import { writeFeatures, writeSchema } from "../../write-values";
import * as member from "../members";
import { writeMessages } from "./write-messages";

const STOP = constant(',"stop":');

/** OpenAI: "Invalid 'user': string too long. Expected a string with maximum length 64". Claude Code's values are longer. */
const MAX_USER: u32 = 64;
/** `stop`: "Up to 4 sequences". */
const MAX_STOPS: u32 = 4;
const COMMA = constant(",");

const efforts = new EffortPlan();

export function writeRequest(
  request: HubRequest,
  model: Span,
  systemPrompt: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  out.text('{"model":');
  out.span(model);
  fitToolChoice(request, limits, constant("tool_choice"), report);
  planEffort(request, request.tools.count > 0, limits, efforts, report);
  const instruction = schemaInstruction(request, limits, report.paths.format, report);
  writeMessages(request, systemPrompt, instruction, limits, out, report);
  if (report.fault !== null) return;
  writeTools(request, limits, out, report);
  if (tape.isPresent(request.maxTokens)) {
    out.span(
      limits.usesMaxCompletionTokens
        ? constant(',"max_completion_tokens":')
        : constant(',"max_tokens":'),
    );
    fitMaxTokens(tape, request.maxTokens, limits, report.paths.maxTokens, out, report);
  }
  const isFree = efforts.isSamplingFree;
  writeSampling(request, isFree, limits, out, report);
  const supportsTopK = limits.supportsTopK && isFree;
  writeLimited(
    request,
    request.topK,
    constant(',"top_k":'),
    constant("top_k"),
    supportsTopK,
    out,
    report,
  );
  writeStop(request, limits, out, report);
  if (efforts.effort != EFFORT_UNSET) {
    out.text(',"reasoning_effort":"');
    out.span(effortWord(efforts.effort));
    out.byte(0x22);
  }
  writeFormat(request, limits, out);
  writeUser(request, limits, out, report);
  if (request.serviceTier == SERVICE_STANDARD) out.text(',"service_tier":"default"');
  if (!request.features.isEmpty) writeFeatures(request, member.request, limits, out, report);
  if (request.isStreaming) {
    out.text(',"stream":true');
    if (limits.supportsStreamUsage) out.text(',"stream_options":{"include_usage":true}');
  }
  out.byte(0x7d);
}

/** Writes the first MAX_STOPS sequences. */
function writeStop(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  const stop = request.stop;
  const path = report.paths.stop;
  if (!tape.isArray(stop) || !limits.supportsStop) {
    if (!tape.isArray(stop) || !tape.isEmpty(stop))
      writeLimited(request, stop, STOP, path, limits.supportsStop, out, report);
    return;
  }
  let count: u32 = 0;
  for (let item = tape.first(stop), end = tape.next(stop); item < end; item = tape.next(item)) {
    if (count == MAX_STOPS) {
      report.drop(path);
      break;
    }
    out.span(count == 0 ? STOP : COMMA);
    if (count++ == 0) out.byte(0x5b);
    writeValue(tape, item, out);
  }
  if (count > 0) out.byte(0x5d);
}

function writeTools(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  let count: u32 = 0;
  for (let i: u32 = 0; i < request.tools.count; i++) {
    if (request.tool(i).isAllowed == 0) continue;
    out.span(count++ == 0 ? constant(',"tools":[') : COMMA);
    writeFunction(request, i, limits, out, report);
  }
  if (count == 0) return;
  out.byte(0x5d);
  const choice = request.toolChoice;
  if (choice != CHOICE_UNSET) out.text(',"tool_choice":');
  if (choice == CHOICE_AUTO) out.text('"auto"');
  else if (choice == CHOICE_NONE) out.text('"none"');
  else if (choice == CHOICE_ANY) out.text('"required"');
  else if (choice == CHOICE_NAMED) {
    out.text('{"type":"function","function":{"name":');
    writeChosenTool(request, out);
    out.byte(0x7d);
    out.byte(0x7d);
  }
  if (request.forbidsParallelTools) out.text(',"parallel_tool_calls":false');
}

function writeFunction(
  request: HubRequest,
  index: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tool = request.tool(index);
  out.text('{"type":"function","function":{"name":');
  writeTool(request.tape, tool, constant(',"parameters":'), out);
  out.byte(0x7d);
  if (limits.supportsCacheControl) {
    writeToolCache(tool, out);
  } else if (tool.cacheLength > 0) {
    report.drop(report.paths.toolCache);
  }
  out.byte(0x7d);
}

function writeFormat(request: HubRequest, limits: RequestLimits, out: ByteBuffer): void {
  if (request.outputFormat == FORMAT_TEXT) return;
  if (request.outputFormat == FORMAT_JSON || !limits.supportsOutputSchema) {
    out.text(',"response_format":{"type":"json_object"}');
    return;
  }
  out.text(',"response_format":{"type":"json_schema","json_schema":{"name":');
  writeSchema(request, constant('"answer"'), out);
  out.span(
    isStrictSchema(request.tape, request.schema) ? constant(',"strict":true}') : constant("}"),
  );
  out.byte(0x7d);
}

function writeUser(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  if (!tape.isString(request.user)) return;
  if (!limits.supportsUser) {
    report.dropForModel(report.paths.user);
    return;
  }
  out.text(',"user":');
  writeShortened(tape.pointer(request.user), tape.size(request.user), MAX_USER, out);
}
