// The trace context of callouts: their spans are children of the request's span. Envoy does not propagate it.
// @see https://www.w3.org/TR/trace-context/
import { HEADER_SPAN, HEADER_STEP } from "../../contract/trace";
import { Exchange } from "../exchange/exchange";
import { Trace } from "../exchange/written-trace";
import { addCalloutHeader } from "../host/callout";
import { header, REQUEST_HEADERS } from "../host/host";
import { byteAt } from "../bytes/text/at";
import { constant, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";

const TRACEPARENT = constant("traceparent");
const TRACESTATE = constant("tracestate");
const VERSION = constant("00-");

/** Lengths of `<trace id>-<span id>`, and of a client's `00-<trace id>-<span id>-<flags>`. */
const SPAN_LENGTH: u32 = 49;
const PARENT_LENGTH: u32 = 55;
const TRACE_ID_LENGTH: u32 = 32;
const ALL: u64 = 10_000;

const parent = scratchBuffer();
const state = scratchBuffer();
const parentSpan = new Span(0, 0);
const stateSpan = new Span(0, 0);

/** Adds `traceparent` and `tracestate` to the callout that is sent next, and the name of its span. */
export function addTraceContext(exchange: Exchange, name: Span): void {
  const trace = exchange.trace;
  if (trace === null) return;
  const own = header(REQUEST_HEADERS, constant(HEADER_SPAN));
  if (own.length != SPAN_LENGTH) return;
  parent.clear();
  parent.span(VERSION);
  parent.span(own);
  parent.text(isSampled(trace) ? "-01" : "-00");
  addCalloutHeader(constant(HEADER_STEP), name);
  addCalloutHeader(TRACEPARENT, parent.view(parentSpan));
  state.clear();
  state.span(header(REQUEST_HEADERS, TRACESTATE));
  if (state.length > 0) addCalloutHeader(TRACESTATE, state.view(stateSpan));
}

/** Returns what Envoy's sampler has decided: the client's flag if Envoy follows its span, else a share of all trace ids. */
function isSampled(trace: Trace): bool {
  const id = parent.pointer + VERSION.length;
  const sent = header(REQUEST_HEADERS, TRACEPARENT);
  const isFollowed =
    sent.length == PARENT_LENGTH &&
    sameBytes(sent.pointer + VERSION.length, TRACE_ID_LENGTH, id, TRACE_ID_LENGTH);
  if (trace.followsParent && isFollowed)
    return (hexDigit(sent.pointer, PARENT_LENGTH - 1) & 1) == 1;
  let number: u64 = 0;
  for (let i: u32 = 0; i < 16; i++) number = (number << 4) | hexDigit(id, i);
  // Envoy's number has the first byte of the id as its lowest one.
  return bswap<u64>(number) % ALL < trace.sampled;
}

/** Returns the value of a lower-case hexadecimal digit. */
function hexDigit(pointer: usize, at: u32): u64 {
  const c = byteAt(pointer, at);
  return c <= 0x39 ? c - 0x30 : c - 0x57;
}
