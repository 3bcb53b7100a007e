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

const OPEN = constant('{"model":');
const MAX_TOKENS = constant(',"max_output_tokens":');
const REASONING = constant(',"reasoning":{"effort":"');
const SUMMARY = constant(',"summary":"auto"');
const DISPLAY = constant("display");
const OMITTED = constant("omitted");
const TEXT = constant(',"text":{');
const FORMAT_OBJECT = constant('"format":{"type":"json_object"}');
const FORMAT_OPEN = constant('"format":{"type":"json_schema","name":');
const SCHEMA_NAME = constant('"response"');
const STRICT = constant(',"strict":true}');
const NOT_STRICT = constant(',"strict":false}');
const VERBOSITY = constant('"verbosity":');
const USER = constant(',"safety_identifier":');
const HASHED_USER = constant("user_");
const METADATA = constant(',"metadata":');
const TIER = constant(',"service_tier":');
const DEFAULT_TIER = constant(',"service_tier":"default"');
const STREAM = constant(',"stream":true');
/** Chat completions and messages store nothing by default, the Responses API stores everything. */
const STORE = constant(',"store":true');
const NO_STORE = constant(',"store":false');
/** Without a stored response the client has to carry the model's reasoning to its next turn. A model without any: 400. */
const INCLUDE = constant(',"include":["reasoning.encrypted_content"]');

const TIER_PATH = constant("service_tier");
const TOOL_CHOICE_PATH = constant("tool_choice");
const TOP_K_PATH = constant("top_k");

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
  out.span(OPEN);
  out.span(model);
  fitToolChoice(request, limits, TOOL_CHOICE_PATH, report);
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
  if (request.serviceTier == SERVICE_STANDARD) out.span(DEFAULT_TIER);
  const features = request.features;
  if (!features.isEmpty) {
    writeFeatures(request, member.request, limits, out, report);
    writeMember(tape, features.node(feature.METADATA), METADATA, out);
    writeTier(tape, features.node(feature.SERVICE_TIERS), out, report);
  }
  const isStored = tape.isTrue(features.node(feature.STORE));
  out.span(isStored ? STORE : NO_STORE);
  if (isReasoningModel(efforts.effort, limits)) out.span(INCLUDE);
  if (request.isStreaming) out.span(STREAM);
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
  out.span(MAX_TOKENS);
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
  if (tape.isPresent(request.topK)) report.drop(TOP_K_PATH);
}

function writeReasoning(request: HubRequest, out: ByteBuffer): void {
  if (efforts.effort == EFFORT_UNSET) return;
  const tape = request.tape;
  out.span(REASONING);
  out.span(effortWord(efforts.effort));
  out.byte(0x22);
  let display = request.features.node(feature.THINKING_DISPLAY);
  if (display == NO_NODE) display = tape.member(request.thinking, DISPLAY);
  const isHidden = tape.equals(display, OMITTED);
  if (efforts.effort != EFFORT_NONE && !isHidden) out.span(SUMMARY);
  out.byte(0x7d);
}

/** Words of other providers, such as Groq's `on_demand`, are rejected: "Invalid value". */
function writeTier(tape: Tape, node: u32, out: ByteBuffer, report: RequestReport): void {
  if (!tape.isPresent(node)) return;
  if (isOpenaiTier(tape, node)) writeMember(tape, node, TIER, out);
  else report.drop(TIER_PATH);
}

function writeText(request: HubRequest, limits: RequestLimits, out: ByteBuffer): void {
  const verbosity = request.features.node(feature.VERBOSITY);
  const format = request.outputFormat;
  const hasFormat = format == FORMAT_JSON || format == FORMAT_SCHEMA;
  if (!hasFormat && verbosity == NO_NODE) return;
  out.span(TEXT);
  if (hasFormat) writeFormat(request, limits, out);
  if (verbosity != NO_NODE) {
    if (hasFormat) out.byte(0x2c);
    writeMember(request.tape, verbosity, VERBOSITY, out);
  }
  out.byte(0x7d);
}

function writeFormat(request: HubRequest, limits: RequestLimits, out: ByteBuffer): void {
  if (request.outputFormat == FORMAT_JSON || !limits.takesOutputSchema) {
    out.span(FORMAT_OBJECT);
    return;
  }
  out.span(FORMAT_OPEN);
  writeSchema(request, SCHEMA_NAME, out);
  out.span(isStrictSchema(request.tape, request.schema) ? STRICT : NOT_STRICT);
}

function writeUser(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  if (!tape.isString(request.user)) return;
  if (!limits.takesUser) {
    report.dropForModel(report.paths.user);
    return;
  }
  out.span(USER);
  const pointer = tape.pointer(request.user);
  const size = tape.size(request.user);
  if (size <= MAX_USER) {
    writeString(pointer, size, out);
    return;
  }
  out.byte(0x22);
  out.span(HASHED_USER);
  writeHash(pointer, size, out);
  out.byte(0x22);
}
