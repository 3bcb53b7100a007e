// An error of a provider, in the client's dialect or another: held until it is whole. JSON of the client's dialect passes
// byte for byte; everything else gets the client's envelope, because SDKs show nothing of a body that is not JSON.
import { freeBlock } from "../memory/blocks";
import { Fault } from "../hub/fault";
import { excerpt } from "../hub/read-fault";
import { readError } from "../dialects/translate-response";
import { JSON_TYPE } from "../exchange/answer";
import { Exchange } from "../exchange/exchange";
import {
  CONTENT_ENCODING as RESPONSE_ENCODING,
  CONTENT_LENGTH as RESPONSE_LENGTH,
  CONTENT_TYPE as RESPONSE_TYPE,
  isCompressed,
} from "../exchange/response-head";
import { requestId, requestIdSpan } from "../exchange/request-id";
import {
  ALL,
  header,
  removeHeader,
  replaceBodyPrefix,
  RESPONSE_BODY,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
  takeBody,
} from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { scratchBuffer, Span } from "../bytes/text/bytes";
import { answerInstead } from "./answer-instead";
import { copyRequestId } from "./translated-response";
import {
  CONTENT_ENCODING,
  CONTENT_LENGTH,
  CONTENT_TYPE,
  isJson,
  UPSTREAM_TYPE,
} from "./header-names";
import { maskBytes } from "./mask-credentials";

/** A larger body is no error message. Bytes. */
const MAX_ERROR: u32 = 1 << 20;

const out = scratchBuffer();
const masked = scratchBuffer();
const tape = scratchTape();

/** Starts an error, whose head was read last. */
export function errorHeaders(exchange: Exchange): i32 {
  if (exchange.isForeign()) copyRequestId(exchange.responseDialect(), exchange.dialect);
  // The length is set at the end, unless the head is let go before, for another attempt.
  if (RESPONSE_LENGTH.length > 0 && exchange.isSplit())
    removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
  if (!isJson(RESPONSE_TYPE)) becomeJson(RESPONSE_TYPE);
  // Envoy has decompressed what it can; the rest cannot be read.
  if (isCompressed()) {
    if (exchange.responseFault === null)
      exchange.responseFault = unreadable(exchange.responseStatus);
    removeHeader(RESPONSE_HEADERS, CONTENT_ENCODING);
  }
  return STOP;
}

/** The next bytes of an error; `size`: all that is held of it. */
export function errorBody(exchange: Exchange, size: u32, isEnd: bool): i32 {
  // What trailers end was held before, so it is not too large.
  const isTooLarge = size > MAX_ERROR && size != ALL;
  if (!isEnd && !isTooLarge) return STOP;
  if (isTooLarge) {
    const fault = new Fault(
      exchange.responseStatus,
      "The provider answered " +
        exchange.responseStatus.toString() +
        " with more than 1 MiB, which is no error message.",
    );
    if (!exchange.isHeadGone) return answerInstead(exchange, fault);
    exchange.responseFault = fault;
    const attempts = exchange.attempts;
    if (attempts !== null) attempts.isReplaced = true;
  }
  exchange.isResponseOver = isEnd;
  const bytes = takeBody(RESPONSE_BODY, 0, size);
  const pointer = bytes.pointer;
  if (!maskBytes(exchange, pointer, bytes.length, masked)) {
    finish(exchange, pointer, bytes.length, size);
  } else {
    replaceBodyPrefix(RESPONSE_BODY, size, masked);
    finish(exchange, masked.pointer, masked.length, masked.length);
  }
  freeBlock(pointer);
  return CONTINUE;
}

/** Sends the body on, or the client's envelope in its place. `size`: what Envoy holds. */
function finish(exchange: Exchange, pointer: usize, length: u32, size: u32): void {
  const status = exchange.responseStatus;
  let fault = exchange.responseFault;
  if (fault === null) {
    if (!exchange.isForeign() && isJsonObject(pointer, length)) {
      if (!exchange.isHeadGone) setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, length);
      return;
    }
    fault = readError(exchange.responseDialect(), exchange.dialect, status, pointer, length);
  }
  out.clear();
  exchange.dialect.writeFault(fault, requestId(exchange), out);
  replaceBodyPrefix(RESPONSE_BODY, size, out);
  if (!exchange.isHeadGone) finishHead(exchange);
}

/** Makes the head fit the gateway's body in `out`. */
function finishHead(exchange: Exchange): void {
  setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  const idHeader = exchange.dialect.requestIdHeader;
  if (header(RESPONSE_HEADERS, idHeader).length == 0)
    setHeader(RESPONSE_HEADERS, idHeader, requestIdSpan(exchange));
  if (exchange.isForeign() || header(RESPONSE_HEADERS, UPSTREAM_TYPE).length > 0) return;
  becomeJson(header(RESPONSE_HEADERS, CONTENT_TYPE));
}

/** Declares the response JSON, and keeps the provider's own declaration for the client to see. */
function becomeJson(type: Span): void {
  if (type.length > 0) setHeader(RESPONSE_HEADERS, UPSTREAM_TYPE, type);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
}

/** Whether the bytes are JSON that an SDK finds an error in. */
function isJsonObject(pointer: usize, length: u32): bool {
  const isObject =
    pointer != 0 &&
    scan(tape, pointer, length) == SCAN_OK &&
    tape.isObject(tape.root()) &&
    !tape.isEmpty(tape.root());
  tape.reset();
  return isObject;
}

function unreadable(status: u32): Fault {
  const encoding = excerpt(RESPONSE_ENCODING.pointer, RESPONSE_ENCODING.length);
  const message =
    "The provider answered " +
    status.toString() +
    " with a body that the gateway cannot read (content-encoding: " +
    encoding +
    ").";
  return new Fault(status, message);
}
