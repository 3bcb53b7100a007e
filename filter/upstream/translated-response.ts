// The response of a provider whose dialect is not the client's: held or streamed, translated, its headers made to fit.
import { freeBlock, wasRefused } from "../memory/blocks";
import { outOfMemory } from "../hub/fault";
import { ResponseOptions, ResponseTranslator } from "../dialects/translate-response";
import { Dialect } from "../dialects/dialect";
import { answerFault, JSON_TYPE } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import { requestId } from "../exchange/request-id";
import {
  currentSeconds,
  removeHeader,
  replaceBodyPrefix,
  RESPONSE_BODY,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
  takeBody,
} from "../host/host";
import {
  CONTENT_LENGTH as RESPONSE_LENGTH,
  CONTENT_TYPE as RESPONSE_TYPE,
  requestIdOf,
} from "../exchange/response-head";
import { CONTINUE, STOP } from "../host/status";
import { constant, sameSpan, scratchBuffer } from "../bytes/text/bytes";
import { tellDropped } from "./dropped-header";
import { CONTENT_LENGTH, CONTENT_TYPE, STATUS } from "./header-names";
import { maskBuffer, maskFault } from "./mask-credentials";

const EVENT_STREAM_TYPE = constant("text/event-stream; charset=utf-8");

const RETRY_AFTER = constant("retry-after");

const out = scratchBuffer();

/** Starts the response. A stream goes on with its first event; anything else is held until it is whole. */
export function foreignHeaders(exchange: Exchange): i32 {
  const target = exchange.target;
  if (target === null) return CONTINUE;
  const isWhole = !exchange.isStreaming;
  // A whole response gets its new length at its end, unless its head is let go before, for another attempt.
  if (RESPONSE_LENGTH.length > 0 && (!isWhole || exchange.isSplit()))
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  const type = isWhole ? JSON_TYPE : EVENT_STREAM_TYPE;
  if (!sameSpan(RESPONSE_TYPE, type)) setHeader(RESPONSE_HEADERS, CONTENT_TYPE, type);
  copyRequestId(target.dialect, exchange.dialect);
  const options = new ResponseOptions();
  options.from = target.dialect;
  options.to = exchange.dialect;
  options.isStreaming = exchange.isStreaming;
  options.wantsUsage = exchange.wantsUsage;
  options.created = currentSeconds();
  options.requestId = requestId(exchange);
  options.model = target.modelText;
  exchange.translator = new ResponseTranslator(options);
  exchange.isHeadHeld = exchange.isStreaming;
  return STOP;
}

export function foreignBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const translator = exchange.translator;
  exchange.isResponseOver = endsHere;
  if (translator === null) return CONTINUE;
  if (!exchange.isStreaming) return endsHere ? translateWhole(exchange, translator, size) : STOP;
  translateChunk(exchange, translator, size, endsHere);
  return exchange.isHeadHeld ? releaseHead(exchange, translator, endsHere) : CONTINUE;
}

/** Lets a stream's head go with its first event; a provider that fails before is told by the status, which SDKs act on. */
function releaseHead(exchange: Exchange, translator: ResponseTranslator, endsHere: bool): i32 {
  const fault = translator.fault;
  if (fault !== null && !translator.hasWritten) {
    exchange.dialect.adaptFault(fault);
    answerFault(exchange, maskFault(exchange, fault));
    return STOP;
  }
  if (out.length == 0 && !endsHere) return STOP;
  exchange.isHeadHeld = false;
  return CONTINUE;
}

function translateChunk(
  exchange: Exchange,
  translator: ResponseTranslator,
  size: u32,
  endsHere: bool,
): void {
  out.clear();
  if (size > 0 && !translator.isOver) {
    const bytes = takeBody(RESPONSE_BODY, 0, size);
    if (bytes.pointer == 0) translator.lose(out);
    else translator.push(bytes.pointer, bytes.length, out);
    freeBlock(bytes.pointer);
  }
  if (endsHere) translator.end(out);
  if (translator.fault !== null) maskBuffer(exchange, out);
  replaceBodyPrefix(RESPONSE_BODY, size, out);
}

function translateWhole(exchange: Exchange, translator: ResponseTranslator, size: u32): i32 {
  const bytes = takeBody(RESPONSE_BODY, 0, size);
  if (wasRefused()) {
    answerFault(exchange, outOfMemory("response"));
    return STOP;
  }
  out.clear();
  const status = translator.complete(bytes.pointer, bytes.length, out);
  const fault = translator.fault;
  if (fault !== null) maskBuffer(exchange, out);
  freeBlock(bytes.pointer);
  if (status != 200) setHeaderNumber(RESPONSE_HEADERS, STATUS, status);
  if (fault !== null && fault.retryAfter > 0)
    setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, fault.retryAfter);
  if (translator.dropped.total > 0) {
    if (exchange.dropped.length > 0) exchange.dropped.byte(0x2c);
    exchange.dropped.text(translator.dropped.names());
    tellDropped(exchange);
  }
  replaceBodyPrefix(RESPONSE_BODY, size, out);
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  return CONTINUE;
}

/** Each SDK reads the provider's request id from a header of its own dialect. */
export function copyRequestId(from: Dialect, to: Dialect): void {
  if (requestIdOf(to).length > 0) return;
  const id = requestIdOf(from);
  if (id.length > 0) setHeader(RESPONSE_HEADERS, to.requestIdHeader, id);
}
