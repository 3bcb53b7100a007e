// Writes a request of the hub for the Responses API. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/responses/create
import {
  EFFORT_NONE,
  EFFORT_UNSET,
  FORMAT_JSON,
  FORMAT_SCHEMA,
  HubRequest,
  SERVICE_STANDARD,
} from "../../../../hub/request/request";
import { writeHash } from "../../../../hub/request/call-id";
import * as feature from "../../../../hub/request/features";
import { effortWord, thinkingAsEffort } from "../../../../hub/request/request-effort";
import {
  EffortPlan,
  fitMaxTokens,
  fitToolChoice,
  isReasoningModel,
} from "../../../../hub/request/request-fitting";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import {
  isStrictSchema,
  schemaInstruction,
  writeMember,
  writeString,
} from "../../../../hub/request/request-writing";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { isOpenaiTier } from "../../tier";
import { planEffort, writeSampling } from "../../write-sampling";
import { writeFeatures, writeSchema } from "../../write-values";
import * as member from "../members";
import { writeInput } from "./write-input";
import { writeTools } from "./write-tools";

/** Chat completions and messages store nothing by default, the Responses API stores everything. */
const STORE = constant(',"store":true');
/** Without a stored response the client has to carry the model's reasoning to its next turn. A model without any: 400. */
const INCLUDE = constant(',"include":["reasoning.encrypted_content"]');

/** "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16". */
const MIN_TOKENS: i64 = 16;
/** "Invalid 'safety_identifier': string too long. Expected a string with maximum length 64". */
const MAX_USER: u32 = 64;

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
  thinkingAsEffort(request);
  // Unlike chat completions, every model reasons beside tools here.
  planEffort(request, false, limits, efforts, report);
  const instruction = schemaInstruction(request, limits, report.paths.format, report);
  writeInput(request, systemPrompt, instruction, limits, out, report);
  if (report.fault !== null) return;
  writeTools(request, out, report);
  writeMaxTokens(request, limits, out, report);
  writeSampling(request, efforts.isSamplingFree, limits, out, report);
  dropUnsupported(request, report);
  writeReasoning(request, out);
  writeText(request, limits, out);
  writeUser(request, limits, out, report);
  if (request.serviceTier == SERVICE_STANDARD) out.text(',"service_tier":"default"');
  const features = request.features;
  if (!features.isEmpty) {
    writeFeatures(request, member.request, limits, out, report);
    writeMember(tape, features.node(feature.METADATA), constant(',"metadata":'), out);
    writeTier(tape, features.node(feature.SERVICE_TIERS), out, report);
  }
  const isStored = tape.isTrue(features.node(feature.STORE));
  out.span(isStored ? STORE : constant(',"store":false'));
  if (isReasoningModel(efforts.effort, limits)) out.span(INCLUDE);
  if (request.isStreaming) out.text(',"stream":true');
  out.byte(0x7d);
}

/** Clients probe with a single token, which the API rejects. */
function writeMaxTokens(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  if (!tape.isPresent(request.maxTokens)) return;
  out.text(',"max_output_tokens":');
  const count = readCount(tape, request.maxTokens);
  if (count > 0 && count < MIN_TOKENS) {
    out.integer(MIN_TOKENS);
    report.drop(report.paths.maxTokens);
  } else {
    fitMaxTokens(tape, request.maxTokens, limits, report.paths.maxTokens, out, report);
  }
}

/** The API has no stop sequences and no top_k. */
function dropUnsupported(request: HubRequest, report: RequestReport): void {
  const tape = request.tape;
  const hasStop = tape.isPresent(request.stop);
  if (hasStop && !(tape.isArray(request.stop) && tape.isEmpty(request.stop)))
    report.drop(report.paths.stop);
  if (tape.isPresent(request.topK)) report.drop(constant("top_k"));
}

function writeReasoning(request: HubRequest, out: ByteBuffer): void {
  if (efforts.effort == EFFORT_UNSET) return;
  const tape = request.tape;
  out.text(',"reasoning":{"effort":"');
  out.span(effortWord(efforts.effort));
  out.byte(0x22);
  let display = request.features.node(feature.THINKING_DISPLAY);
  if (display == NO_NODE) display = tape.member(request.thinking, constant("display"));
  const isHidden = tape.equals(display, constant("omitted"));
  if (efforts.effort != EFFORT_NONE && !isHidden) out.text(',"summary":"auto"');
  out.byte(0x7d);
}

/** Words of other providers, such as Groq's `on_demand`, are rejected: "Invalid value". */
function writeTier(tape: Tape, node: u32, out: ByteBuffer, report: RequestReport): void {
  if (!tape.isPresent(node)) return;
  if (isOpenaiTier(tape, node)) writeMember(tape, node, constant(',"service_tier":'), out);
  else report.drop(constant("service_tier"));
}

function writeText(request: HubRequest, limits: RequestLimits, out: ByteBuffer): void {
  const verbosity = request.features.node(feature.VERBOSITY);
  const format = request.outputFormat;
  const hasFormat = format == FORMAT_JSON || format == FORMAT_SCHEMA;
  if (!hasFormat && verbosity == NO_NODE) return;
  out.text(',"text":{');
  if (hasFormat) writeFormat(request, limits, out);
  if (verbosity != NO_NODE) {
    if (hasFormat) out.byte(0x2c);
    writeMember(request.tape, verbosity, constant('"verbosity":'), out);
  }
  out.byte(0x7d);
}

function writeFormat(request: HubRequest, limits: RequestLimits, out: ByteBuffer): void {
  if (request.outputFormat == FORMAT_JSON || !limits.supportsOutputSchema) {
    out.text('"format":{"type":"json_object"}');
    return;
  }
  out.text('"format":{"type":"json_schema","name":');
  writeSchema(request, constant('"response"'), out);
  out.span(
    isStrictSchema(request.tape, request.schema)
      ? constant(',"strict":true}')
      : constant(',"strict":false}'),
  );
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
  out.text(',"safety_identifier":');
  const pointer = tape.pointer(request.user);
  const size = tape.size(request.user);
  if (size <= MAX_USER) {
    writeString(pointer, size, out);
    return;
  }
  out.byte(0x22);
  out.text("user_");
  writeHash(pointer, size, out);
  out.byte(0x22);
}
