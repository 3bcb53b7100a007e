// An error of a provider, in any dialect: held until it is whole. JSON in the client's dialect passes byte for byte;
// everything else gets the form of the client's errors, because SDKs show nothing of a body that is not JSON.
import { Target } from "../../config/target";
import { CONTEXT_LENGTH } from "../../hub/faults/context-length";
import { Fault } from "../../hub/faults/fault";
import { readError } from "../../dialects/translate-response";
import { RETRY_AFTER } from "../../exchange/respond";
import { Exchange } from "../../exchange/exchange";
import {
  CONTENT_ENCODING as RESPONSE_ENCODING,
  CONTENT_LENGTH as RESPONSE_LENGTH,
  CONTENT_TYPE as RESPONSE_TYPE,
  copyRequestId,
  isCompressed,
} from "../../exchange/response-head";
import { requestId, requestIdSpan } from "../../exchange/request-id";
import { Link } from "../../exchange/link";
import {
  ALL,
  header,
  removeHeader,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../../host/host";
import { CONTINUE, STOP } from "../../host/status";
import { scan, SCAN_OK } from "../../bytes/json/scan";
import { scratchTape } from "../../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import {
  CONTENT_ENCODING,
  CONTENT_LENGTH,
  CONTENT_TYPE,
  isJson,
  STATUS,
  UPSTREAM_TYPE,
  JSON_TYPE,
} from "../../exchange/header-names";
import { maskBytes, replaceBytes, takeBytes } from "../body";
import { decompressionHint, encodingNote } from "../faults";
import { replaceByEmptyFault, replaceResponse } from "../replace";
import { streamFault } from "./translate";

/** A larger body is not an error message. Bytes. */
const MAX_ERROR: u32 = 1 << 20;

const out = scratchBuffer();
const masked = scratchBuffer();
const tape = scratchTape();

/** Starts an error, whose head was read last. */
export function holdError(exchange: Exchange): Link {
  const response = exchange.response;
  if (exchange.isTranslated()) copyRequestId(exchange.providerDialect(), exchange.client.dialect);
  // The length is set at the end, unless the head leaves first so that Envoy may retry.
  if (RESPONSE_LENGTH.length > 0 && exchange.runsUpstream())
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  if (!isJson(RESPONSE_TYPE)) becomeJson(RESPONSE_TYPE);
  // If Envoy decompresses, it has decompressed what it can; the rest cannot be read.
  if (isCompressed()) {
    if (response.fault === null) response.fault = unreadable(exchange.target, response.status);
    removeHeader(RESPONSE_HEADERS, CONTENT_ENCODING);
  }
  return new HoldError(exchange);
}

class HoldError extends Link {
  constructor(private exchange: Exchange) {
    super();
    this.holdsHead = true;
  }

  onBytes(size: u32, isEnd: bool): i32 {
    // A body that trailers end was held before, so it is not too large.
    const isTooLarge = size > MAX_ERROR && size != ALL;
    if (!isEnd && !isTooLarge) return STOP;
    const exchange = this.exchange;
    const response = exchange.response;
    if (isTooLarge) {
      const fault = tooLarge(response.status);
      // Without a head that is held, Envoy has got it to start another attempt.
      if (response.isHeadHeld) return replaceResponse(exchange, fault);
      response.fault = fault;
    }
    rewrite(exchange, size);
    response.finish(this);
    return CONTINUE;
  }

  onTrailers(): i32 {
    return replaceByEmptyFault(this.exchange);
  }
}

/** Masks credentials in the body, and makes it the client's. */
function rewrite(exchange: Exchange, size: u32): void {
  const bytes = takeBytes(0, size);
  const pointer = bytes.pointer;
  if (!maskBytes(exchange, pointer, bytes.length, masked)) {
    finish(exchange, pointer, bytes.length, size);
    return;
  }
  replaceBytes(size, masked);
  finish(exchange, masked.pointer, masked.length, masked.length);
}

/** Sends the body, or replaces it by one in the form of the client's errors. `size`: bytes that Envoy holds. */
function finish(exchange: Exchange, pointer: usize, length: u32, size: u32): void {
  const response = exchange.response;
  const dialect = exchange.client.dialect;
  const hasHead = response.isHeadHeld;
  let fault = response.fault;
  if (fault === null) {
    const mayTryLonger = hasHead && watchesLength(exchange);
    if (!exchange.isTranslated() && isForClient(exchange.target, pointer, length)) {
      if (exchange.isObserved || mayTryLonger) {
        const read = readError(dialect, dialect, response.status, pointer, length);
        response.providerFault = read;
        if (mayTryLonger) tryLonger(exchange, read);
      }
      if (hasHead) setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, length);
      return;
    }
    fault = readError(exchange.providerDialect(), dialect, response.status, pointer, length);
    if (mayTryLonger) tryLonger(exchange, fault);
    // A cloud's words are not those of its model's vendor.
    if (!exchange.isTranslated()) dialect.adaptFault(fault);
  }
  response.providerFault = fault;
  out.clear();
  const isStream = hasHead && exchange.isTranslated() && streamFault(exchange, fault, out);
  if (!isStream) dialect.writeFault(fault, requestId(exchange), out);
  replaceBytes(size, out);
  if (!hasHead) return;
  // A body may have what other providers put into the head (Google's).
  if (!isStream && fault.status != response.status)
    setHeaderNumber(RESPONSE_HEADERS, STATUS, fault.status);
  if (fault.retryAfter > 0 && header(RESPONSE_HEADERS, RETRY_AFTER).length == 0)
    setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, fault.retryAfter);
  finishHead(exchange);
}

/** Returns whether the next model follows an error whose words say that the request is too long (`retry.on: context_length`). */
function watchesLength(exchange: Exchange): bool {
  const attempts = exchange.attempts;
  return attempts !== null && attempts.mayTryLonger && exchange.isReadUpstream();
}

/** Requests an attempt at the next model. The response is the client's only if Envoy makes none. */
function tryLonger(exchange: Exchange, fault: Fault): void {
  const attempts = exchange.attempts;
  if (attempts === null || fault.code != CONTEXT_LENGTH) return;
  const followUp = attempts.followUp;
  if (followUp !== null) followUp.follows(fault);
}

/** Makes the head fit the body in `out`. */
function finishHead(exchange: Exchange): void {
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  const idHeader = exchange.client.dialect.requestIdHeader;
  if (header(RESPONSE_HEADERS, idHeader).length == 0)
    setHeader(RESPONSE_HEADERS, idHeader, requestIdSpan(exchange));
  if (exchange.isTranslated() || hasOwnErrors(exchange.target)) return;
  if (header(RESPONSE_HEADERS, UPSTREAM_TYPE).length > 0) return;
  becomeJson(header(RESPONSE_HEADERS, CONTENT_TYPE));
}

/** Declares the response JSON, and keeps the provider's content type in a header of its own. */
function becomeJson(type: Span): void {
  if (type.length > 0) setHeader(RESPONSE_HEADERS, UPSTREAM_TYPE, type);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
}

/** Returns whether the provider sends errors that are not of its dialect: a cloud does. */
function hasOwnErrors(target: Target | null): bool {
  return target !== null && target.hosted !== null;
}

/** Returns whether the bytes are JSON in which the client's SDK can find an error. */
function isForClient(target: Target | null, pointer: usize, length: u32): bool {
  const isObject =
    pointer != 0 &&
    scan(tape, pointer, length) == SCAN_OK &&
    tape.isObject(tape.root()) &&
    !tape.isEmpty(tape.root());
  const isKnown =
    !hasOwnErrors(target) || tape.equals(tape.member(0, constant("type")), constant("error"));
  tape.reset();
  return isObject && isKnown;
}

function tooLarge(status: u32): Fault {
  return new Fault(
    status,
    "The provider responded with status " +
      status.toString() +
      " and more than 1 MiB, which is not an error message.",
  );
}

function unreadable(target: Target | null, status: u32): Fault {
  const message =
    "The provider responded with status " +
    status.toString() +
    " and a compressed body" +
    encodingNote(RESPONSE_ENCODING) +
    "." +
    decompressionHint(target, RESPONSE_ENCODING);
  return new Fault(status, message);
}
