// Runs the stages of a request (stages.ts): one loop for all events.
import { wasRefused } from "../memory/blocks";
import { calloutResponse, receive } from "../callouts/callouts";
import { Config } from "../config/read-config";
import { respondWithFault } from "../exchange/respond";
import { Exchange } from "../exchange/exchange";
import { traceRequest } from "../observe/write-trace";
import { ResponseOwner } from "../exchange/response";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { resumeRequest } from "../host/callout";
import { clearHeaders, REQUEST_TRAILERS } from "../host/host";
import { SCAN_OK } from "../bytes/json/scan";
import { CONTINUE, STOP } from "../host/status";
import { Outcome, StageContext } from "./stage-context";
import { onLinkCallout } from "./response-callbacks";
import { STAGES } from "./stages";

const context = new StageContext();

export function onRequestHeaders(exchange: Exchange, config: Config, endsHere: bool): i32 {
  exchange.client.isWhole = endsHere;
  context.start(config);
  return run(exchange);
}

export function onRequestBody(exchange: Exchange, config: Config, size: u32, endsHere: bool): i32 {
  // A body that passes goes on while the provider responds.
  if (exchange.stage == STAGES.length) return CONTINUE;
  exchange.client.bodyLength = size;
  exchange.client.isWhole = endsHere;
  if (exchange.response.owner != ResponseOwner.None) return STOP;
  context.start(config);
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

/**
 * Runs the stage that waits for a callout again, with the response or its failure, and with the body, which only Envoy has while a
 * callout is in flight; or the link that waits. Runs in the root context.
 */
export function onCallout(config: Config, token: u32, size: u32): void {
  const exchange = receive(token, size);
  if (exchange === null) return;
  if (exchange.response.waiting !== null) onLinkCallout(exchange);
  else runWithResponse(exchange, config);
  calloutResponse.clear();
}

function runWithResponse(exchange: Exchange, config: Config): void {
  context.start(config);
  context.response = calloutResponse;
  const isReady = !wasRefused() && context.openBody(exchange.client) == SCAN_OK;
  const outcome = isReady ? Outcome.Next : context.refuse(outOfMemory("request"));
  if (run(exchange, outcome) == CONTINUE) resumeRequest();
}

/** Runs the stages until one stops. Returns the status for Envoy. */
function run(exchange: Exchange, outcome: Outcome = Outcome.Next): i32 {
  while (outcome == Outcome.Next && exchange.stage < STAGES.length) {
    outcome = unchecked(STAGES[exchange.stage])(exchange, context);
    context.response = null;
    if (outcome == Outcome.Next) exchange.stage++;
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
