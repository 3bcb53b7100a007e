// The reply of a provider whose dialect is not the client's: held or streamed, translated, its headers made to fit.
import { Fault } from "../chat/fault";
import { ReplyOptions, ReplyTranslator, translateError } from "../dialects/translate-reply";
import { Dialect } from "../dialects/dialect";
import { answerFault, JSON_TYPE } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import { requestId } from "../exchange/request-id";
import {
  currentSeconds,
  header,
  removeHeader,
  replaceBodyPrefix,
  RESPONSE_BODY,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
  takeBody,
} from "../host/host";
import { addLocalHeader } from "../host/local-response";
import {
  CONTENT_LENGTH as REPLY_LENGTH,
  CONTENT_TYPE as REPLY_TYPE,
  requestIdOf,
} from "../exchange/reply-head";
import { CONTINUE, STOP } from "../host/status";
import { ByteBuffer, constant, sameSpan, Span } from "../text/bytes";
import { tellDropped } from "./dropped-header";
import { CONTENT_LENGTH, CONTENT_TYPE, STATUS } from "./header-names";

const EVENT_STREAM_TYPE = constant("text/event-stream; charset=utf-8");

/** What tells SDKs when to come back, for an answer that replaces the provider's headers. */
const RETRY_HEADERS: Span[] = [
  constant("retry-after"),
  constant("retry-after-ms"),
  constant("x-should-retry"),
];
const keptValues: Span[] = [new Span(0, 0), new Span(0, 0), new Span(0, 0)];
const kept = new ByteBuffer();

const out = new ByteBuffer();

/** Starts the reply. A stream goes on with its first event; anything else is held until it is whole. */
export function foreignHeaders(exchange: Exchange): i32 {
  const target = exchange.target;
  if (target === null) return CONTINUE;
  const isWhole = exchange.replyStatus >= 400 || !exchange.isStreaming;
  // A whole reply gets its new length at its end, unless its head is let go before, for another attempt.
  if (REPLY_LENGTH.length > 0 && (!isWhole || exchange.isSplit()))
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  const type = isWhole ? JSON_TYPE : EVENT_STREAM_TYPE;
  if (!sameSpan(REPLY_TYPE, type)) setHeader(RESPONSE_HEADERS, CONTENT_TYPE, type);
  copyRequestId(target.dialect, exchange.dialect);
  if (exchange.replyStatus >= 400) return STOP;
  const options = new ReplyOptions();
  options.from = target.dialect;
  options.to = exchange.dialect;
  options.isStreaming = exchange.isStreaming;
  options.wantsUsage = exchange.wantsUsage;
  options.created = currentSeconds();
  options.requestId = requestId(exchange);
  options.model = target.modelText;
  exchange.translator = new ReplyTranslator(options);
  exchange.isHeadHeld = exchange.isStreaming;
  return STOP;
}

/** A reply without any body has no place for one: it is answered anew, with what it should have said. */
export function foreignEmpty(exchange: Exchange): i32 {
  const isError = exchange.replyStatus >= 400;
  const message = isError
    ? "The provider answered " + exchange.replyStatus.toString() + " without saying why."
    : "The provider's reply is empty.";
  kept.clear();
  for (let i = 0; i < RETRY_HEADERS.length; i++) keepHeader(RETRY_HEADERS[i], keptValues[i]);
  for (let i = 0; i < RETRY_HEADERS.length; i++) {
    if (keptValues[i].length == 0) continue;
    // Offsets until now: the buffer may have moved while it grew.
    keptValues[i].pointer += kept.pointer;
    addLocalHeader(RETRY_HEADERS[i], keptValues[i]);
  }
  answerFault(exchange, new Fault(isError ? exchange.replyStatus : 502, message));
  return STOP;
}

/** Copies the value of a response header into `kept`; `value` gets its offset there. */
function keepHeader(name: Span, value: Span): void {
  const text = header(RESPONSE_HEADERS, name);
  value.pointer = kept.length;
  value.length = text.length;
  kept.span(text);
}

export function foreignBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const translator = exchange.translator;
  exchange.isReplyOver = endsHere;
  if (isHeldWhole(exchange)) {
    if (!endsHere) return STOP;
    translateWhole(exchange, translator, size);
  } else if (translator !== null) {
    translateChunk(translator, size, endsHere);
    if (exchange.isHeadHeld) return releaseHead(exchange, translator, endsHere);
  }
  return CONTINUE;
}

/** Lets a stream's head go with its first event; a provider that fails before is told by the status, which SDKs act on. */
function releaseHead(exchange: Exchange, translator: ReplyTranslator, endsHere: bool): i32 {
  const fault = translator.fault;
  if (fault !== null && !translator.hasWritten) {
    exchange.dialect.adaptFault(fault);
    answerFault(exchange, fault);
    return STOP;
  }
  if (out.length == 0 && !endsHere) return STOP;
  exchange.isHeadHeld = false;
  return CONTINUE;
}

/** Whether the reply is held until it is whole: all that is no stream. */
export function isHeldWhole(exchange: Exchange): bool {
  return exchange.isForeign() && (exchange.translator === null || !exchange.isStreaming);
}

function translateChunk(translator: ReplyTranslator, size: u32, endsHere: bool): void {
  out.clear();
  if (size > 0) {
    const bytes = takeBody(RESPONSE_BODY, 0, size);
    translator.push(bytes.pointer, bytes.length, out);
    if (bytes.pointer != 0) heap.free(bytes.pointer);
  }
  if (endsHere) translator.end(out);
  replaceBodyPrefix(RESPONSE_BODY, size, out);
}

function translateWhole(exchange: Exchange, translator: ReplyTranslator | null, size: u32): void {
  const target = exchange.target;
  const bytes = takeBody(RESPONSE_BODY, 0, size);
  out.clear();
  if (translator !== null) {
    const status = translator.complete(bytes.pointer, bytes.length, out);
    if (status != 200) setHeaderNumber(RESPONSE_HEADERS, STATUS, status);
    if (translator.dropped.total > 0) {
      if (exchange.dropped.length > 0) exchange.dropped.byte(0x2c);
      exchange.dropped.text(translator.dropped.names());
      tellDropped(exchange);
    }
  } else if (target !== null) {
    const status = exchange.replyStatus;
    translateError(
      target.dialect,
      exchange.dialect,
      status,
      bytes.pointer,
      bytes.length,
      requestId(exchange),
      out,
    );
  }
  if (bytes.pointer != 0) heap.free(bytes.pointer);
  replaceBodyPrefix(RESPONSE_BODY, size, out);
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
}

/** Each SDK reads the provider's request id from a header of its own dialect. */
function copyRequestId(from: Dialect, to: Dialect): void {
  if (requestIdOf(to).length > 0) return;
  const id = requestIdOf(from);
  if (id.length > 0) setHeader(RESPONSE_HEADERS, to.requestIdHeader, id);
}
