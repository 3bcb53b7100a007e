// Callouts: a stage or a link sends a call and waits; stages/run-stages.ts runs it again with the response. A link that has sent one
// returns `waitFor` (response/wait.ts).
import { HEADER_CLUSTER, HEADER_LOGGED_PATH } from "../../contract/words";
import { Exchange } from "../exchange/exchange";
import { REQUEST_ID, requestIdSpan } from "../exchange/request-id";
import { JSON_TYPE } from "../exchange/header-names";
import { addCalloutHeader, enterStream, NO_CALLOUT, sendCallout } from "../host/callout";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { appendMaskedPath, lengthWithoutQuery } from "../bytes/text/query";
import { Call } from "./call";
import { CalloutResponse } from "./callout-response";
import { addTraceContext } from "./trace-context";

/** Exchanges that wait for a callout, by its token. */
const waiting = new Map<u32, Exchange>();

const loggedPath = scratchBuffer();
const loggedSpan = new Span(0, 0);

/** The response that `receive` has read. No callback leaves it filled. */
export const calloutResponse = new CalloutResponse();

/** Sends a call; the exchange waits for its response. Returns false if it cannot be sent, or another one is in flight. */
export function send(exchange: Exchange, call: Call): bool {
  if (exchange.callout != NO_CALLOUT) return false;
  addHeaders(exchange, call);
  const token = sendCallout(
    constant("internal"),
    call.method,
    call.path,
    call.authority,
    call.body,
    call.timeoutMs,
  );
  if (token == NO_CALLOUT) return false;
  exchange.callout = token;
  waiting.set(token, exchange);
  return true;
}

/**
 * Reads the response of a callout, or its failure, in the root context's callback. Returns the exchange that waits for it, to whose
 * stream headers and bodies belong from then on; null if the stream is gone.
 */
export function receive(token: u32, size: u32): Exchange | null {
  if (!waiting.has(token)) return null;
  const exchange = waiting.get(token);
  forgetCallout(exchange);
  calloutResponse.receive(size);
  enterStream(contextOf(exchange));
  return exchange;
}

/** Returns the context in which the exchange waits: an attempt's, if a link waits where the upstream filter reads the response. */
function contextOf(exchange: Exchange): u32 {
  const attempts = exchange.attempts;
  const isAttempt = exchange.response.waiting !== null && exchange.isReadUpstream();
  return isAttempt && attempts !== null ? attempts.contextId : exchange.contextId;
}

/** Forgets the callout that an exchange waits for. */
export function forgetCallout(exchange: Exchange): void {
  if (exchange.callout == NO_CALLOUT) return;
  waiting.delete(exchange.callout);
  exchange.callout = NO_CALLOUT;
}

function addHeaders(exchange: Exchange, call: Call): void {
  addCalloutHeader(constant(HEADER_CLUSTER), call.cluster);
  addCalloutHeader(REQUEST_ID, requestIdSpan(exchange));
  addTraceContext(exchange, call.name);
  if (call.body.length > 0) addCalloutHeader(constant("content-type"), JSON_TYPE);
  for (let i = 0; i < call.headers.length; i++)
    addCalloutHeader(call.headers[i].name, call.headers[i].value);
  addLoggedPath(call.path);
}

/** Adds the path for access_internal.log if it has a query: the configuration may have put a key into it. */
function addLoggedPath(path: Span): void {
  if (lengthWithoutQuery(path) == path.length) return;
  loggedPath.clear();
  appendMaskedPath(path, loggedPath);
  addCalloutHeader(constant(HEADER_LOGGED_PATH), loggedPath.view(loggedSpan));
}
