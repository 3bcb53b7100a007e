// The response on its way back: which responses need a hand, and what each one needs. All others pass untouched.
import { freeBlock, wasRefused } from "../memory/blocks";
import {
  HEADER_ENCODING,
  TRAILER_COMPRESSED_BYTES,
  TRAILER_DECOMPRESSED_BYTES,
} from "../../contract/words";
import { Fault } from "../hub/fault";
import {
  ALL,
  prependBody,
  property,
  removeHeader,
  replaceBodyPrefix,
  RESPONSE_BODY,
  RESPONSE_HEADERS,
  RESPONSE_TRAILERS,
  setHeader,
  setHeaderNumber,
  takeBody,
} from "../host/host";
import {
  CONTENT_ENCODING,
  CONTENT_TYPE as RESPONSE_TYPE,
  ENCODING,
  isCompressed,
  readResponseHead,
  STATUS,
} from "../exchange/response-head";
import { CONTINUE, STOP } from "../host/status";
import { answerFault, JSON_TYPE } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import { requestId, requestIdSpan } from "../exchange/request-id";
import { StreamUsageFilter } from "../dialects/openai_chat/strip-usage";
import { constant, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { tellDropped } from "./dropped-header";
import { answerInstead } from "./answer-instead";
import { errorBody, errorHeaders } from "./error-response";
import { foreignBody, foreignHeaders } from "./translated-response";
import { emptyFault, headFault } from "./head-fault";
import { pageBody } from "./page-response";
import { endWatch, startWatch, watchBody, wholeBody } from "./whole-response";
import { CONTENT_LENGTH, CONTENT_TYPE } from "./header-names";
import {
  isFromProvider,
  isOfRateLimit,
  localResponseFault,
  responseDetails,
} from "../exchange/envoy-errors";
import { maskHead } from "./mask-credentials";

const EVENT_STREAM = constant("text/event-stream");
const HTML = constant("text/html");
/** Known from the provider's last byte on. */
const BACKEND_LATENCY = constant("response\0backend_latency");
const ENCODING_HEADER = constant(HEADER_ENCODING);
const COMPRESSED_BYTES = constant(TRAILER_COMPRESSED_BYTES);
const DECOMPRESSED_BYTES = constant(TRAILER_DECOMPRESSED_BYTES);

const out = scratchBuffer();

/** A response in the downstream context of a route with one target: the provider's, or an error of Envoy's own. */
export function responseHeaders(exchange: Exchange, endsHere: bool): i32 {
  const held = ownErrorHeaders(exchange, endsHere);
  // Where there is no target, a route of Envoy's has answered.
  if (held == STOP || exchange.isAnswered || exchange.target === null) return held;
  maskHead(exchange);
  if (ENCODING.length > 0) {
    removeHeader(RESPONSE_HEADERS, ENCODING_HEADER);
    exchange.isDecompressed = !endsHere && CONTENT_ENCODING.length == 0;
  }
  const fault = headFault(exchange, endsHere);
  return fault === null ? providerHeaders(exchange) : answerInstead(exchange, fault);
}

export function responseBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  if (exchange.isAnswered) return CONTINUE;
  if (exchange.isLocalResponse) return ownErrorBody(exchange, size, endsHere);
  return providerBody(exchange, size, endsHere);
}

/** Holds an error that Envoy answers itself, to be said in the client's dialect. */
export function ownErrorHeaders(exchange: Exchange, endsHere: bool): i32 {
  if (exchange.isAnswered) return CONTINUE;
  readResponseHead();
  exchange.responseStatus = statusOf(STATUS);
  if (exchange.responseStatus < 400) return CONTINUE;
  const details = responseDetails();
  exchange.isAnswered = isOfRateLimit(details);
  exchange.isLocalResponse = !exchange.isAnswered && !isFromProvider(details);
  if (!exchange.isLocalResponse) return CONTINUE;
  if (endsHere)
    answerFault(exchange, localResponseFault(exchange.responseStatus, details, exchange.target));
  return STOP;
}

/** The end of a response with trailers, in the downstream context. */
export function responseTrailers(exchange: Exchange): i32 {
  if (exchange.isAnswered) return CONTINUE;
  // In which Envoy's decompressors say what they did.
  removeHeader(RESPONSE_TRAILERS, DECOMPRESSED_BYTES);
  removeHeader(RESPONSE_TRAILERS, COMPRESSED_BYTES);
  const watch = exchange.watch;
  if (watch !== null) return endWatch(exchange, watch);
  return exchange.isReadUpstream() ? CONTINUE : providerTrailers(exchange);
}

/** Reads the head of a response in the upstream context. Returns why it is an error by its head alone, or null. */
export function readAttemptHead(exchange: Exchange, endsHere: bool): Fault | null {
  readResponseHead();
  exchange.responseStatus = statusOf(STATUS);
  exchange.isCompressed = !endsHere && isCompressed();
  maskHead(exchange);
  // Else the filter in the listener needs it.
  if (ENCODING.length > 0 && !exchange.isCompressed)
    removeHeader(RESPONSE_HEADERS, ENCODING_HEADER);
  return headFault(exchange, endsHere);
}

/** The response whose head was read last, in the upstream context. */
export function attemptHeaders(exchange: Exchange): i32 {
  return exchange.isCompressed ? CONTINUE : providerHeaders(exchange);
}

export function attemptBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  return exchange.isCompressed ? CONTINUE : providerBody(exchange, size, endsHere);
}

export function attemptTrailers(exchange: Exchange): i32 {
  return exchange.isCompressed ? CONTINUE : providerTrailers(exchange);
}

/** A provider's response, in whichever context talks to the provider. */
function providerHeaders(exchange: Exchange): i32 {
  tellDropped(exchange);
  const meter = exchange.meter;
  if (meter !== null)
    meter.startResponse(exchange.responseStatus, exchange.target, exchange.dialect);
  if (exchange.responseStatus >= 400) return errorHeaders(exchange);
  if (exchange.isForeign()) return foreignHeaders(exchange);
  exchange.mayBePage = isOfType(HTML);
  if (exchange.usageFilter !== null || meter !== null) prepareUsageFilter(exchange);
  const isCounted = meter !== null && !exchange.isStreaming;
  if (isOfType(EVENT_STREAM)) {
    if (exchange.isDecompressed) startWatch(exchange);
  } else exchange.isHeldWhole = exchange.isDecompressed || isCounted;
  return exchange.mayBePage || exchange.isHeldWhole ? STOP : CONTINUE;
}

function providerBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const isEnd = endsHere || isEndBeforeTrailers(exchange, size);
  const status = bodyPart(exchange, size, isEnd);
  exchange.holdsResponse = status == STOP && !exchange.isAnswered;
  const meter = exchange.meter;
  if (meter === null) return status;
  // What is held comes again.
  if (status == CONTINUE && size != ALL) meter.responseBytes += size;
  if (isEnd) exchange.chargeUsage(true);
  return status;
}

function bodyPart(exchange: Exchange, size: u32, isEnd: bool): i32 {
  if (exchange.responseStatus >= 400) return errorBody(exchange, size, isEnd);
  if (exchange.mayBePage && pageBody(exchange, size, isEnd) == STOP) return STOP;
  if (exchange.isForeign()) return foreignBody(exchange, size, isEnd);
  if (exchange.isHeldWhole) {
    const status = wholeBody(exchange, size, isEnd);
    if (exchange.isHeldWhole) return status;
  }
  const watch = exchange.watch;
  if (watch !== null) watchBody(exchange, watch, size);
  return ownBody(exchange, size, isEnd);
}

/** The response of a provider of the client's dialect. */
function ownBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const filter = exchange.usageFilter;
  if (filter !== null) {
    stripUsage(filter, size, endsHere);
    return CONTINUE;
  }
  const meter = exchange.meter;
  if (meter === null) return CONTINUE;
  const observer = meter.observer;
  if (observer !== null) {
    const bytes = takeBody(RESPONSE_BODY, 0, size);
    if (wasRefused()) observer.giveUp();
    else observer.part(bytes.pointer, bytes.length, endsHere);
    freeBlock(bytes.pointer);
  }
  return CONTINUE;
}

/** The end of a body that a provider's own trailers follow, if it is still held; else it can only be broken off. */
function providerTrailers(exchange: Exchange): i32 {
  if (exchange.holdsResponse) return providerBody(exchange, ALL, true);
  if (exchange.isResponseOver) return CONTINUE;
  const translator = exchange.translator;
  const isError = exchange.responseStatus >= 400;
  const isOver = !exchange.isForeign() || (translator !== null && translator.isOver);
  return isOver && !isError
    ? CONTINUE
    : answerInstead(exchange, emptyFault(exchange.responseStatus));
}

/**
 * Whether this is the end of a body that Envoy decompresses. Its decompressors add trailers, so the last body callback
 * does not say that it is the last, and a filter that holds it is never called again (Envoy 1.40).
 */
function isEndBeforeTrailers(exchange: Exchange, size: u32): bool {
  // In a stream the end comes in an empty frame of its own.
  const isHeld = exchange.responseStatus >= 400 || exchange.mayBePage || exchange.isHeldWhole;
  const canBe = size == 0 || isHeld || exchange.isForeign();
  return canBe && property(BACKEND_LATENCY).length > 0;
}

/** Of the response whose head was read last. */
function isOfType(type: Span): bool {
  return (
    RESPONSE_TYPE.length >= type.length &&
    sameBytes(RESPONSE_TYPE.pointer, type.length, type.pointer, type.length)
  );
}

/** Only a stream has a usage chunk; a provider that answers a stream request with one JSON body is left alone. */
function prepareUsageFilter(exchange: Exchange): void {
  if (!isOfType(EVENT_STREAM)) {
    exchange.dropUsageFilter();
    return;
  }
  let filter = exchange.usageFilter;
  if (filter !== null) removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  const meter = exchange.meter;
  if (meter === null) return;
  if (filter === null) {
    filter = new StreamUsageFilter(false);
    exchange.usageFilter = filter;
  }
  filter.observer = meter.observer;
}

function stripUsage(filter: StreamUsageFilter, size: u32, endsHere: bool): void {
  if (filter.isPassing) return;
  // Behind trailers come all bytes that were held, which are few.
  if (!filter.hasRoomFor(size == ALL ? 0 : size)) {
    if (filter.strips) prependBody(RESPONSE_BODY, filter.heldPointer, filter.heldLength);
    filter.pass();
    return;
  }
  const bytes = takeBody(RESPONSE_BODY, 0, size);
  out.clear();
  filter.push(bytes.pointer, bytes.length, endsHere, out);
  if (filter.strips && filter.isChanged) replaceBodyPrefix(RESPONSE_BODY, size, out);
  freeBlock(bytes.pointer);
}

/** Puts an error of Envoy's own into the client's envelope; its headers are held until the whole body is here. */
export function ownErrorBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  if (!endsHere) return STOP;
  const fault = localResponseFault(exchange.responseStatus, responseDetails(), exchange.target);
  out.clear();
  exchange.dialect.writeFault(fault, requestId(exchange), out);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  setHeader(RESPONSE_HEADERS, exchange.dialect.requestIdHeader, requestIdSpan(exchange));
  replaceBodyPrefix(RESPONSE_BODY, size, out);
  return CONTINUE;
}

/** The three digits of a status, 0 when it is anything else. */
function statusOf(text: Span): u32 {
  if (text.length != 3) return 0;
  const hundreds = <u32>load<u8>(text.pointer) - 0x30;
  const tens = <u32>load<u8>(text.pointer, 1) - 0x30;
  const ones = <u32>load<u8>(text.pointer, 2) - 0x30;
  return hundreds > 9 || tens > 9 || ones > 9 ? 0 : hundreds * 100 + tens * 10 + ones;
}
