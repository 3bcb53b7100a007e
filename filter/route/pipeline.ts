// The downstream pipeline: THE ordered list of what happens to a request, and then to its reply.
import { PromptConfig } from "../config/prompt-target";
import { Config } from "../config/read-config";
import { HEADER_CLUSTER, HEADER_STREAM_CLUSTER, PROPERTY_EXCHANGE } from "../../contract/words";
import { Fault } from "../chat/fault";
import { answerFault } from "../exchange/answer";
import { Attempts } from "../exchange/attempts";
import { caseFault } from "../dialects/member-case";
import { Exchange } from "../exchange/exchange";
import { tellLimits } from "../exchange/limit-headers";
import { startMeter } from "../exchange/meter";
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
import { scan, scanErrorAt, scanMessage, SCAN_OK } from "../json/scan";
import { Tape } from "../json/tape";
import { ByteBuffer, constant, Span } from "../text/bytes";
import { prepareAttempt, prepareBody } from "../translate/attempt";
import { tellNextCluster } from "../translate/next-attempt";
import { bodyTooLarge } from "../translate/local-reply";
import { ownErrorHeaders, replyBody, replyHeaders, replyTrailers } from "../translate/reply";
import { takeWaiting } from "../prompt/calls";
import {
  OUTCOME_DISPATCH,
  OUTCOME_FAULT,
  OUTCOME_PLAIN,
  OUTCOME_SAY,
  OUTCOME_WAIT,
  PromptFlow,
} from "../prompt/flow";
import { endFlow, flowOf, keepFlow } from "../prompt/flows";
import { insertMetadata, prepareMetadata } from "../prompt/insert-metadata";
import { say } from "../prompt/say";
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
const idBytes = new ByteBuffer();
const idSpan = new Span(0, 0);

/** One tape serves all requests that are done with it when their callback returns. */
let sharedTape = new Tape();

/** 1. Recognise the endpoint; hold the headers until the body is here. */
export function onRequestHeaders(exchange: Exchange, config: Config, endsHere: bool): i32 {
  const goesOn = recognise(exchange, config, endsHere);
  return goesOn && exchange.endpoint == ENDPOINT_READY ? CONTINUE : STOP;
}

/** 2. Scan the whole body, 3. choose the model, 4. prepare the attempt (or leave it to the upstream filter). */
export function onRequestBody(exchange: Exchange, config: Config, size: u32, endsHere: bool): i32 {
  if (exchange.isAnswered) return STOP;
  if (size > config.largestBody) {
    answerFault(exchange, bodyTooLarge());
    return STOP;
  }
  if (!endsHere) return STOP;
  const body = takeBody(REQUEST_BODY, 0, size);
  const prompt = exchange.isIngress ? config.prompt : null;
  if (prompt !== null && body.pointer != 0)
    return startPrompt(exchange, config, prompt, body.pointer, body.length);
  const fault =
    body.pointer == 0
      ? new Fault(400, "The request has no body.")
      : handle(exchange, config, body.pointer, body.length);
  // A route with several targets keeps the body for later attempts.
  if (body.pointer != 0 && exchange.body != body.pointer) heap.free(body.pointer);
  if (fault === null) return CONTINUE;
  answerFault(exchange, fault);
  return STOP;
}

function handle(exchange: Exchange, config: Config, body: usize, length: u32): Fault | null {
  const tape = sharedTape;
  const fault = read(exchange, config, tape, body, length);
  if (fault !== null) return fault;
  if (exchange.splits()) sharedTape = new Tape();
  return send(exchange, body, tape);
}

/** Scans the body, and chooses the model. */
function read(
  exchange: Exchange,
  config: Config,
  tape: Tape,
  body: usize,
  length: u32,
): Fault | null {
  const code = scan(tape, body, length);
  if (code != SCAN_OK) return notJson(code, body);
  if (!tape.isObject(0)) return new Fault(400, "The request body must be a JSON object.");
  const misspelt = caseFault(tape, exchange.dialect);
  if (misspelt !== null) return misspelt;
  exchange.route = chooseRoute(exchange, config, tape);
  if (exchange.route === null) return routeFault;
  exchange.isStreaming = tape.isTrue(tape.member(0, STREAM));
  return null;
}

/** Tells the router where to, and prepares the attempt; where it may not be the last, the exchange keeps body and tape. */
function send(exchange: Exchange, body: usize, tape: Tape): Fault | null {
  const route = exchange.route;
  if (route === null) return routeFault;
  exchange.meter = startMeter(route, tape.length);
  const several = route.several;
  if (several !== null) {
    const attempts = new Attempts(route.targets, several);
    const fault = prepareFirst(exchange, attempts, tape);
    if (fault !== null) return fault;
    exchange.attempts = attempts;
    tellNextCluster(attempts);
    keepForAttempts(exchange, body, tape);
  }
  setHeader(
    REQUEST_HEADERS,
    exchange.isStreaming ? STREAM_CLUSTER_HEADER : CLUSTER_HEADER,
    route.cluster,
  );
  if (several === null) {
    const fault = prepareAttempt(exchange, route.targets[0], tape);
    if (fault !== null) return fault;
  }
  const meter = exchange.meter;
  if (meter !== null) meter.announce(exchange.target);
  return null;
}

/** The body for the first target that can take the request; the first one's fault when none can. */
function prepareFirst(exchange: Exchange, attempts: Attempts, tape: Tape): Fault | null {
  const fault = prepareBody(exchange, attempts.target, tape);
  let another = fault;
  while (another !== null && attempts.targetsLeft > 0) {
    attempts.advance(1);
    another = prepareBody(exchange, attempts.target, tape);
  }
  return another === null ? null : fault;
}

/** Hands body and tape to the exchange, which the upstream filter finds by its context id. */
function keepForAttempts(exchange: Exchange, body: usize, tape: Tape): void {
  exchange.body = body;
  exchange.tape = tape;
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
function startPrompt(
  exchange: Exchange,
  config: Config,
  prompt: PromptConfig,
  body: usize,
  length: u32,
): i32 {
  const tape = new Tape();
  const fault = read(exchange, config, tape, body, length);
  const flow = new PromptFlow(prompt, exchange, body, tape);
  if (fault !== null) {
    flow.release();
    answerFault(exchange, fault);
    return STOP;
  }
  keepFlow(flow);
  return applyOutcome(flow, flow.start());
}

/** A callout of a prompt's flow has been answered, or has failed. Runs in the root context. */
export function onCallout(token: u32, size: u32): void {
  const contextId = takeWaiting(token);
  const flow = flowOf(contextId);
  if (flow === null) return;
  // The reply is read before the stream is entered, whose own headers and bodies then count.
  const outcome = flow.onReply(size);
  if (applyOutcome(flow, outcome) == CONTINUE) resumeRequest();
}

/** CONTINUE lets the request go to its model; anything else holds it, or has answered it. */
function applyOutcome(flow: PromptFlow, outcome: i32): i32 {
  if (outcome == OUTCOME_WAIT) return STOP;
  const exchange = flow.exchange;
  if (outcome == OUTCOME_DISPATCH && !flow.isDispatched()) {
    flow.quoteAnswer();
    outcome = OUTCOME_SAY;
  }
  const goesOn = outcome == OUTCOME_PLAIN || outcome == OUTCOME_DISPATCH;
  if (goesOn && flow.timeLeft() == 0) outcome = flow.tooLate();
  let fault: Fault | null = flow.fault;
  if (outcome == OUTCOME_SAY) say(flow);
  else if (outcome != OUTCOME_FAULT) {
    if (outcome == OUTCOME_DISPATCH) flow.extendRequest();
    limitAnswer(exchange, max(flow.timeLeft(), 1));
    fault = send(exchange, flow.body, flow.tape);
    // Where several attempts may need them, body and tape are the exchange's now.
    if (exchange.isSplit()) flow.giveAway();
  }
  if (fault !== null) fault.isFinal = flow.mayHaveActed();
  endFlow(exchange.contextId);
  if (fault !== null) answerFault(exchange, fault);
  return exchange.isAnswered ? STOP : CONTINUE;
}

/** What a prompt's own steps have left of the listener's timeout; several attempts at a stream have limits of their own. */
function limitAnswer(exchange: Exchange, milliseconds: u32): void {
  if (!exchange.isStreaming) setHeaderNumber(REQUEST_HEADERS, WHOLE_TIMEOUT, milliseconds);
  else if (!exchange.splits()) setHeaderNumber(REQUEST_HEADERS, FIRST_BYTE_TIMEOUT, milliseconds);
}

/** Envoy's own answers have no more headers than status, length, type, `retry-after` and request id. */
const MOST_OWN_HEADERS: u32 = 5;

/** 5. The reply. Where the upstream filter does the provider's half, only Envoy's own errors are left to do here. */
export function onResponseHeaders(exchange: Exchange, count: u32, endsHere: bool): i32 {
  const isRead = exchange.isReadUpstream();
  // The upstream filter has read the provider's reply: its head is not read again, which saves 12,000 instructions.
  if (isRead && count > MOST_OWN_HEADERS && exchange.isUntouched()) return CONTINUE;
  const status = isRead ? ownErrorHeaders(exchange, endsHere) : replyHeaders(exchange, endsHere);
  if (exchange.metadata !== null) prepareMetadata(exchange);
  const meter = exchange.meter;
  if (meter !== null) {
    // A model that was passed over is no business of the client that another one answers.
    if (!exchange.isAnswered) meter.refusedBy = null;
    tellLimits(meter, exchange.dialect, exchange.target);
  }
  return status;
}

export function onResponseBody(exchange: Exchange, size: u32, endsHere: bool): i32 {
  const isDone = exchange.isReadUpstream() && !exchange.isLocalReply;
  const status = isDone ? CONTINUE : replyBody(exchange, size, endsHere);
  if (status == CONTINUE) addMetadata(exchange);
  return status;
}

/** The end of a reply with trailers: a provider's own, or those that Envoy's decompressors add. */
export function onResponseTrailers(exchange: Exchange): i32 {
  const isHeld = exchange.holdsReply;
  const status = replyTrailers(exchange);
  if (isHeld && status == CONTINUE) addMetadata(exchange);
  return status;
}

function addMetadata(exchange: Exchange): void {
  const metadata = exchange.metadata;
  if (metadata !== null) insertMetadata(metadata);
}
