// The callbacks of the upstream filter: one attempt of a request that may have several. The filter in the listener has made
// the exchange, and has set the cluster of the attempt.
import { Target } from "../config/target";
import { PROPERTY_EXCHANGE } from "../../contract/words";
import { CONTEXT_LENGTH } from "../hub/faults/context-length";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { respondWithFault } from "../exchange/respond";
import { Attempts } from "../exchange/attempts";
import { clientBody } from "../exchange/client-body";
import { Exchange } from "../exchange/exchange";
import { resetReason } from "../exchange/envoy-errors";
import { ResetReason } from "../exchange/failed-attempts";
import { FollowUp } from "../exchange/follow-up";
import { traceRequest } from "../observe/write-trace";
import { property, RESPONSE_HEADERS, setHeaderNumber } from "../host/host";
import { sendLocalResponse } from "../host/local-response";
import { CONTINUE, STOP } from "../host/status";
import { constant, sameBytes, Span } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";
import { prepareBodyAgain } from "./request-body";
import { removeHeadersOf, writeHeaders } from "./request-headers";
import { STATUS } from "../exchange/header-names";
import { maskFault } from "../response/mask-credentials";
import {
  requestedPause,
  selectAfterReset,
  retryAfterFailure,
  retryAfterFault,
  retryAfterResponse,
} from "./next-attempt";
import { closeBody } from "../response/body";
import { guardedMessage } from "../response/links/guard-texts";
import { onProviderHead, readAttemptHead } from "../response/head";
import { replaceResponse } from "../response/replace";
import { onBody, onCallout, onTrailers } from "../response/run";

const NO_BODY = new Span(0, 0);

/** Returns the context id of the downstream stream that the attempt belongs to, or -1. */
export function exchangeIdOfAttempt(): i32 {
  const id = decimal(property(constant("wasm\0" + PROPERTY_EXCHANGE)));
  return id >= 0 ? id : decimal(property(constant(PROPERTY_EXCHANGE)));
}

/**
 * Rejects an attempt whose exchange the VM does not know, because it trapped since: it may have a credential of an earlier attempt.
 */
export function rejectUnknownAttempt(): i32 {
  sendLocalResponse(500, NO_BODY);
  return STOP;
}

/** Holds the headers until the body is here, because they cannot be changed later. */
export function onAttemptHeaders(exchange: Exchange, contextId: u32): i32 {
  const attempts = exchange.attempts;
  if (attempts !== null) {
    attempts.begin(contextId);
    if (attempts.followUp === null) attempts.followUp = new NextAttempt(exchange, attempts);
  }
  return STOP;
}

/** Writes the request. The body of a first attempt was written with the choice of its target if the VM keeps the client's. */
export function onAttemptBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const attempts = exchange.attempts;
  if (!endsHere) return STOP;
  if (attempts !== null && attempts.count == 1 && exchange.client.body != 0) {
    writeHeaders(exchange, attempts.target, attempts.credential);
    return CONTINUE;
  }
  const fault = attempts === null ? inconsistent() : prepareAgain(exchange, attempts, size);
  if (fault === null) return CONTINUE;
  respondWithFault(exchange, fault);
  return STOP;
}

function prepareAgain(exchange: Exchange, attempts: Attempts, size: u32): Fault | null {
  const target = attempts.target;
  // A key must not reach another provider, whatever cluster Envoy has chosen.
  if (!isAt(target)) return inconsistent();
  const before = exchange.target;
  if (before !== null && attempts.count > 1) removeHeadersOf(before, exchange);
  const tape = clientBody.open(exchange.client, size);
  const fault =
    tape === null ? outOfMemory("request") : prepareBodyAgain(exchange, target, tape, size);
  clientBody.close();
  if (fault === null) {
    writeHeaders(exchange, target, attempts.credential);
    traceRequest(exchange);
  }
  return fault;
}

function isAt(target: Target): bool {
  const cluster = property(constant("xds\0cluster_name"));
  return sameBytes(
    cluster.pointer,
    cluster.length,
    target.attemptCluster.pointer,
    target.attemptCluster.length,
  );
}

function inconsistent(): Fault {
  return new Fault(500, "The gateway lost track of this request.");
}

/** Decides by the head: an error that is retried, a response whose beginning has to be read, or the client's response. */
export function onAttemptResponse(exchange: Exchange, endsHere: bool): i32 {
  const attempts = exchange.attempts;
  if (attempts === null) return CONTINUE;
  const fault = readAttemptHead(exchange, endsHere);
  const response = exchange.response;
  const isError = fault !== null || response.status >= 400;
  if (isError && attempts.measured !== null) noteFailure(attempts, fault, response.status);
  if (isError && attempts.hasMore && asksAnother(exchange, attempts)) {
    keepFailure(exchange, attempts, fault);
    releaseHead(exchange, fault, endsHere);
    return CONTINUE;
  }
  if (fault !== null) {
    attempts.isDecided = true;
    return replaceResponse(exchange, fault);
  }
  const status = response.isLeftToListener ? CONTINUE : onProviderHead(exchange);
  attempts.isDecided = !attempts.awaitsToken;
  return status;
}

/** Notes that the target has failed; not for what another one would reject too, nor for a key if there are others. */
function noteFailure(attempts: Attempts, fault: Fault | null, status: u32): void {
  const measured = attempts.measured;
  const isOfKey = status == 401 || status == 403 || status == 429;
  const hasFailed =
    fault !== null || status >= 500 || status == 408 || (isOfKey && !attempts.hasOtherCredential);
  if (measured !== null && hasFailed) measured.fail(requestedPause());
}

/** A redirect or nonsense is a failure whatever `retry.on` lists; an error is one if its status is listed. */
function asksAnother(exchange: Exchange, attempts: Attempts): bool {
  const status = exchange.response.status;
  return status >= 400 && status <= 599
    ? retryAfterResponse(exchange, attempts, status)
    : retryAfterFailure(exchange, attempts);
}

/** Envoy decides by the head, and the body may never come. If it does not follow, the client gets the error. */
function releaseHead(exchange: Exchange, fault: Fault | null, endsHere: bool): void {
  const response = exchange.response;
  if (fault !== null) {
    response.status = fault.status;
    setHeaderNumber(RESPONSE_HEADERS, STATUS, fault.status);
  }
  if (fault !== null) response.fault = fault;
  if (endsHere || response.isLeftToListener) return;
  onProviderHead(exchange);
  response.isHeadHeld = false;
}

export function onAttemptResponseBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const attempts = exchange.attempts;
  if (attempts === null || exchange.response.isLeftToListener) return CONTINUE;
  const status = onBody(exchange, size, endsHere);
  closeBody();
  decide(exchange, attempts, endsHere);
  return status;
}

/** The callout of a link is over that has waited in the context of an attempt. Returns the status of the response. */
export function onAttemptCallout(exchange: Exchange): i32 {
  const attempts = exchange.attempts;
  const status = onCallout(exchange);
  closeBody();
  const isOver = status == CONTINUE || exchange.response.isLocal;
  if (attempts !== null) decide(exchange, attempts, isOver);
  return status;
}

/** The end of a response with trailers. */
export function onAttemptResponseTrailers(exchange: Exchange): i32 {
  const attempts = exchange.attempts;
  if (attempts === null || exchange.response.isLeftToListener) return CONTINUE;
  const status = onTrailers(exchange);
  closeBody();
  decide(exchange, attempts, true);
  return status;
}

/** Decides whether the response is the client's: from its first token on, or when it has been translated whole. */
function decide(exchange: Exchange, attempts: Attempts, isEnd: bool): void {
  if (attempts.isDecided || attempts.awaitsToken || exchange.response.waiting !== null) return;
  // A complete response of another dialect is held until it has been translated: it may still fail.
  attempts.isDecided = isEnd || exchange.client.isStreaming || !exchange.isTranslated();
  const facts = exchange.response.facts;
  if (!isEnd || facts === null || facts.fault === null || !attempts.hasMore) return;
  if (exchange.client.isStreaming) return;
  const fault = facts.fault;
  if (fault !== null && retryAfterFault(exchange, attempts, fault))
    keepFault(exchange, attempts, fault);
}

/** What follows a response whose beginning is an error. */
class NextAttempt extends FollowUp {
  constructor(
    private exchange: Exchange,
    private attempts: Attempts,
  ) {
    super();
  }

  follows(fault: Fault): bool {
    if (!retryAfterFault(this.exchange, this.attempts, fault)) return false;
    keepFault(this.exchange, this.attempts, fault);
    return true;
  }
}

/** Keeps that the current attempt has failed by an error that was read in its body. */
function keepFault(exchange: Exchange, attempts: Attempts, fault: Fault): void {
  const measured = attempts.measured;
  if (measured !== null && fault.code != CONTEXT_LENGTH) measured.fail(0);
  keepFailure(exchange, attempts, fault);
}

/** Keeps, for the usage record, that the current attempt has failed; `fault`: the error, if it is not the response's status. */
function keepFailure(exchange: Exchange, attempts: Attempts, fault: Fault | null): void {
  const failed = attempts.failed;
  if (failed === null) return;
  if (fault === null) {
    failed.fail(exchange.target, exchange.response.status, "", ResetReason.None);
    return;
  }
  const message = guardedMessage(exchange, maskFault(exchange, fault).message);
  failed.fail(exchange.target, fault.status, fault.code, ResetReason.None, message, fault);
}

/** The context of an attempt is deleted. Without a response, the next attempt has not been chosen yet. */
export function onAttemptEnd(exchange: Exchange, contextId: u32): void {
  const attempts = exchange.attempts;
  if (attempts === null || attempts.contextId != contextId) return;
  exchange.endMeasurement(false);
  attempts.awaitsToken = false;
  const response = exchange.response;
  // One of its links still waits: it has been reset.
  if (response.waiting !== null && !response.isLeftToListener) response.removeAll();
  if (attempts.isDecided) return;
  const failed = attempts.failed;
  if (failed !== null) failed.fail(exchange.target, 0, "", resetReason());
  selectAfterReset(exchange, attempts);
}
