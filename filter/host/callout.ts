// Callouts: requests that the filter itself sends to a cluster. The response arrives in a callback of the root context.
import * as abi from "./abi";
import { constant, Span } from "../bytes/text/bytes";
import { HeaderPairs } from "./header-pairs";

/** The response of a callout, in its callback. */
export const CALLOUT_HEADERS: i32 = 6;
export const CALLOUT_BODY: i32 = 4;

/** What `sendCallout` returns if the callout cannot be sent. */
export const NO_CALLOUT: u32 = 0xffffffff;

const REQUEST_DIRECTION: i32 = 0;
const RESPONSE_DIRECTION: i32 = 1;

const TOKEN_CELL = memory.data(8);
const pairs = new HeaderPairs();

/** Adds a header to the callout that is sent next. Both spans must stay valid until then. */
export function addCalloutHeader(name: Span, value: Span): void {
  pairs.add(name, value);
}

/** Sends a callout with the headers that were added. Returns the token of its callback, or NO_CALLOUT. */
export function sendCallout(
  cluster: Span,
  method: Span,
  path: Span,
  authority: Span,
  body: Span,
  timeoutMs: u32,
): u32 {
  pairs.add(constant(":method"), method);
  pairs.add(constant(":path"), path);
  pairs.add(constant(":authority"), authority);
  pairs.serialise();
  const headers = pairs.bytes;
  const status = abi.proxy_http_call(
    cluster.pointer,
    cluster.length,
    headers.pointer,
    headers.length,
    body.pointer,
    body.length,
    0,
    0,
    timeoutMs,
    TOKEN_CELL,
  );
  return status == 0 ? load<u32>(TOKEN_CELL) : NO_CALLOUT;
}

/** Makes the calls that follow in a callout's callback apply to the stream that sent it. */
export function enterStream(contextId: u32): void {
  abi.proxy_set_effective_context(contextId);
}

/** Continues a request that was held while a callout was in flight. */
export function resumeRequest(): void {
  abi.proxy_continue_stream(REQUEST_DIRECTION);
}

/**
 * Continues a response that was held while a callout was in flight. Only after its end: Envoy's Wasm context goes on buffering
 * (`buffering_response_body_` in source/extensions/common/wasm/context.cc), and the bytes of the next callback would stay in its buffer.
 */
export function resumeResponse(): void {
  abi.proxy_continue_stream(RESPONSE_DIRECTION);
}
