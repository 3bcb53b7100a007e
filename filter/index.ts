// The filter's exports: the callbacks of Envoy (proxy-wasm 0.2.1), for a stream in a listener or for an attempt.
import { forgetCallout } from "./callouts/callouts";
import { allocate } from "./host/host";
import { config, configureRoot, createRoot, deleteRoot, startVm } from "./contexts/roots";
import { settleRecord } from "./observe/write-usage-record";
import { reportRefusals } from "./observe/memory-log";
import { CONTINUE, STOP } from "./host/status";
import {
  collect,
  collectWhenDue,
  createStream,
  deleteContext,
  deleteStream,
  endPush,
  exchangeOf,
  isPush,
  joinAttempt,
} from "./contexts/streams";
import { onCallout, onRequestBody, onRequestHeaders, onRequestTrailers } from "./stages/run-stages";
import { onPushBody, onPushHeaders } from "./stages/pushes";
import { onResponseBody, onResponseHeaders, onResponseTrailers } from "./stages/response-callbacks";
import { hasTakenLarge, wasRefused } from "./memory/blocks";
import { trimTapes } from "./bytes/json/tape";
import { endFlow } from "./prompt/flows";
import { trimScratch } from "./bytes/text/bytes";
import {
  exchangeIdOfAttempt,
  onAttemptBody,
  onAttemptEnd,
  onAttemptHeaders,
  onAttemptResponse,
  onAttemptResponseBody,
  onAttemptResponseTrailers,
  rejectUnknownAttempt,
} from "./attempt/attempt";

/** Ends a callback: frees what only large bodies need, and logs refused memory. */
function done(status: i32 = CONTINUE): i32 {
  if (hasTakenLarge()) {
    wasRefused();
    trimScratch();
    trimTapes();
  }
  reportRefusals();
  collectWhenDue();
  return status;
}

/** Ends a callback of a push, which has or has not got its response. */
function pushed(id: u32, hasResponse: bool): i32 {
  if (hasResponse) endPush(id);
  return done(STOP);
}

export function proxy_abi_version_0_2_1(): void {}

export function proxy_on_memory_allocate(size: usize): usize {
  return allocate(size);
}

export function proxy_on_context_create(id: u32, rootId: u32): void {
  if (rootId == 0) createRoot(id);
  else createStream(id, rootId);
}

export function proxy_on_vm_start(_rootId: u32, size: u32): u32 {
  const isRead = startVm(size);
  collect();
  return isRead ? 1 : 0;
}

export function proxy_on_configure(rootId: u32, size: u32): u32 {
  return configureRoot(rootId, size) ? 1 : 0;
}

export function proxy_on_request_headers(id: u32, _count: u32, endsHere: u32): i32 {
  const exchange = exchangeOf(id);
  if (exchange !== null) return done(onRequestHeaders(exchange, config, endsHere != 0));
  if (isPush(id)) return pushed(id, onPushHeaders(endsHere != 0));
  const attempted = joinAttempt(id, exchangeIdOfAttempt());
  return done(attempted === null ? rejectUnknownAttempt() : onAttemptHeaders(attempted, id));
}

export function proxy_on_request_body(id: u32, size: u32, endsHere: u32): i32 {
  const isEnd = endsHere != 0;
  const exchange = exchangeOf(id);
  if (exchange === null) return isPush(id) ? pushed(id, onPushBody(config, size, isEnd)) : CONTINUE;
  return done(
    exchange.contextId == id
      ? onRequestBody(exchange, config, size, isEnd)
      : onAttemptBody(exchange, size, isEnd),
  );
}

export function proxy_on_request_trailers(id: u32, _count: u32): i32 {
  const exchange = exchangeOf(id);
  if (exchange === null || exchange.contextId != id) return CONTINUE;
  return done(onRequestTrailers(exchange));
}

export function proxy_on_response_headers(id: u32, count: u32, endsHere: u32): i32 {
  const isEnd = endsHere != 0;
  const exchange = exchangeOf(id);
  if (exchange === null) return CONTINUE;
  return done(
    exchange.contextId == id
      ? onResponseHeaders(exchange, count, isEnd)
      : onAttemptResponse(exchange, isEnd),
  );
}

export function proxy_on_response_body(id: u32, size: u32, endsHere: u32): i32 {
  const isEnd = endsHere != 0;
  const exchange = exchangeOf(id);
  if (exchange === null) return CONTINUE;
  return done(
    exchange.contextId == id
      ? onResponseBody(exchange, size, isEnd)
      : onAttemptResponseBody(exchange, size, isEnd),
  );
}

export function proxy_on_response_trailers(id: u32, _count: u32): i32 {
  const exchange = exchangeOf(id);
  if (exchange === null) return CONTINUE;
  return done(
    exchange.contextId == id ? onResponseTrailers(exchange) : onAttemptResponseTrailers(exchange),
  );
}

export function proxy_on_http_call_response(
  _rootId: u32,
  token: u32,
  _headers: u32,
  size: u32,
  _trailers: u32,
): void {
  onCallout(config, token, size);
  done();
}

/** Envoy writes its access logs next. */
export function proxy_on_log(id: u32): void {
  if (!config.isObserved) return;
  const exchange = exchangeOf(id);
  if (exchange === null || exchange.contextId != id) return;
  settleRecord(exchange);
  const content = exchange.content;
  if (content !== null) {
    const session = exchange.session;
    content.settle(exchange.client.apiKey, session === null ? null : session.id);
  }
  done();
}

export function proxy_on_delete(id: u32): void {
  const exchange = exchangeOf(id);
  if (exchange === null) {
    endPush(id);
    deleteRoot(id);
    deleteContext(id);
  } else if (exchange.contextId == id) {
    forgetCallout(exchange);
    endFlow(id);
    deleteStream(exchange);
  } else {
    onAttemptEnd(exchange, id);
    deleteContext(id);
  }
  done();
}
