// The downstream pipeline: THE ordered list of what happens to a request, and then to its response.
import { freeBlock } from "../memory/blocks";
import { mayBegin } from "../memory/budget";
import { PromptConfig } from "../config/prompt-target";
import { Config } from "../config/read-config";
import { Target } from "../config/target";
import { HEADER_CLUSTER, HEADER_STREAM_CLUSTER, PROPERTY_EXCHANGE } from "../../contract/words";
import { Fault, outOfMemory } from "../hub/fault";
import { answerFault } from "../exchange/answer";
import { Attempts } from "../exchange/attempts";
import { caseFault } from "../dialects/member-case";
import { keepsBody } from "../exchange/client-body";
import { Exchange } from "../exchange/exchange";
import { ResponseOwner } from "../exchange/response";
import { startMeter } from "../limits/meter";
import {
  REQUEST_BODY,
  REQUEST_HEADERS,
  setHeader,
  setHeaderNumber,
  setProperty,
  takeBody,
} from "../host/host";
import { resumeRequest } from "../host/callout";
import { CONTINUE, STOP } from "../host/status";
import { scan, scanErrorAt, scanMessage, SCAN_MEMORY, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { canExpress, leaveBody, prepareAttempt, prepareBody } from "../upstream/request";
import { setRetryCluster } from "../upstream/next-attempt";
import { bodyTooLarge } from "../exchange/envoy-errors";
import { takeWaiting } from "../prompt/callouts";
import { PromptFlow } from "../prompt/flow";
import { OUTCOME_ANSWER, OUTCOME_SEND, OUTCOME_WAIT } from "../prompt/outcome";
import { Prompt } from "../prompt/prompt";
import { answerPrompt } from "../prompt/answer-prompt";
import { endFlow, flowOf, keepFlow } from "../prompt/flows";
import { chooseRoute, routeFault } from "./choose-model";
import { ENDPOINT_READY } from "./endpoint";
import { recognise } from "./recognise";

const STREAM = constant("stream");
const CLUSTER_HEADER = constant(HEADER_CLUSTER);
const STREAM_CLUSTER_HEADER = constant(HEADER_STREAM_CLUSTER);
/** Envoy's own headers for a limit on a request's attempts: on all of an answer, and on the time to its first byte. */
const WHOLE_TIMEOUT = constant("x-envoy-upstream-rq-timeout-ms");
const FIRST_BYTE_TIMEOUT = constant("x-envoy-upstream-rq-per-try-timeout-ms");
const EXCHANGE_PROPERTY = constant(PROPERTY_EXCHANGE);
const idBytes = scratchBuffer();
const idSpan = new Span(0, 0);

/** One tape serves all requests: nobody needs it when the callback has returned. */
const tape = scratchTape();

/** 1. Recognise the endpoint; hold the headers until the body is here. */
export function onRequestHeaders(exchange: Exchange, config: Config, endsHere: bool): i32 {
  const goesOn = recognise(exchange, config, endsHere);
  if (goesOn && exchange.client.endpoint != ENDPOINT_READY && !mayBegin()) {
    answerFault(exchange, outOfMemory("request"));
    return STOP;
  }
  return goesOn && exchange.client.endpoint == ENDPOINT_READY ? CONTINUE : STOP;
}

/** 2. Scan the whole body, 3. choose the model, 4. prepare the attempt (or leave it to the upstream filter). */
export function onRequestBody(exchange: Exchange, config: Config, size: u32, endsHere: bool): i32 {
  if (exchange.response.owner != ResponseOwner.None) return STOP;
  if (size > config.largestBody) {
    answerFault(exchange, bodyTooLarge());
    return STOP;
  }
  if (!endsHere) return STOP;
  const bytes = takeBody(REQUEST_BODY, 0, size);
  const body = bytes.pointer;
  const length = bytes.length;
  const prompt = exchange.client.isIngress ? config.prompt : null;
  let fault = body == 0 ? noBody(size) : read(exchange, config, body, length);
  if (fault === null && prompt !== null) return startPrompt(exchange, prompt, body, length);
  if (fault === null) fault = send(exchange, body);
  // A route with several targets may keep the body for later attempts.
  if (exchange.client.body != body) freeBlock(body);
  if (fault === null) return CONTINUE;
  answerFault(exchange, fault);
  return STOP;
}

function noBody(size: u32): Fault {
  return size == 0 ? new Fault(400, "The request has no body.") : outOfMemory("request");
}

/** Scans the body, and chooses the model. */
function read(exchange: Exchange, config: Config, body: usize, length: u32): Fault | null {
  const code = scan(tape, body, length);
  if (code != SCAN_OK) return code == SCAN_MEMORY ? outOfMemory("request") : notJson(code, body);
  if (!tape.isObject(0)) return new Fault(400, "The request body must be a JSON object.");
  const misspelt = caseFault(tape, exchange.client.dialect);
  if (misspelt !== null) return misspelt;
  exchange.route = chooseRoute(exchange, config, tape);
  if (exchange.route === null) return routeFault;
  exchange.client.isStreaming = tape.isTrue(tape.member(0, STREAM));
  return null;
}

/** Tells the router where to, and prepares the attempt; where it may not be the last, the exchange may keep the body. */
function send(exchange: Exchange, body: usize): Fault | null {
  const route = exchange.route;
  if (route === null) return routeFault;
  exchange.meter = startMeter(route, tape.length);
  const several = route.several;
  if (several !== null) {
    const attempts = new Attempts(route.targets, several);
    const isKept = keepsBody(tape.length);
    const fault = prepareFirst(exchange, attempts, isKept);
    if (fault !== null) return fault;
    exchange.attempts = attempts;
    setRetryCluster(attempts);
    if (isKept) {
      exchange.client.body = body;
      exchange.client.bodyLength = tape.length;
    }
    nameExchange(exchange);
  }
  setHeader(
    REQUEST_HEADERS,
    exchange.client.isStreaming ? STREAM_CLUSTER_HEADER : CLUSTER_HEADER,
    route.cluster,
  );
  if (several === null) {
    const fault = prepareAttempt(exchange, route.targets[0], tape);
    if (fault !== null) return fault;
  }
  const meter = exchange.meter;
  if (meter !== null) meter.requestServiceCheck(exchange.target);
  return null;
}

/** The body for the first target that can take the request; the first one's fault when none can. */
function prepareFirst(exchange: Exchange, attempts: Attempts, isKept: bool): Fault | null {
  const fault = prepareTarget(exchange, attempts.target, isKept);
  let another = fault;
  while (another !== null && attempts.targetsLeft > 0) {
    attempts.advance(1);
    another = prepareTarget(exchange, attempts.target, isKept);
  }
  if (another !== null) return fault;
  // When a response has come, nobody can read a body that was not kept: whom it suits is found out now.
  for (let steps = 1; !isKept && steps <= attempts.targetsLeft; steps++)
    if (!canExpress(exchange, attempts.targetAhead(steps), tape)) attempts.ruleOut(steps);
  return null;
}

function prepareTarget(exchange: Exchange, target: Target, isKept: bool): Fault | null {
  return isKept ? prepareBody(exchange, target, tape) : leaveBody(exchange, target, tape);
}

/** Tells the upstream filter the exchange's context id, by which it finds it. */
function nameExchange(exchange: Exchange): void {
  idBytes.clear();
  idBytes.integer(<i64>exchange.contextId);
  idSpan.pointer = idBytes.pointer;
  idSpan.length = idBytes.length;
  setProperty(EXCHANGE_PROPERTY, idSpan);
}

function notJson(code: i32, body: usize): Fault {
  // The magic number of gzip: a frequent reason for a body that is no JSON.
  const isGzip = load<u8>(body) == 0x1f && load<u8>(body, 1) == 0x8b;
  if (isGzip)
    return new Fault(415, "Compressed request bodies are not supported; send plain JSON.");
  const where = " (at byte " + scanErrorAt.toString() + ")";
  return new Fault(400, "The request body is not valid JSON: " + scanMessage(code) + where + ".");
}

/** On ingress, where prompt targets or a guard are configured: the flow of the prompt comes before the attempt. */
function startPrompt(exchange: Exchange, prompt: PromptConfig, body: usize, length: u32): i32 {
  const flow = new PromptFlow(new Prompt(prompt, exchange, tape, body, length));
  keepFlow(flow);
  const status = applyOutcome(flow, flow.start());
  flow.close();
  return status;
}

/** A callout of a prompt's flow has been answered, or has failed. Runs in the root context. */
export function onCallout(token: u32, size: u32): void {
  const contextId = takeWaiting(token);
  const flow = flowOf(contextId);
  if (flow === null) return;
  // The response is read before the stream is entered, whose own headers and bodies then count.
  const outcome = flow.onResponse(size);
  if (applyOutcome(flow, outcome) == CONTINUE) resumeRequest();
  flow.close();
}

/** CONTINUE lets the request go to its model; anything else holds it, or has answered it. */
function applyOutcome(flow: PromptFlow, outcome: i32): i32 {
  if (outcome == OUTCOME_WAIT) return STOP;
  const prompt = flow.prompt;
  const exchange = prompt.exchange;
  let fault: Fault | null = prompt.fault;
  if (outcome == OUTCOME_ANSWER) answerPrompt(prompt);
  else if (outcome == OUTCOME_SEND) {
    limitAnswer(exchange, max(flow.timeLeft(), 1));
    fault = send(exchange, prompt.body);
    // Where several attempts may need it, the body is the exchange's now.
    if (exchange.client.body == prompt.body) prompt.detachBody();
  }
  if (fault !== null) fault.isFinal = prompt.mayHaveActed;
  endFlow(exchange.contextId);
  if (fault !== null) answerFault(exchange, fault);
  return exchange.response.owner == ResponseOwner.Filter ? STOP : CONTINUE;
}

/** What a prompt's own steps have left of the listener's timeout; several attempts at a stream have limits of their own. */
function limitAnswer(exchange: Exchange, milliseconds: u32): void {
  const route = exchange.route;
  const mayRetry = route !== null && route.several !== null;
  if (!exchange.client.isStreaming) setHeaderNumber(REQUEST_HEADERS, WHOLE_TIMEOUT, milliseconds);
  else if (!mayRetry) setHeaderNumber(REQUEST_HEADERS, FIRST_BYTE_TIMEOUT, milliseconds);
}
