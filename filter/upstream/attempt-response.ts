// The upstream filter: one attempt of a request that may have several. The exchange that the downstream filter left behind
// holds the client's request and knows whose turn it is; Envoy has been told the cluster.
import { freeBlock, wasRefused } from "../memory/blocks";
import { Target } from "../config/target";
import { PROPERTY_EXCHANGE } from "../../contract/words";
import { Fault, outOfMemory } from "../hub/fault";
import { ANSWERS, FirstToken, LOOK_ON } from "../dialects/first-token";
import { answerFault, JSON_TYPE } from "../exchange/answer";
import { Attempts } from "../exchange/attempts";
import { closeBody, openBody } from "../exchange/client-body";
import { Exchange } from "../exchange/exchange";
import { isCompressed } from "../exchange/response-head";
import { requestId } from "../exchange/request-id";
import {
  ALL,
  currentSeconds,
  property,
  removeHeader,
  replaceBodyPrefix,
  RESPONSE_BODY,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
  takeBody,
} from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { constant, sameBytes, scratchBuffer } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";
import { answerInstead } from "./answer-instead";
import { forgetHeaders, prepareBodyAgain, writeHeaders } from "./request";
import { CONTENT_LENGTH, CONTENT_TYPE, STATUS } from "./header-names";
import { maskFault } from "./mask-credentials";
import { planAfterNothing, retryAfterFailure, retryAfterResponse } from "./next-attempt";
import { attemptBody, attemptHeaders, attemptTrailers, readAttemptHead } from "./response";

const EXCHANGE_PROPERTY = constant("wasm\0" + PROPERTY_EXCHANGE);
const EXCHANGE_PROPERTY_OLD = constant(PROPERTY_EXCHANGE);
const CLUSTER_NAME = constant("xds\0cluster_name");

const out = scratchBuffer();

/** Context id of the downstream stream that this attempt belongs to, or -1. */
export function exchangeIdOfAttempt(): i32 {
  const id = decimal(property(EXCHANGE_PROPERTY));
  return id >= 0 ? id : decimal(property(EXCHANGE_PROPERTY_OLD));
}

/** Holds the headers until the body is here; where they go on at once, nobody could read them later. */
export function onAttemptHeaders(exchange: Exchange, contextId: u32): i32 {
  const attempts = exchange.attempts;
  if (attempts !== null) attempts.begin(contextId);
  return STOP;
}

/** The first attempt's body was made when its target was chosen, if the client's was small; any other is made from it now. */
export function onAttemptBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const attempts = exchange.attempts;
  if (!endsHere) return STOP;
  if (attempts !== null && attempts.count == 1 && exchange.body != 0) {
    writeHeaders(exchange, attempts.target, attempts.credential);
    return CONTINUE;
  }
  const fault = attempts === null ? lost() : prepareAgain(exchange, attempts, size);
  if (fault === null) return CONTINUE;
  answerFault(exchange, fault);
  return STOP;
}

function prepareAgain(exchange: Exchange, attempts: Attempts, size: u32): Fault | null {
  const target = attempts.target;
  // A key must not reach another provider, whatever happens to Envoy's ways.
  if (!isAt(target)) return lost();
  const before = exchange.target;
  if (before !== null) forgetHeaders(exchange, before);
  const tape = openBody(exchange, size);
  const fault =
    tape === null ? outOfMemory("request") : prepareBodyAgain(exchange, target, tape, size);
  closeBody();
  if (fault === null) writeHeaders(exchange, target, attempts.credential);
  return fault;
}

function isAt(target: Target): bool {
  const cluster = property(CLUSTER_NAME);
  return sameBytes(
    cluster.pointer,
    cluster.length,
    target.attemptCluster.pointer,
    target.attemptCluster.length,
  );
}

function lost(): Fault {
  return new Fault(500, "The gateway lost track of this request.");
}

/** A response: an error that another attempt follows, a beginning that has to be looked at, or the client's. */
export function onAttemptResponse(exchange: Exchange, endsHere: bool): i32 {
  const attempts = exchange.attempts;
  if (attempts === null) return CONTINUE;
  const fault = readAttemptHead(exchange, endsHere);
  const isError = fault !== null || exchange.responseStatus >= 400;
  if (isError && attempts.hasMore && asksAnother(exchange, attempts)) {
    releaseHead(exchange, fault, endsHere);
    return CONTINUE;
  }
  if (fault !== null) {
    attempts.isSettled = true;
    return answerInstead(exchange, fault);
  }
  const status = attemptHeaders(exchange);
  if (isError || !attempts.hasMore || isCompressed()) {
    attempts.isSettled = true;
    return status;
  }
  attempts.peek = new FirstToken(attempts.target.dialect, exchange.isStreaming);
  return STOP;
}

/** A redirect or nonsense is a failure whatever `retry.on` lists; an error is one if its status is listed. */
function asksAnother(exchange: Exchange, attempts: Attempts): bool {
  const status = exchange.responseStatus;
  return status >= 400 && status <= 599
    ? retryAfterResponse(exchange, attempts, status)
    : retryAfterFailure(exchange, attempts);
}

/** Envoy decides by the head, and the body may never come. If it does not follow, the client gets the error. */
function releaseHead(exchange: Exchange, fault: Fault | null, endsHere: bool): void {
  if (fault !== null) {
    exchange.responseStatus = fault.status;
    setHeaderNumber(RESPONSE_HEADERS, STATUS, fault.status);
  }
  exchange.responseFault = fault;
  if (endsHere || exchange.isCompressed) return;
  attemptHeaders(exchange);
  exchange.isHeadGone = true;
}

export function onAttemptResponseBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const attempts = exchange.attempts;
  if (attempts === null) return CONTINUE;
  if (attempts.isReplaced) {
    out.clear();
    replaceBodyPrefix(RESPONSE_BODY, size, out);
    return CONTINUE;
  }
  const peek = attempts.peek;
  if (peek !== null) {
    const result = look(exchange, peek, size, endsHere);
    if (result == LOOK_ON) return STOP;
    const fault = peek.fault;
    attempts.dropPeek();
    if (result != ANSWERS && fault !== null && retryAfterFailure(exchange, attempts)) {
      replace(exchange, attempts, fault, size, endsHere);
      return CONTINUE;
    }
    // A complete response of the other dialect is held until it has been translated: it may still fail.
    attempts.isSettled = exchange.isStreaming || !exchange.isForeign();
  }
  const status = attemptBody(exchange, size, endsHere);
  if (!attempts.isSettled && endsHere) settle(exchange, attempts);
  return status;
}

/** The end of a response with trailers. */
export function onAttemptResponseTrailers(exchange: Exchange): i32 {
  const attempts = exchange.attempts;
  if (attempts === null || attempts.isReplaced) return CONTINUE;
  if (attempts.peek !== null) return onAttemptResponseBody(exchange, ALL, true);
  const status = attemptTrailers(exchange);
  if (!attempts.isSettled) settle(exchange, attempts);
  return status;
}

/** The whole response has been translated; a provider's nonsense is a failure as any other. */
function settle(exchange: Exchange, attempts: Attempts): void {
  attempts.isSettled = true;
  const translator = exchange.translator;
  if (translator === null || translator.fault === null || !attempts.hasMore) return;
  retryAfterFailure(exchange, attempts);
}

function look(exchange: Exchange, peek: FirstToken, size: u32, endsHere: bool): i32 {
  const bytes = takeBody(RESPONSE_BODY, peek.seen, size - peek.seen);
  const pointer = bytes.pointer;
  // Without memory to look at it the response goes on as it is.
  if (wasRefused()) return ANSWERS;
  const now = exchange.isStreaming ? currentSeconds() : 0;
  const result = peek.push(pointer, bytes.length, endsHere, now);
  freeBlock(pointer);
  return result;
}

/** Puts the fault in the place of the response. The client sees it only if Envoy does not try again. */
function replace(
  exchange: Exchange,
  attempts: Attempts,
  fault: Fault,
  size: u32,
  endsHere: bool,
): void {
  attempts.isReplaced = true;
  setHeaderNumber(RESPONSE_HEADERS, STATUS, fault.status);
  if (endsHere && size == 0) return;
  out.clear();
  exchange.dialect.writeFault(maskFault(exchange, fault), requestId(exchange), out);
  replaceBodyPrefix(RESPONSE_BODY, size, out);
  setHeader(RESPONSE_HEADERS, CONTENT_TYPE, JSON_TYPE);
  if (endsHere) setHeaderNumber(RESPONSE_HEADERS, CONTENT_LENGTH, out.length);
  else removeHeader(RESPONSE_HEADERS, CONTENT_LENGTH);
}

/** An attempt's context is gone. When nothing has come of it, the next attempt has not been chosen yet. */
export function onAttemptEnd(exchange: Exchange, contextId: u32): void {
  const attempts = exchange.attempts;
  if (attempts === null || attempts.contextId != contextId) return;
  attempts.dropPeek();
  if (!attempts.isSettled) planAfterNothing(exchange, attempts);
}
