// Runs the stages of a request (stages.ts): one loop for all events.
import { Config } from "../config/read-config";
import { respondWithFault } from "../exchange/respond";
import { Exchange } from "../exchange/exchange";
import { traceRequest } from "../observe/write-trace";
import { ResponseOwner } from "../exchange/response";
import { Fault } from "../hub/faults/fault";
import { resumeRequest } from "../host/callout";
import { clearHeaders, REQUEST_TRAILERS } from "../host/host";
import { CONTINUE, STOP } from "../host/status";
import { takeWaiting } from "../prompt/callouts";
import { flowOf } from "../prompt/flows";
import { Outcome, RequestEvent, StageContext } from "./outcome";
import { STAGES } from "./stages";

const context = new StageContext();

export function onRequestHeaders(exchange: Exchange, config: Config, endsHere: bool): i32 {
  context.start(config, RequestEvent.Headers, 0, endsHere);
  return run(exchange);
}

export function onRequestBody(exchange: Exchange, config: Config, size: u32, endsHere: bool): i32 {
  // A body that passes goes on while the provider responds.
  if (exchange.stage < STAGES.length && exchange.response.owner != ResponseOwner.None) return STOP;
  context.start(config, RequestEvent.Body, size, endsHere);
  return run(exchange);
}

/**
 * Reads trailers, which only clients over HTTP/2 can send and no API of a model has. A body that the stages wait for is rejected:
 * Envoy would send it without a decision of theirs. Behind a body that passes they are removed.
 */
export function onRequestTrailers(exchange: Exchange): i32 {
  if (exchange.stage == STAGES.length) {
    clearHeaders(REQUEST_TRAILERS);
    return CONTINUE;
  }
  if (exchange.response.owner == ResponseOwner.None)
    respondWithFault(
      exchange,
      new Fault(400, "The gateway does not support trailers of a request. Send it without them."),
    );
  return STOP;
}

/** The response of a prompt's callout, or its failure. Runs in the root context. */
export function onCallout(config: Config, token: u32, size: u32): void {
  const flow = flowOf(takeWaiting(token));
  if (flow === null) return;
  context.start(config, RequestEvent.Callout, size, false);
  if (run(flow.prompt.exchange) == CONTINUE) resumeRequest();
}

/** Runs the stages until one stops. Returns the status for Envoy. */
function run(exchange: Exchange): i32 {
  let outcome = Outcome.Next;
  while (exchange.stage < STAGES.length) {
    outcome = unchecked(STAGES[exchange.stage])(exchange, context);
    if (outcome != Outcome.Next) break;
    exchange.stage++;
  }
  if (outcome == Outcome.Leave) exchange.stage = STAGES.length;
  context.end(exchange);
  traceRequest(exchange);
  const fault = context.fault;
  if (outcome == Outcome.Refused && fault !== null) {
    if (exchange.mayHaveActed) fault.isFinal = true;
    respondWithFault(exchange, fault);
  }
  return outcome == Outcome.Next || outcome == Outcome.Leave ? CONTINUE : STOP;
}
