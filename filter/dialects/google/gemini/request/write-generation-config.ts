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

export function writeGenerationConfig(
  request: HubRequest,
  supportsFormat: bool,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const start = out.length;
  out.text(',"generationConfig":{');
  const opened = out.length;
  if (request.tape.isPresent(request.maxTokens)) {
    separate(out);
    out.text('"maxOutputTokens":');
    fitMaxTokens(request.tape, request.maxTokens, limits, report.paths.maxTokens, out, report);
  }
  const isFree = limits.supportsTemperature;
  writeLimited(
    request,
    request.temperature,
    constant('"temperature":'),
    constant("temperature"),
    isFree,
    out,
    report,
  );
  writeLimited(request, request.topP, constant('"topP":'), constant("top_p"), isFree, out, report);
  writeLimited(request, request.topK, constant('"topK":'), constant("top_k"), isFree, out, report);
  writeStop(request, limits, out, report);
  writeFeature(request, feature.SEED, constant('"seed":'), constant("seed"), limits, out, report);
  writeFeature(
    request,
    feature.PRESENCE_PENALTY,
    constant('"presencePenalty":'),
    constant("presence_penalty"),
    limits,
    out,
    report,
  );
  writeFeature(
    request,
    feature.FREQUENCY_PENALTY,
    constant('"frequencyPenalty":'),
    constant("frequency_penalty"),
    limits,
    out,
    report,
  );
  if (supportsFormat && request.outputFormat != FORMAT_TEXT) writeFormat(request, limits, out);
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
  if (!limits.supportsStop) {
    report.dropForModel(report.paths.stop);
    return;
  }
  separate(out);
  out.text('"stopSequences":');
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
  out.text('"responseMimeType":"application/json"');
  if (request.outputFormat != FORMAT_SCHEMA) return;
  if (limits.supportsJsonSchema) {
    out.text(',"responseJsonSchema":');
    writeValue(request.tape, request.schema, out);
  } else {
    out.text(',"responseSchema":');
    writeOldSchema(request.tape, request.schema, out);
  }
}
