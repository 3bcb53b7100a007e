// A request of the filter's own, beside the client's: sent to a cluster, answered in a callback of the root context.
import * as abi from "./abi";
import { constant, Span } from "../bytes/text/bytes";
import { HeaderPairs } from "./header-pairs";

/** Where the answer of a callout is read from, in its callback. */
export const CALLOUT_HEADERS: i32 = 6;
export const CALLOUT_BODY: i32 = 4;

/** What `sendCallout` answers when the callout could not even be sent. */
export const NO_CALLOUT: u32 = 0xffffffff;

const METHOD = constant(":method");
const PATH = constant(":path");
const AUTHORITY = constant(":authority");
const REQUEST_DIRECTION: i32 = 0;

const TOKEN_CELL = memory.data(8);
const pairs = new HeaderPairs();

/** Adds a header to the callout that is sent next. Both spans must live until then. */
export function addCalloutHeader(name: Span, value: Span): void {
  pairs.add(name, value);
}

/** Sends a callout with the headers that were added. Answers the token of its callback, or NO_CALLOUT. */
export function sendCallout(
  cluster: Span,
  method: Span,
  path: Span,
  authority: Span,
  body: Span,
  timeoutMs: u32,
): u32 {
  pairs.add(METHOD, method);
  pairs.add(PATH, path);
  pairs.add(AUTHORITY, authority);
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

/** Makes the calls of this file's callback mean the stream that sent the callout. */
export function enterStream(contextId: u32): void {
  abi.proxy_set_effective_context(contextId);
}

/** Lets a request go on that was held while a callout was under way. */
export function resumeRequest(): void {
  abi.proxy_continue_stream(REQUEST_DIRECTION);
}
