// Writes a request of the hub for Anthropic. Its members: members.ts.
// @see https://platform.claude.com/docs/en/api/messages/create
import { isBlank } from "../../../../bytes/json/blank";
import {
  Block,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_URL,
  BLOCK_TEXT,
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_NONE,
  CHOICE_UNSET,
  HubRequest,
  FLAG_IN_PLACE,
  FORMAT_SCHEMA,
  ROLE_SYSTEM,
  SERVICE_STANDARD,
} from "../../../../hub/request/request";
import { DOCUMENT_URLS } from "../../../../hub/request/features";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { fitMaxTokens, fitToolChoice } from "../../../../hub/request/request-fitting";
import {
  formatInstruction,
  writeChosenTool,
  writeCache,
  writeMember,
  writeShortened,
  writeTool,
  writeToolCache,
  writeValue,
} from "../../../../hub/request/request-writing";
import { SamplingPlan } from "../../../../hub/request/sampling-plan";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { ThinkingPlan } from "../../write-thinking";
import { openEnvelope } from "./envelope-edits";
import { prepareMessages, writeMessages } from "./write-messages";
import { declareCalledTools } from "./write-blocks";

const TEXT_BLOCK = constant('{"type":"text","text":"');
const CLOSE_STRING = constant('"');
const CHOICE_TYPE_NONE = constant(',"tool_choice":{"type":"none"');

const COMMA = constant(",");

const TOOL_CHOICE_PATH = constant("tool_choice");

/** `metadata.user_id`: maxLength 256. */
const MAX_USER: u32 = 256;

const plan = new ThinkingPlan();
const sampling = new SamplingPlan();

export function writeRequest(
  request: HubRequest,
  model: Span,
  systemPrompt: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  fitToolChoice(request, limits, TOOL_CHOICE_PATH, report);
  plan.make(request, limits, report);
  open(model, limits, out, report);
  out.text(',"max_tokens":');
  if (plan.maxTokens == 0)
    fitMaxTokens(tape, request.maxTokens, limits, report.paths.maxTokens, out, report);
  else out.integer(plan.maxTokens);
  prepareMessages(request, limits, report);
  writeSystem(request, systemPrompt, limits, out, report);
  writeMessages(request, limits, out, report);
  if (limits.envelope !== null) checkUrls(request, report);
  if (report.fault !== null) return;
  writeTools(request, limits, out, report);
  const hasFormat = request.outputFormat == FORMAT_SCHEMA && limits.supportsOutputSchema;
  plan.write(request, hasFormat, out);
  sampling.make(request, plan.isOn, limits, report);
  writeSampling(request, out);
  writeStop(request, limits, out, report);
  if (tape.isString(request.user)) {
    out.text(',"metadata":{"user_id":');
    writeShortened(tape.pointer(request.user), tape.size(request.user), MAX_USER, out);
    out.byte(0x7d);
  }
  if (request.serviceTier == SERVICE_STANDARD) out.text(',"service_tier":"standard_only"');
  if (request.isStreaming && hasStream(limits)) out.text(',"stream":true');
  out.byte(0x7d);
}

/** Writes the model, or what a cloud has instead. */
function open(model: Span, limits: RequestLimits, out: ByteBuffer, report: RequestReport): void {
  const envelope = limits.envelope;
  if (envelope !== null) {
    openEnvelope(envelope, out, report);
    return;
  }
  out.text('{"model":');
  out.span(model);
}

function hasStream(limits: RequestLimits): bool {
  const envelope = limits.envelope;
  return envelope === null || envelope.hasStream;
}

/** Rejects images and documents that a cloud would have to fetch. */
function checkUrls(request: HubRequest, report: RequestReport): void {
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const kind = request.block(i).kind;
    if (kind != BLOCK_IMAGE_URL && kind != BLOCK_DOCUMENT_URL) continue;
    const what = "has an image or document by URL, which " + report.notSupported(DOCUMENT_URLS);
    report.reject(report.paths.messages.toText(), what);
  }
}

/** Writes all system texts in order: one as a string, several or marked ones as blocks. */
function writeSystem(
  request: HubRequest,
  prompt: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const instruction = formatInstruction(request, limits, report);
  let count: u32 = (prompt.length > 0 ? 1 : 0) + (instruction.length > 0 ? 1 : 0);
  let isMarked = false;
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    if (!isTopText(block)) continue;
    count++;
    if (block.cacheLength > 0) isMarked = true;
  }
  if (count == 0) return;
  const isList = count > 1 || isMarked;
  out.text(',"system":');
  if (isList) out.byte(0x5b);
  writeSystemSpan(prompt, isList, out);
  let written = prompt.length > 0;
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    if (!isTopText(block)) continue;
    if (written) out.byte(0x2c);
    out.span(isList ? TEXT_BLOCK : CLOSE_STRING);
    out.bytes(block.text, block.textLength);
    out.span(CLOSE_STRING);
    if (isList) writeCache(block, out);
    if (isList) out.byte(0x7d);
    written = true;
  }
  if (written && instruction.length > 0) out.byte(0x2c);
  writeSystemSpan(instruction, isList, out);
  if (isList) out.byte(0x5d);
}

function isTopText(block: Block): bool {
  return (
    block.role == ROLE_SYSTEM && block.kind == BLOCK_TEXT && (block.flags & FLAG_IN_PLACE) == 0
  );
}

function writeSystemSpan(text: Span, isList: bool, out: ByteBuffer): void {
  if (text.length == 0) return;
  out.span(isList ? TEXT_BLOCK : CLOSE_STRING);
  out.bytes(text.pointer, text.length);
  out.span(CLOSE_STRING);
  if (isList) out.byte(0x7d);
}

function writeTools(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  let count: u32 = 0;
  for (let i: u32 = 0; i < request.tools.count; i++) {
    const tool = request.tool(i);
    if (tool.isAllowed == 0) continue;
    if (tool.isStrict != 0 && limits.envelope !== null && !limits.supportsOutputSchema) {
      report.dropForModel(constant("tools[].strict"));
      tool.isStrict = 0;
    }
    out.span(count++ == 0 ? constant(',"tools":[') : COMMA);
    writeDeclaration(request, i, out);
  }
  if (count > 0) {
    out.byte(0x5d);
    writeToolChoice(request, out);
    return;
  }
  const isForced = request.toolChoice == CHOICE_ANY || request.toolChoice == CHOICE_NAMED;
  if (isForced) report.drop(TOOL_CHOICE_PATH);
  // Anthropic requires the tools of a conversation with tool calls; the client sends none, so the model may call none.
  if (declareCalledTools(request, out)) {
    out.span(CHOICE_TYPE_NONE);
    out.byte(0x7d);
  }
}

function writeDeclaration(request: HubRequest, index: u32, out: ByteBuffer): void {
  const tool = request.tool(index);
  out.text('{"name":');
  writeTool(request.tape, tool, constant(',"input_schema":'), out);
  writeToolCache(tool, out);
  out.byte(0x7d);
}

function writeToolChoice(request: HubRequest, out: ByteBuffer): void {
  const choice = request.toolChoice;
  if (choice == CHOICE_UNSET && !request.forbidsParallelTools) return;
  if (choice == CHOICE_NONE) out.span(CHOICE_TYPE_NONE);
  else if (choice == CHOICE_ANY) out.text(',"tool_choice":{"type":"any"');
  else if (choice == CHOICE_NAMED) {
    out.text(',"tool_choice":{"type":"tool","name":');
    writeChosenTool(request, out);
  } else out.text(',"tool_choice":{"type":"auto"');
  if (request.forbidsParallelTools && choice != CHOICE_NONE)
    out.text(',"disable_parallel_tool_use":true');
  out.byte(0x7d);
}

function writeSampling(request: HubRequest, out: ByteBuffer): void {
  if (sampling.hasTemperature) {
    out.text(',"temperature":');
    sampling.writeTemperature(request, out);
  }
  if (sampling.hasTopP) writeMember(request.tape, request.topP, constant(',"top_p":'), out);
  if (sampling.hasTopK) writeMember(request.tape, request.topK, constant(',"top_k":'), out);
}

function writeStop(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  const stop = request.stop;
  if (!tape.isPresent(stop)) return;
  let count: u32 = 0;
  let item = tape.isArray(stop) ? tape.first(stop) : stop;
  for (const end = tape.next(stop); item < end; item = tape.next(item)) {
    const isText = !tape.isString(item) || !isBlank(tape.pointer(item), tape.size(item));
    if (!limits.supportsStop || !isText) {
      report.drop(report.paths.stop);
      continue;
    }
    out.span(count++ == 0 ? constant(',"stop_sequences":[') : COMMA);
    writeValue(tape, item, out);
  }
  if (count > 0) out.byte(0x5d);
}
