// The head of a response decides who owns it, and its first phase. A response that needs nothing passes untouched.
import { Fault } from "../hub/faults/fault";
import { UsageObserver } from "../dialects/usage-observer";
import { Exchange } from "../exchange/exchange";
import { requestIdSpan } from "../exchange/request-id";
import { respondWithEstimate } from "../exchange/respond";
import { ResponseOwner, ResponsePhase } from "../exchange/response";
import {
  CONTENT_ENCODING,
  CONTENT_LENGTH,
  CONTENT_TYPE,
  ENCODING,
  isCompressed,
  readResponseHead,
  removeEncodingCopy,
  removeForeignHeaders,
  removeForeignHeadersBehindRoute,
  STATUS,
} from "../exchange/response-head";
import { RESPONSE_HEADERS, setHeaderNumber } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { startsWith } from "../bytes/text/at";
import { constant, sameSpan } from "../bytes/text/bytes";
import { decimal, statusCode } from "../bytes/text/decimal";
import { isFromProvider, responseDetails } from "../exchange/envoy-errors";
import { isJson, STATUS as STATUS_HEADER } from "../exchange/header-names";
import { maskHead } from "./mask-credentials";
import { isOfAws, signatureFault, statusOfAws } from "./aws-status";
import { hasCostHeader } from "./cost-header";
import { setDroppedHeader } from "./dropped-header";
import { onEnvoyErrorHead } from "./envoy-error";
import { onErrorHead } from "./error";
import { headFault, isDecompressing } from "./faults";
import { replaceResponse } from "./replace";
import { setServedHeaders } from "./served-headers";
import { startUsageFilter, startWatch } from "./stream";
import { onTranslatedHead } from "./translated";
import { startUnwrapping } from "./unwrap";

/** Reads a head in the listener's context: a provider's, or that of a local response. Returns the status for Envoy. */
export function onHead(exchange: Exchange, endsHere: bool): i32 {
  const response = exchange.response;
  if (response.isLocal) return CONTINUE;
  readStatus(exchange);
  if (response.status >= 400) {
    const details = responseDetails();
    if (!isFromProvider(details)) {
      response.owner = ResponseOwner.Envoy;
      return onEnvoyErrorHead(exchange, details, endsHere);
    }
  }
  if (exchange.isReadUpstream()) {
    if (response.hasEncoding) removeEncodingCopy();
    return CONTINUE;
  }
  if (exchange.target === null) {
    response.enter(ResponseOwner.NativeRoute, ResponsePhase.Passed);
    return CONTINUE;
  }
  // Masking may read the head again.
  maskHead(exchange);
  removeForeignHeadersBehindRoute(requestIdSpan(exchange));
  // Of several encodings Envoy may have decoded one.
  response.isDecompressed =
    !endsHere && ENCODING.length > 0 && !sameSpan(ENCODING, CONTENT_ENCODING);
  if (isNotCounted(exchange)) {
    respondWithEstimate(exchange);
    return STOP;
  }
  startUnwrapping(exchange);
  const fault = headFault(exchange, endsHere, false);
  return fault === null ? onProviderHead(exchange) : replaceResponse(exchange, fault);
}

/** Returns whether the provider does not support an endpoint whose response the gateway can estimate. */
function isNotCounted(exchange: Exchange): bool {
  const status = exchange.response.status;
  if (!exchange.client.endpoint.row.isEstimated) return false;
  // AWS counts for some models only, and needs another permission than for a message.
  const isRefused = (status == 400 || status == 403) && isOfAws();
  return status == 404 || status == 405 || isRefused;
}

/** Returns whether the response is a count in a form that is not the client's. */
function isCountInOtherForm(exchange: Exchange): bool {
  const target = exchange.target;
  if (target === null || !exchange.client.endpoint.row.isEstimated) return false;
  return target.countMember.length > 0;
}

/** Reads a head in the context of an attempt. Returns why it is an error by its head alone, or null. */
export function readAttemptHead(exchange: Exchange, endsHere: bool): Fault | null {
  const response = exchange.response;
  readStatus(exchange);
  response.isLeftToListener = !endsHere && isCompressed() && isDecompressing(exchange.target);
  response.hasEncoding = CONTENT_ENCODING.length > 0;
  maskHead(exchange);
  removeForeignHeaders();
  if (!response.isLeftToListener) startUnwrapping(exchange);
  return headFault(exchange, endsHere, response.isLeftToListener);
}

/** Chooses the first phase of a provider's response, whose head was read last. Returns the status for Envoy. */
export function onProviderHead(exchange: Exchange): i32 {
  const response = exchange.response;
  response.enter(ResponseOwner.Provider, ResponsePhase.Passed);
  setDroppedHeader(exchange);
  setServedHeaders(exchange);
  const tally = exchange.tally;
  if (tally !== null) tally.startResponse(response.status, exchange.isTranslated());
  const meter = exchange.meter;
  if (meter !== null) meter.startResponse();
  if (response.status >= 400) return onErrorHead(exchange);
  const row = exchange.client.endpoint.row;
  if (exchange.isTranslated() && row.isInference) return onTranslatedHead(exchange);
  if (exchange.readsUsage()) startObserver(exchange);
  const isEventStream = startsWith(
    CONTENT_TYPE.pointer,
    CONTENT_TYPE.length,
    constant("text/event-stream"),
  );
  const observer = response.observer;
  if (observer !== null && isEventStream) startUsageFilter(exchange, observer);
  if (isEventStream && response.isDecompressed && row.isInference) startWatch(exchange);
  if (isCountInOtherForm(exchange)) {
    response.phase = ResponsePhase.Count;
    return STOP;
  }
  if (response.unwrapper !== null) {
    response.phase = ResponsePhase.Unwrapped;
    return STOP;
  }
  // What a provider stores may be a page.
  response.phase =
    row.hasModel && startsWith(CONTENT_TYPE.pointer, CONTENT_TYPE.length, constant("text/html"))
      ? ResponsePhase.Page
      : phaseOfBody(exchange, isEventStream);
  const isHeld = response.phase == ResponsePhase.Page || response.phase == ResponsePhase.Whole;
  return isHeld ? STOP : CONTINUE;
}

/** Returns the phase of a response in the client's dialect that is not a page. */
export function phaseOfBody(exchange: Exchange, isEventStream: bool): ResponsePhase {
  const response = exchange.response;
  const isRead = isCounted(exchange);
  // Only JSON shows whether it is complete.
  const isDecompressed =
    response.isDecompressed && (exchange.client.endpoint.row.isInference || isJson(CONTENT_TYPE));
  const isChecked =
    isDecompressed || hasCostHeader(exchange) || (isRead && !exchange.client.isStreaming);
  if (isChecked && !isEventStream) return ResponsePhase.Whole;
  return isRead || response.observer !== null || response.watch !== null
    ? ResponsePhase.Stream
    : ResponsePhase.Passed;
}

/** Has the usage of a response read while it passes. */
function startObserver(exchange: Exchange): void {
  const target = exchange.target;
  const dialect = exchange.client.dialect;
  if (target === null || target.dialect !== dialect) return;
  exchange.response.observer = new UsageObserver(
    dialect,
    exchange.isObserved,
    exchange.modelText(target),
    decimal(CONTENT_LENGTH),
    exchange.tally !== null,
  );
}

/** Returns whether a limit counts the usage of the response. */
function isCounted(exchange: Exchange): bool {
  const meter = exchange.meter;
  return meter !== null && meter.countsTokens;
}

function readStatus(exchange: Exchange): void {
  const response = exchange.response;
  readResponseHead();
  response.status = statusCode(STATUS);
  if (response.status < 400) return;
  const fault = response.status == 403 ? signatureFault(exchange.target) : null;
  const status = fault === null ? statusOfAws(response.status) : fault.status;
  if (status != response.status) setHeaderNumber(RESPONSE_HEADERS, STATUS_HEADER, status);
  response.status = status;
  if (fault !== null) response.fault = fault;
}
