// The response of a provider whose dialect is not the client's: translated whole or event by event, with its headers.
import { wasRefused } from "../memory/blocks";
import { Target } from "../config/target";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { ResponseOptions, ResponseTranslator } from "../dialects/translate-response";
import { ProviderDialect } from "../dialects/provider-dialect";
import { respondWithFault, JSON_TYPE, EVENT_STREAM_TYPE } from "../exchange/respond";
import { Exchange } from "../exchange/exchange";
import { requestId } from "../exchange/request-id";
import { Response, ResponsePhase } from "../exchange/response";
import {
  currentSeconds,
  removeHeader,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../host/host";
import {
  CONTENT_LENGTH as RESPONSE_LENGTH,
  CONTENT_TYPE as RESPONSE_TYPE,
  requestIdOf,
} from "../exchange/response-head";
import { CONTINUE, STOP } from "../host/status";
import { ByteBuffer, constant, sameSpan, scratchBuffer } from "../bytes/text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE, STATUS } from "../exchange/header-names";
import { replaceBytes, replaceMasked, takeBytes } from "./body";
import { maskFault } from "./mask-credentials";
import { setCostHeader } from "./cost-header";
import { setDroppedHeader } from "./dropped-header";

const COMMA: u32 = 0x2c;

const out = scratchBuffer();

/** Starts the response. The head of a stream is held until its first event, a complete response until its end. */
export function onTranslatedHead(exchange: Exchange): i32 {
  const target = exchange.target;
  if (target === null) return CONTINUE;
  const client = exchange.client;
  const response = exchange.response;
  const isWhole = !client.isStreaming;
  response.phase = isWhole ? ResponsePhase.TranslatedWhole : ResponsePhase.TranslatedHead;
  // A complete response gets its new length at its end, unless the head leaves first so that Envoy may retry.
  if (RESPONSE_LENGTH.length > 0 && (!isWhole || exchange.runsUpstream()))
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  const type = isWhole ? JSON_TYPE : EVENT_STREAM_TYPE;
  if (!sameSpan(RESPONSE_TYPE, type)) setHeader(RESPONSE_HEADERS, CONTENT_TYPE, type);
  copyRequestId(target.dialect, client.dialect);
  response.translator = newTranslator(exchange, target);
  return STOP;
}

function newTranslator(exchange: Exchange, target: Target): ResponseTranslator {
  const client = exchange.client;
  const response = exchange.response;
  const options = new ResponseOptions();
  options.from = target.dialect;
  options.to = client.dialect;
  options.isStreaming = client.isStreaming;
  options.wantsUsage = response.wantsUsage;
  options.created = currentSeconds();
  options.clock = currentSeconds;
  options.requestId = requestId(exchange);
  options.model = exchange.modelText(target);
  options.notes = response.notes;
  options.seeksToken = exchange.isObserved;
  options.countsText = exchange.tally !== null;
  return new ResponseTranslator(options);
}

/**
 * Writes a fault as the stream that the client asked for, if its dialect expects that, and makes the head one of a stream.
 * The bytes are in `buffer`; `fault` has been adapted.
 */
export function streamFault(exchange: Exchange, fault: Fault, buffer: ByteBuffer): bool {
  const target = exchange.target;
  const client = exchange.client;
  if (target === null || !client.isStreaming || !client.dialect.streamsFault(fault)) return false;
  const translator = newTranslator(exchange, target);
  translator.fail(fault, buffer);
  translator.release();
  setHeaderNumber(RESPONSE_HEADERS, STATUS, 200);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, EVENT_STREAM_TYPE);
  return true;
}

export function onTranslatedStreamBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const response = exchange.response;
  const translator = response.translator;
  if (translator === null) return CONTINUE;
  translateChunk(exchange, translator, size, isEnd);
  const fault = faultOf(response, translator);
  if (response.phase == ResponsePhase.TranslatedHead) {
    // A provider that fails before its first event is reported by the status, which SDKs act on.
    const dialect = exchange.client.dialect;
    if (fault !== null && !translator.hasWritten && !dialect.streamsFault(fault)) {
      dialect.adaptFault(fault);
      respondWithFault(exchange, maskFault(exchange, fault));
      return STOP;
    }
    if (out.length == 0 && !isEnd) return STOP;
  }
  response.phase = isEnd ? ResponsePhase.Done : ResponsePhase.TranslatedStream;
  return CONTINUE;
}

/** Returns why the response has failed, or null. What unwraps a stream knows the status better than its error event. */
function faultOf(response: Response, translator: ResponseTranslator): Fault | null {
  const unwrapper = response.unwrapper;
  if (unwrapper !== null && unwrapper.fault !== null) return unwrapper.fault;
  return translator.fault;
}

export function onTranslatedWholeBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  const translator = exchange.response.translator;
  if (translator === null) return CONTINUE;
  return isEnd ? translateWhole(exchange, translator, size) : STOP;
}

function translateChunk(
  exchange: Exchange,
  translator: ResponseTranslator,
  size: u32,
  endsHere: bool,
): void {
  out.clear();
  if (size > 0 && !translator.isOver) {
    const bytes = takeBytes(0, size);
    if (bytes.pointer == 0) translator.lose(out);
    else translator.push(bytes.pointer, bytes.length, out);
  }
  if (endsHere) translator.end(out);
  if (translator.hasToken) exchange.noteToken();
  replace(exchange, translator, size);
}

function translateWhole(exchange: Exchange, translator: ResponseTranslator, size: u32): i32 {
  const bytes = takeBytes(0, size);
  if (wasRefused()) {
    respondWithFault(exchange, outOfMemory("response"));
    return STOP;
  }
  out.clear();
  const status = translator.complete(bytes.pointer, bytes.length, out);
  const fault = translator.fault;
  if (status != 200) setHeaderNumber(RESPONSE_HEADERS, STATUS, status);
  if (fault !== null && fault.retryAfter > 0)
    setHeaderNumber(RESPONSE_HEADERS, constant("retry-after"), fault.retryAfter);
  if (translator.dropped.total > 0) {
    const dropped = exchange.response.dropped;
    if (dropped.length > 0) dropped.byte(COMMA);
    dropped.text(translator.dropped.names());
    setDroppedHeader(exchange);
  }
  if (fault === null) setCostHeader(exchange);
  replace(exchange, translator, size);
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  exchange.response.phase = ResponsePhase.Done;
  return CONTINUE;
}

/** Replaces the body by what was translated. */
function replace(exchange: Exchange, translator: ResponseTranslator, size: u32): void {
  if (translator.fault !== null) replaceMasked(exchange, size, out);
  else replaceBytes(size, out);
}

/** Each SDK reads the provider's request id from a header of its own dialect. */
export function copyRequestId(from: ProviderDialect, to: ProviderDialect): void {
  if (requestIdOf(to).length > 0) return;
  const id = requestIdOf(from);
  if (id.length > 0) setHeader(RESPONSE_HEADERS, to.requestIdHeader, id);
}
