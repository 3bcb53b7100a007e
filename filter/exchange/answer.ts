// Answers of the gateway's own: faults in the client's dialect, and the few things that need no provider.
import { Fault } from "../hub/fault";
import { addLocalHeader, sendLocalResponse } from "../host/local-response";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { Exchange } from "./exchange";
import { requestId, requestIdSpan } from "./request-id";

const CONTENT_TYPE = constant("content-type");
export const JSON_TYPE = constant("application/json");
const ALLOW = constant("allow");
const RETRY_AFTER = constant("retry-after");

/** What OpenAI's SDKs obey before they look at the status. */
export const SHOULD_RETRY = constant("x-should-retry");
export const FALSE = constant("false");

const EMPTY = new Span(0, 0);
const buffer = scratchBuffer();
const body = new Span(0, 0);
const allowBytes = scratchBuffer();
const allowSpan = new Span(0, 0);
const retryBytes = scratchBuffer();
const retrySpan = new Span(0, 0);

/** Answers with an error. The request goes no further. */
export function answerFault(exchange: Exchange, fault: Fault): void {
  buffer.clear();
  exchange.dialect.writeFault(fault, requestId(exchange), buffer);
  addLocalHeader(exchange.dialect.requestIdHeader, requestIdSpan(exchange));
  if (fault.isFinal) addLocalHeader(SHOULD_RETRY, FALSE);
  if (fault.allow.length > 0) addLocalHeader(ALLOW, fill(allowSpan, allowBytes, fault.allow));
  if (fault.retryAfter > 0)
    addLocalHeader(RETRY_AFTER, fill(retrySpan, retryBytes, fault.retryAfter.toString()));
  answer(exchange, fault.status, JSON_TYPE, buffer);
}

/** Points a span at the bytes of a text, in a block that the next answer uses again. */
function fill(span: Span, bytes: ByteBuffer, text: string): Span {
  bytes.clear();
  bytes.text(text);
  span.pointer = bytes.pointer;
  span.length = bytes.length;
  return span;
}

export function answer(exchange: Exchange, status: u32, type: Span, bytes: ByteBuffer): void {
  exchange.isAnswered = true;
  addLocalHeader(CONTENT_TYPE, type);
  body.pointer = bytes.pointer;
  body.length = bytes.length;
  sendLocalResponse(status, body);
}

/** 204 with what may be asked. */
export function answerOptions(exchange: Exchange, allowed: string): void {
  exchange.isAnswered = true;
  addLocalHeader(ALLOW, fill(allowSpan, allowBytes, allowed));
  sendLocalResponse(204, EMPTY);
}
