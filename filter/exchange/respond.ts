// Local responses of the filter: faults in the client's dialect, and the few responses that need no provider.
import { HEADER_ESTIMATED } from "../../contract/words";
import { Fault } from "../hub/faults/fault";
import { addLocalHeader, sendLocalResponse } from "../host/local-response";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { Exchange } from "./exchange";
import { JSON_TYPE } from "./header-names";
import { requestIdSpan } from "./request-id";
import { ResponseOwner } from "./response";
import { writeFault } from "./write-client-fault";

export const EVENT_STREAM_TYPE = constant("text/event-stream; charset=utf-8");
const ALLOW = constant("allow");
export const RETRY_AFTER = constant("retry-after");

/** OpenAI's SDKs obey it before they look at the status. */
export const SHOULD_RETRY = constant("x-should-retry");
export const FALSE = constant("false");

const EMPTY = new Span(0, 0);
const buffer = scratchBuffer();
const body = new Span(0, 0);
const allowBytes = scratchBuffer();
const allowSpan = new Span(0, 0);
const retryBytes = scratchBuffer();
const retrySpan = new Span(0, 0);

/** Sends an error to the client. The request goes no further. */
export function respondWithFault(exchange: Exchange, fault: Fault): void {
  exchange.fault = fault;
  buffer.clear();
  writeFault(exchange, fault, buffer);
  addLocalHeader(exchange.client.dialect.requestIdHeader, requestIdSpan(exchange));
  if (fault.isFinal) addLocalHeader(SHOULD_RETRY, FALSE);
  if (fault.allow.length > 0) addLocalHeader(ALLOW, fill(allowSpan, allowBytes, fault.allow));
  if (fault.retryAfter > 0)
    addLocalHeader(RETRY_AFTER, fill(retrySpan, retryBytes, fault.retryAfter.toString()));
  respond(exchange, fault.status, JSON_TYPE, buffer);
}

/** Points a span at a copy of a text in `bytes`. */
function fill(span: Span, bytes: ByteBuffer, text: string): Span {
  bytes.clear();
  bytes.text(text);
  return bytes.view(span);
}

/** Sends a response to the client. */
export function respond(exchange: Exchange, status: u32, type: Span, bytes: ByteBuffer): void {
  addLocalHeader(constant("content-type"), type);
  send(exchange, status, bytes.view(body));
}

/** Sends the estimated tokens of a request whose provider does not count them. */
export function respondWithEstimate(exchange: Exchange): void {
  buffer.clear();
  buffer.text('{"input_tokens":');
  buffer.integer(<i64>exchange.client.estimatedTokens);
  buffer.text("}");
  addLocalHeader(constant(HEADER_ESTIMATED), constant("input_tokens"));
  respond(exchange, 200, JSON_TYPE, buffer);
}

/** Sends a 204 with the methods that are allowed. */
export function respondToOptions(exchange: Exchange, allowed: string): void {
  addLocalHeader(ALLOW, fill(allowSpan, allowBytes, allowed));
  send(exchange, 204, EMPTY);
}

function send(exchange: Exchange, status: u32, content: Span): void {
  // What is replaced costs the client nothing.
  const estimate = exchange.estimate;
  if (estimate !== null && !exchange.response.hasLeft) estimate.hasResponse = false;
  // Before it is sent, because Envoy calls the response callbacks meanwhile.
  exchange.response.enter(ResponseOwner.Filter);
  const captured = exchange.content;
  if (captured !== null) captured.keepLocalResponse(content);
  sendLocalResponse(status, content);
}
