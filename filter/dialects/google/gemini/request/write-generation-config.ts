// Writes `generationConfig`: sampling, the length and form of the output, thinking.
// @see https://ai.google.dev/api/generate-content#generationconfig
import { FORMAT_SCHEMA, FORMAT_TEXT, HubRequest } from "../../../../hub/request/request";
import { Feature } from "../../../../hub/request/feature";
import * as feature from "../../../../hub/request/features";
import { fitMaxTokens } from "../../../../hub/request/request-fitting";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { writeValue } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { separate } from "./write-parts";
import { writeOldSchema } from "./write-old-schema";
import { writeThinking } from "./write-thinking";

const OPEN = constant(',"generationConfig":{');
const MAX_TOKENS = constant('"maxOutputTokens":');
const TEMPERATURE = constant('"temperature":');
const TOP_P = constant('"topP":');
const TOP_K = constant('"topK":');
const SEED = constant('"seed":');
const PRESENCE = constant('"presencePenalty":');
const FREQUENCY = constant('"frequencyPenalty":');
const STOP = constant('"stopSequences":');
const JSON_TYPE = constant('"responseMimeType":"application/json"');
const JSON_SCHEMA = constant(',"responseJsonSchema":');
const OLD_SCHEMA = constant(',"responseSchema":');

const TEMPERATURE_PATH = constant("temperature");
const TOP_P_PATH = constant("top_p");
const TOP_K_PATH = constant("top_k");
const SEED_PATH = constant("seed");
const PRESENCE_PATH = constant("presence_penalty");
const FREQUENCY_PATH = constant("frequency_penalty");

export function writeGenerationConfig(
  request: HubRequest,
  takesFormat: bool,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const start = out.length;
  out.span(OPEN);
  const opened = out.length;
  if (request.tape.isPresent(request.maxTokens)) {
    separate(out);
    out.span(MAX_TOKENS);
    fitMaxTokens(request.tape, request.maxTokens, limits, report.paths.maxTokens, out, report);
  }
  const isFree = limits.takesTemperature;
  writeLimited(request, request.temperature, TEMPERATURE, TEMPERATURE_PATH, isFree, out, report);
  writeLimited(request, request.topP, TOP_P, TOP_P_PATH, isFree, out, report);
  writeLimited(request, request.topK, TOP_K, TOP_K_PATH, isFree, out, report);
  writeStop(request, limits, out, report);
  writeFeature(request, feature.SEED, SEED, SEED_PATH, limits, out, report);
  writeFeature(request, feature.PRESENCE_PENALTY, PRESENCE, PRESENCE_PATH, limits, out, report);
  writeFeature(request, feature.FREQUENCY_PENALTY, FREQUENCY, FREQUENCY_PATH, limits, out, report);
  if (takesFormat && request.outputFormat != FORMAT_TEXT) writeFormat(request, limits, out);
  writeThinking(request, limits, out, report);
  if (out.length == opened) out.length = start;
  else out.byte(0x7d);
}

function writeLimited(
  request: HubRequest,
  node: u32,
  name: Span,
  path: Span,
  isTaken: bool,
  out: ByteBuffer,
  report: RequestReport,
): void {
  if (!request.tape.isPresent(node)) return;
  if (!isTaken) {
    report.dropForModel(path);
    return;
  }
  separate(out);
  out.span(name);
  writeValue(request.tape, node, out);
}

function writeFeature(
  request: HubRequest,
  asked: Feature,
  name: Span,
  path: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const node = request.features.node(asked);
  writeLimited(request, node, name, path, !limits.isRefused(path), out, report);
}

function writeStop(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const tape = request.tape;
  const stop = request.stop;
  if (!tape.isPresent(stop) || (tape.isArray(stop) && tape.isEmpty(stop))) return;
  if (!limits.takesStop) {
    report.dropForModel(report.paths.stop);
    return;
  }
  separate(out);
  out.span(STOP);
  if (tape.isArray(stop)) {
    writeValue(tape, stop, out);
    return;
  }
  out.byte(0x5b);
  writeValue(tape, stop, out);
  out.byte(0x5d);
}

function writeFormat(request: HubRequest, limits: RequestLimits, out: ByteBuffer): void {
  separate(out);
  out.span(JSON_TYPE);
  if (request.outputFormat != FORMAT_SCHEMA) return;
  if (limits.takesJsonSchema) {
    out.span(JSON_SCHEMA);
    writeValue(request.tape, request.schema, out);
  } else {
    out.span(OLD_SCHEMA);
    writeOldSchema(request.tape, request.schema, out);
  }
}
