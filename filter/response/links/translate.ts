// The response of a provider whose dialect is not the client's, or that leaves reasoning in the content: translated whole or event by event, with its headers.
import { wasRefused } from "../../memory/blocks";
import { Target } from "../../config/target";
import { Fault, outOfMemory } from "../../hub/faults/fault";
import { ResponseOptions, ResponseTranslator } from "../../dialects/translate-response";
import { StreamUnwrapper } from "../../dialects/anthropic/messages/response/unwrap-stream";
import { EVENT_STREAM_TYPE, respondWithFault, RETRY_AFTER } from "../../exchange/respond";
import { Exchange } from "../../exchange/exchange";
import { Link } from "../../exchange/link";
import { requestId } from "../../exchange/request-id";
import {
  CONTENT_LENGTH as RESPONSE_LENGTH,
  CONTENT_TYPE as RESPONSE_TYPE,
  copyRequestId,
} from "../../exchange/response-head";
import {
  currentSeconds,
  removeHeader,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { ByteBuffer, sameSpan, scratchBuffer } from "../../bytes/text/bytes";
import { CONTENT_LENGTH, CONTENT_TYPE, JSON_TYPE, STATUS } from "../../exchange/header-names";
import { replaceBytes, replaceMasked, takeBytes } from "../body";
import { FirstToken } from "../../dialects/response-start";
import { setCostHeader } from "../cost-header";
import { setDroppedHeader } from "../dropped-header";
import { maskFault } from "../mask-credentials";
import { replaceByEmptyFault } from "../replace";
import { awaitFirstToken, holdAttempt, isDecided, isFollowed, releaseAttempt } from "./first-token";
import { unwrapperOf } from "./unwrap-frames";

const COMMA: u32 = 0x2c;

const out = scratchBuffer();

/** The head of a stream is held until its first event, a complete response until its end. */
export function translate(exchange: Exchange): Link | null {
  const target = exchange.target;
  const client = exchange.client;
  if (target === null || !exchange.isRewritten() || !client.endpoint.row.isInference) return null;
  const isWhole = !client.isStreaming;
  // A complete response gets its new length at its end, unless the head leaves first so that Envoy may retry.
  if (RESPONSE_LENGTH.length > 0 && (!isWhole || exchange.runsUpstream()))
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  const type = isWhole ? JSON_TYPE : EVENT_STREAM_TYPE;
  if (!sameSpan(RESPONSE_TYPE, type)) setHeader(RESPONSE_HEADERS, CONTENT_TYPE, type);
  copyRequestId(target.dialect, client.dialect);
  const translator = newTranslator(exchange, target);
  exchange.readRates(translator.usage);
  exchange.response.facts = translator;
  if (!isWhole) return new TranslateStream(exchange, translator, unwrapperOf(exchange));
  // What it is shows when it has been translated.
  holdAttempt(exchange);
  return new TranslateWhole(exchange, translator);
}

function newTranslator(exchange: Exchange, target: Target): ResponseTranslator {
  const client = exchange.client;
  const response = exchange.response;
  const options = new ResponseOptions();
  options.from = target.dialect;
  options.to = client.dialect;
  options.isStreaming = client.isStreaming;
  options.wantsUsage = response.wantsUsage;
  options.clock = currentSeconds;
  options.requestId = requestId(exchange);
  options.model = exchange.modelText(target);
  options.notes = response.notes;
  options.origin = target.limits.origin;
  options.thinkTags = target.limits.thinkTags;
  options.seeksToken = exchange.seeksToken;
  options.countsText = exchange.estimate !== null;
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

class TranslateStream extends Link {
  /** Decides whether another attempt follows; null if that is decided. */
  private start: FirstToken | null;
  /** What the client gets of a beginning that is held. */
  private begun: ByteBuffer = out;

  constructor(
    private exchange: Exchange,
    private translator: ResponseTranslator,
    /** Knows the status of a failure better than its error event. */
    private unwrapper: StreamUnwrapper | null,
  ) {
    super();
    this.holdsHead = true;
    const start = awaitFirstToken(exchange, true);
    this.start = start;
    translator.start = start;
    if (start !== null) this.begun = new ByteBuffer();
  }

  onBytes(size: u32, isEnd: bool): i32 {
    const start = this.start;
    if (start !== null) return this.begin(start, size, isEnd);
    out.clear();
    this.translateChunk(0, size, isEnd, out);
    return this.leave(size, isEnd, out);
  }

  /** Once the head has left: unless its end has been written, the stream can only be broken off. */
  onTrailers(): i32 {
    const isSent = !this.exchange.response.isHeadHeld && this.translator.isOver;
    return isSent ? CONTINUE : replaceByEmptyFault(this.exchange);
  }

  release(): void {
    if (this.begun !== out) this.begun.release();
  }

  /** Translates the next bytes while the beginning of the response is held. */
  private begin(start: FirstToken, size: u32, isEnd: bool): i32 {
    const translator = this.translator;
    const from = start.seen;
    const bytes = takeBytes(from, size - from);
    start.begin(bytes.pointer, bytes.length);
    this.translateChunk(from, size, isEnd, this.begun);
    if (!isDecided(start, isEnd)) return STOP;
    this.start = null;
    translator.start = null;
    if (isFollowed(this.exchange, start.fault, size, isEnd)) return CONTINUE;
    const status = this.leave(size, isEnd, this.begun);
    this.begun.release();
    return status;
  }

  /** The bytes leave, translated. */
  private leave(size: u32, isEnd: bool, by: ByteBuffer): i32 {
    const exchange = this.exchange;
    const translator = this.translator;
    if (translator.hasToken) exchange.noteToken();
    replace(exchange, translator, size, by);
    const fault = this.fault();
    if (exchange.response.isHeadHeld) {
      // A provider that fails before its first event is reported by the status, which SDKs act on.
      const dialect = exchange.client.dialect;
      if (fault !== null && !translator.hasWritten && !dialect.streamsFault(fault)) {
        dialect.adaptFault(fault);
        respondWithFault(exchange, maskFault(exchange, fault));
        return STOP;
      }
      if (by.length == 0 && !isEnd) return STOP;
    }
    if (isEnd) exchange.response.finish(this);
    return CONTINUE;
  }

  /** Translates what Envoy holds from an offset on. */
  private translateChunk(from: u32, size: u32, isEnd: bool, to: ByteBuffer): void {
    const translator = this.translator;
    if (size > from && !translator.isOver) {
      const bytes = takeBytes(from, size - from);
      if (bytes.pointer != 0) translator.push(bytes.pointer, bytes.length, to);
      // Behind trailers it is not known whether there are any.
      else if (from == 0 || wasRefused()) translator.lose(to);
    }
    if (isEnd) translator.end(to);
  }

  /** Returns why the response has failed, or null. */
  private fault(): Fault | null {
    const unwrapper = this.unwrapper;
    if (unwrapper !== null && unwrapper.fault !== null) return unwrapper.fault;
    return this.translator.fault;
  }
}

class TranslateWhole extends Link {
  constructor(
    private exchange: Exchange,
    private translator: ResponseTranslator,
  ) {
    super();
    this.holdsHead = true;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    if (!isEnd) return STOP;
    const exchange = this.exchange;
    const translator = this.translator;
    releaseAttempt(exchange);
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
      setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, fault.retryAfter);
    addDropped(exchange, translator);
    if (fault === null) setCostHeader(exchange);
    replace(exchange, translator, size, out);
    setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
    exchange.response.finish(this);
    return CONTINUE;
  }

  onTrailers(): i32 {
    return replaceByEmptyFault(this.exchange);
  }
}

function addDropped(exchange: Exchange, translator: ResponseTranslator): void {
  if (translator.dropped.total == 0) return;
  const dropped = exchange.response.dropped;
  if (dropped.length > 0) dropped.byte(COMMA);
  dropped.text(translator.dropped.names());
  setDroppedHeader(exchange);
}

/** Replaces the body by what was translated. */
function replace(
  exchange: Exchange,
  translator: ResponseTranslator,
  size: u32,
  by: ByteBuffer,
): void {
  if (translator.fault !== null) replaceMasked(exchange, size, by);
  else replaceBytes(size, by);
}
