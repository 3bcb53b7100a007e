// The head of a response decides who owns it, and what happens to its bytes. A response that needs nothing passes untouched.
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { requestIdSpan } from "../exchange/request-id";
import { respondWithEstimate } from "../exchange/respond";
import { ResponseOwner } from "../exchange/response";
import {
  CONTENT_ENCODING,
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
import { sameSpan } from "../bytes/text/bytes";
import { statusCode } from "../bytes/text/decimal";
import { isFromProvider, responseDetails } from "../exchange/envoy-errors";
import { STATUS as STATUS_HEADER } from "../exchange/header-names";
import { maskHead } from "./mask-credentials";
import { isOfAws, signatureFault, statusOfAws } from "./aws-status";
import { plan } from "./chain";
import { setDroppedHeader } from "./dropped-header";
import { headFault, isDecompressing } from "./faults";
import { replaceResponse } from "./replace";
import { setServedHeaders } from "./served-headers";
import { holdEnvoyError } from "./links/hold-envoy-error";
import { startUnwrapping } from "./links/unwrap-frames";

/** Reads a head in the listener's context: a provider's, or that of a local response. Returns the status for Envoy. */
export function onHead(exchange: Exchange, endsHere: bool): i32 {
  const response = exchange.response;
  if (response.isLocal) return CONTINUE;
  readStatus(exchange);
  if (response.status >= 400) {
    const details = responseDetails();
    if (!isFromProvider(details)) {
      return holdEnvoyError(exchange, details, endsHere);
    }
  }
  if (exchange.isReadUpstream()) {
    if (response.hasEncoding) removeEncodingCopy();
    return CONTINUE;
  }
  if (exchange.target === null) {
    response.enter(ResponseOwner.NativeRoute);
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

/** Plans what happens to a provider's response, whose head was read last. Returns the status for Envoy. */
export function onProviderHead(exchange: Exchange): i32 {
  const response = exchange.response;
  response.owner = ResponseOwner.Provider;
  setDroppedHeader(exchange);
  setServedHeaders(exchange);
  const estimate = exchange.estimate;
  if (estimate !== null) estimate.startResponse(response.status, exchange.isTranslated());
  const limiter = exchange.limiter;
  if (limiter !== null) limiter.startResponse();
  plan(exchange);
  const first = response.links;
  response.isHeadHeld = first !== null && first.isHeadHeld;
  return response.isHeadHeld ? STOP : CONTINUE;
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
