// Writes a request of the hub for Converse. The model is in the path.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
import { isBlank } from "../../../../bytes/json/blank";
import {
  BLOCK_TEXT,
  FORMAT_SCHEMA,
  HubRequest,
  ROLE_SYSTEM,
} from "../../../../hub/request/request";
import {
  FAMILY_CLAUDE,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { thinkingAsEffort } from "../../../../hub/request/request-effort";
import { fitMaxTokens, fitToolChoice } from "../../../../hub/request/request-fitting";
import {
  formatInstruction,
  writeClosedSchema,
  writeMember,
  writeValue,
} from "../../../../hub/request/request-writing";
import { SamplingPlan } from "../../../../hub/request/sampling-plan";
import { ThinkingPlan } from "../../../anthropic/write-thinking";
import { escape } from "../../../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { CachePoints } from "./cache-points";
import { writeText } from "./write-blocks";
import { excludesLimits, writeEffort, writeTopK } from "./write-extras";
import { MessagesWriter, prepareMessages } from "./write-messages";
import { writeMetadata, writeTier } from "./write-options";
import { ToolsWriter } from "./write-tools";

const MAX_TOKENS = constant(',"maxTokens":');
/** Which sequence ended the response: in a response, and in a stream. */
const STOP_SEQUENCE_FIELDS = constant(
  ',"additionalModelResponseFieldPaths":["/stop_sequence","/delta/stop_sequence"]',
);

const thinking = new ThinkingPlan();
const sampling = new SamplingPlan();
const points = new CachePoints();
/** Members of `additionalModelRequestFields` and of `inferenceConfig`, with a comma before each. */
const extras = scratchBuffer();
const inference = scratchBuffer();
const schema = scratchBuffer();
const tools = new ToolsWriter(points, extras);
const messages = new MessagesWriter(points);

export function writeRequest(
  request: HubRequest,
  systemPrompt: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  points.reset(limits);
  extras.clear();
  inference.clear();
  fitToolChoice(request, limits, constant("tool_choice"), report);
  writeReasoning(request, limits, report);
  prepareMessages(request, limits, report);
  out.byte(0x7b);
  writeSystem(request, systemPrompt, limits, out, report);
  tools.write(request, limits, out, report);
  messages.write(request, limits, out, report);
  if (report.fault !== null) return;
  writeStop(request, limits, report);
  writeObject(constant(',"inferenceConfig":{'), inference, out);
  writeObject(constant(',"additionalModelRequestFields":{'), extras, out);
  if (limits.family == FAMILY_CLAUDE && hasStop) out.span(STOP_SEQUENCE_FIELDS);
  if (request.outputFormat == FORMAT_SCHEMA && limits.supportsOutputSchema)
    writeSchema(request, out);
  writeTier(request, out, report);
  writeMetadata(request, out, report);
  if (request.tape.isString(request.user)) report.drop(report.paths.user);
  out.byte(0x7d);
}

/** Writes how much the model reasons into `extras`, and what that leaves of the other members into `inference`. */
function writeReasoning(request: HubRequest, limits: RequestLimits, report: RequestReport): void {
  const tape = request.tape;
  const isClaude = limits.family == FAMILY_CLAUDE;
  let isFree = true;
  if (isClaude) {
    if (tape.isObject(request.ownThinking)) request.thinking = request.ownThinking;
    thinking.make(request, limits, report);
    thinking.write(request, false, extras);
  } else {
    thinkingAsEffort(request);
    isFree = !excludesLimits(writeEffort(request, limits, extras, report), limits);
  }
  if (isClaude && thinking.needsMaxTokens) {
    inference.span(MAX_TOKENS);
    inference.integer(thinking.maxTokens);
  } else if (tape.isPresent(request.maxTokens)) {
    if (isFree) {
      inference.span(MAX_TOKENS);
      fitMaxTokens(tape, request.maxTokens, limits, report.paths.maxTokens, inference, report);
    } else {
      report.dropForModel(report.paths.maxTokens);
    }
  }
  // The model's maximum is the default of the API.
  if (!isClaude || !thinking.needsMaxTokens) report.defaultedMaxTokens = 0;
  if (!isFree) {
    if (tape.isPresent(request.temperature)) report.dropForModel(constant("temperature"));
    if (tape.isPresent(request.topP)) report.dropForModel(constant("top_p"));
    return;
  }
  sampling.make(request, isClaude && thinking.isOn, limits, report);
  if (sampling.hasTemperature) {
    inference.text(',"temperature":');
    sampling.writeTemperature(request, inference);
  }
  if (sampling.hasTopP) writeMember(tape, request.topP, constant(',"topP":'), inference);
  if (sampling.hasTopK) writeTopK(request, limits, extras, report);
}

/** Writes all system texts in order. */
function writeSystem(
  request: HubRequest,
  prompt: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const instruction = formatInstruction(request, limits, report);
  const start = out.length;
  out.text('"system":[');
  const empty = out.length;
  if (prompt.length > 0) writeText(prompt.pointer, prompt.length, out);
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    if (block.role != ROLE_SYSTEM || block.kind != BLOCK_TEXT) continue;
    if (isBlank(block.text, block.textLength)) continue;
    if (out.length > empty) out.byte(0x2c);
    writeText(block.text, block.textLength, out);
    points.write(block.cache, block.cacheLength, report.paths.cache, out, report);
  }
  if (instruction.length > 0) {
    if (out.length > empty) out.byte(0x2c);
    writeText(instruction.pointer, instruction.length, out);
  }
  if (out.length == empty) {
    out.length = start;
    return;
  }
  out.byte(0x5d);
  out.byte(0x2c);
}

/** Whether the request has stop sequences. */
let hasStop: bool = false;

function writeStop(request: HubRequest, limits: RequestLimits, report: RequestReport): void {
  const tape = request.tape;
  const stop = request.stop;
  hasStop = false;
  if (!tape.isPresent(stop)) return;
  let item = tape.isArray(stop) ? tape.first(stop) : stop;
  for (const end = tape.next(stop); item < end; item = tape.next(item)) {
    if (
      !limits.supportsStop ||
      !tape.isString(item) ||
      isBlank(tape.pointer(item), tape.size(item))
    ) {
      report.drop(report.paths.stop);
      continue;
    }
    inference.span(hasStop ? constant(",") : constant(',"stopSequences":['));
    writeValue(tape, item, inference);
    hasStop = true;
  }
  if (hasStop) inference.byte(0x5d);
}

/** Writes members as an object; nothing if there are none. */
function writeObject(name: Span, members: ByteBuffer, out: ByteBuffer): void {
  if (members.length == 0) return;
  out.span(name);
  out.bytes(members.pointer + 1, members.length - 1);
  out.byte(0x7d);
}

/** Writes the schema of the response, which is a string. */
function writeSchema(request: HubRequest, out: ByteBuffer): void {
  schema.clear();
  writeClosedSchema(request.tape, request.schema, schema);
  out.text(
    ',"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"',
  );
  escape(schema.pointer, schema.length, out);
  out.text('"}}}}');
}
