// Replaces a provider's response, whose head is still held, by an error. The headers about a retry are kept, and the type of
// the body that the client does not get.
import { Fault } from "../hub/faults/fault";
import { respondWithFault } from "../exchange/respond";
import { Exchange } from "../exchange/exchange";
import { header, RESPONSE_HEADERS } from "../host/host";
import { addLocalHeader } from "../host/local-response";
import { STOP } from "../host/status";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { CONTENT_TYPE, isJson, UPSTREAM_TYPE } from "../exchange/header-names";
import { emptyFault } from "./faults";
import { maskFault } from "./mask-credentials";

/** SDKs read from them whether and when to retry. */
const RETRY_HEADERS: Span[] = [
  constant("retry-after"),
  constant("retry-after-ms"),
  constant("x-should-retry"),
];
const keptValues: Span[] = [new Span(0, 0), new Span(0, 0), new Span(0, 0), new Span(0, 0)];
/** Index of the type of the body. */
const TYPE = 3;
const kept = scratchBuffer();

/** Sends the fault to the client, and ends the provider's response. Returns the status for the callback. */
export function replaceResponse(exchange: Exchange, fault: Fault): i32 {
  kept.clear();
  for (let i = 0; i < RETRY_HEADERS.length; i++) keepHeader(RETRY_HEADERS[i], keptValues[i]);
  keepHeader(UPSTREAM_TYPE, keptValues[TYPE]);
  if (keptValues[TYPE].length == 0) keepType(keptValues[TYPE]);
  for (let i = 0; i < keptValues.length; i++) {
    if (keptValues[i].length == 0) continue;
    // Offsets until now: the buffer may have moved while it grew.
    keptValues[i].pointer += kept.pointer;
    addLocalHeader(i == TYPE ? UPSTREAM_TYPE : RETRY_HEADERS[i], keptValues[i]);
  }
  respondWithFault(exchange, maskFault(exchange, fault));
  return STOP;
}

/** The same for a response that has ended without a body. */
export function replaceByEmptyFault(exchange: Exchange): i32 {
  return replaceResponse(exchange, emptyFault(exchange.response.status));
}

/** Copies the value of a response header into `kept`; `value` gets its offset there. */
function keepHeader(name: Span, value: Span): void {
  const text = header(RESPONSE_HEADERS, name);
  value.pointer = kept.length;
  value.length = text.length;
  kept.span(text);
}

function keepType(value: Span): void {
  keepHeader(CONTENT_TYPE, value);
  value.pointer += kept.pointer;
  if (isJson(value)) value.length = 0;
  value.pointer -= kept.pointer;
}
