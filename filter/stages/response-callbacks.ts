// The response callbacks of the listener. If the upstream filter reads the provider's response, only local responses of Envoy,
// rate limit headers and the `metadata` member are left to do here.
import { onAttemptCallout } from "../attempt/attempt";
import { Exchange } from "../exchange/exchange";
import { traceResponse } from "../observe/write-trace";
import { ResponseOwner } from "../exchange/response";
import { resumeResponse } from "../host/callout";
import { clearHeaders, RESPONSE_TRAILERS } from "../host/host";
import { CONTINUE } from "../host/status";
import { writeRateLimitHeaders } from "../limits/limit-headers";
import { closeBody } from "../response/body";
import { finishBytes } from "../response/chain";
import { onHead } from "../response/head";
import { prepareMetadata } from "../response/links/metadata";
import { onBody, onCallout, onTrailers } from "../response/run";

/** A local response of Envoy has at most these headers: status, length, type, request id, and `retry-after` or a second request id. */
const MAX_LOCAL_HEADERS: u32 = 5;

/** @param count how many headers there are */
export function onResponseHeaders(exchange: Exchange, count: u32, endsHere: bool): i32 {
  const status = readHead(exchange, count, endsHere);
  if (endsHere) traceResponse(exchange, true);
  return status;
}

function readHead(exchange: Exchange, count: u32, endsHere: bool): i32 {
  // A head that the upstream filter has read is not read again, which saves 12,000 instructions.
  const isOfProvider = exchange.response.owner == ResponseOwner.Provider;
  const isRead = isOfProvider && exchange.isReadUpstream() && count > MAX_LOCAL_HEADERS;
  const status = isRead && !exchange.response.hasEncoding ? CONTINUE : onHead(exchange, endsHere);
  if (exchange.metadata !== null) prepareMetadata(exchange);
  const limiter = exchange.limiter;
  if (limiter !== null) {
    // Which limit ruled out an earlier target is of no use to the client that gets another model's response.
    if (exchange.response.owner != ResponseOwner.Filter) limiter.refusedBy = null;
    writeRateLimitHeaders(limiter, exchange.client.dialect, exchange.target);
  }
  return status;
}

export function onResponseBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  // The callback may be one that a local response has caused in another.
  closeBody();
  const status = isReadHere(exchange) ? onBody(exchange, size, endsHere) : CONTINUE;
  if (status == CONTINUE) finishBytes(exchange);
  closeBody();
  traceResponse(exchange, endsHere && exchange.response.waiting === null);
  return status;
}

/** The callout for which a link waits is over. Runs in the root context. */
export function onLinkCallout(exchange: Exchange): void {
  const isHere = isReadHere(exchange);
  const status = isHere ? onCallout(exchange) : onAttemptCallout(exchange);
  const isOver = status == CONTINUE;
  if (isHere && isOver) finishBytes(exchange);
  closeBody();
  if (isHere) traceResponse(exchange, isOver);
  if (isOver) resumeResponse();
}

/**
 * The end of a response with trailers: the provider's, or those in which Envoy's decompressors report what they did. No
 * provider's API uses trailers; they would bypass all rules for headers.
 */
export function onResponseTrailers(exchange: Exchange): i32 {
  const response = exchange.response;
  if (response.isLocal) return CONTINUE;
  const isHeld = response.isBodyHeld;
  clearHeaders(RESPONSE_TRAILERS);
  const status = isReadHere(exchange) ? onTrailers(exchange) : CONTINUE;
  if (isHeld && status == CONTINUE) finishBytes(exchange);
  closeBody();
  traceResponse(exchange, exchange.response.waiting === null);
  return status;
}

function isReadHere(exchange: Exchange): bool {
  return !exchange.isReadUpstream() || exchange.response.owner == ResponseOwner.Envoy;
}
