// Stages of the attempt: the target, the body for it, and where Envoy sends it.
import { HEADER_CLUSTER, HEADER_STREAM_CLUSTER, PROPERTY_EXCHANGE } from "../../contract/words";
import { OpenAttempt } from "../balance/open-attempt";
import { orderOf } from "../config/rendezvous";
import { RateLimit } from "../config/rate-limit-rule";
import { Balance, RetryPolicy, Route, Target } from "../config/target";
import { Fault } from "../hub/faults/fault";
import { promptByteCount } from "../hub/request/token-estimate";
import { requestedService } from "../hub/response/service";
import { Attempts } from "../exchange/attempts";
import { keepsBody } from "../exchange/client-body";
import { Exchange } from "../exchange/exchange";
import { FailedAttempts } from "../exchange/failed-attempts";
import { setProperty } from "../host/host";
import { createRateLimiter } from "../limits/rate-limiter";
import { UsageEstimate } from "../limits/usage-estimate";
import { Tape } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { chooseApi, readNeeds } from "../config/choose-api";
import { isFit, setRetryCluster } from "../attempt/next-attempt";
import { apiInstead, checkBody, prepareBody } from "../attempt/request-body";
import { keepBetas, sendTo, writeHeaders } from "../attempt/request-headers";
import { inMeasuredOrder } from "./measured-order";
import { payerOf } from "./payer-of";
import { Outcome, StageContext } from "./stage-context";

const NO_LIMITS: RateLimit[] = [];
const idBytes = scratchBuffer();
const idSpan = new Span(0, 0);

export function openMeter(exchange: Exchange, context: StageContext): Outcome {
  const route = exchange.route;
  const client = exchange.client;
  const row = client.endpoint.row;
  if (route === null || !row.countsRequest) return Outcome.Next;
  const config = context.config;
  const key = client.apiKey;
  const limits = key === null ? NO_LIMITS : key.rateLimits;
  const payer = config.limitsEach ? payerOf(exchange) : null;
  exchange.limiter = createRateLimiter(route, limits, row.countsTokens, payer);
  if (exchange.limiter !== null || (config.isPriced && row.countsTokens))
    exchange.estimate = new UsageEstimate(
      promptByteCount(context.tape),
      row.countsOutput,
      client.dialect.repeatedBytes(context.tape),
    );
  exchange.showsCost = config.showsCost;
  if (route.hasRates && row.isInference) client.service = requestedService(context.tape);
  return Outcome.Next;
}

export function chooseFirstTarget(exchange: Exchange, context: StageContext): Outcome {
  const route = exchange.route;
  if (route === null) return Outcome.Next;
  if (route.needsBetas) keepBetas(exchange);
  const policy = route.retryPolicy;
  const row = exchange.client.endpoint.row;
  const chosen = exchange.target;
  if (!row.isInference && chosen !== null) {
    if (policy === null || !row.isRetried)
      return context.check(prepareBody(exchange, chosen, context.tape));
    return context.check(
      startAttempts(exchange, new Attempts([chosen], policy.forOneModel()), context),
    );
  }
  let targets = targetsOf(exchange, route, context.tape);
  if (policy === null) return context.check(prepareOnly(exchange, targets[0], context.tape));
  const place = placeOf(exchange, policy);
  const isMeasured = policy.balance != Balance.Weight;
  if (isMeasured) targets = inMeasuredOrder(exchange, targets, policy, place);
  else if (place != 0 && policy.weights.length > 1) targets = inOrderOf(place, targets, policy);
  const holder = stateHolder(exchange, targets, context.tape);
  const attempts =
    holder === null
      ? new Attempts(targets, policy, place, isMeasured || place != 0)
      : new Attempts([holder], new RetryPolicy(), place);
  if (isMeasured) {
    attempts.measured = new OpenAttempt(exchange.client.isStreaming);
    if (policy.balance != Balance.Load) exchange.measure();
  }
  return context.check(startAttempts(exchange, attempts, context));
}

/** Returns the place of the session if its requests keep to a target and a key; else 0. */
function placeOf(exchange: Exchange, policy: RetryPolicy): u64 {
  const session = exchange.session;
  if (session === null || !policy.keepsSessions) return 0;
  session.isKept = session.place != 0;
  return session.place;
}

/** Returns the targets in the order in which a session prefers those that share the requests, then the others. */
function inOrderOf(place: u64, targets: Target[], policy: RetryPolicy): Target[] {
  const order = orderOf(
    place,
    targets.map<u64>((target) => target.place),
    policy.weights,
  );
  const ordered = new Array<Target>();
  for (let i = 0; i < order.length; i++) ordered.push(targets[order[i]]);
  return ordered;
}

/** Returns the targets of a request, each in the API that it uses. */
function targetsOf(exchange: Exchange, route: Route, tape: Tape): Target[] {
  const client = exchange.client.dialect;
  if (!route.choosesApis(client)) return route.targetsFor(client);
  const needs = readNeeds(client, tape);
  exchange.needs = needs;
  const targets = new Array<Target>();
  for (let i = 0; i < route.targets.length; i++)
    targets.push(chooseApi(route.targets[i], client, needs));
  return targets;
}

/** Writes the body for the only target, in its other API if the chosen one does not support the request. */
function prepareOnly(exchange: Exchange, target: Target, tape: Tape): Fault | null {
  const fault = prepareBody(exchange, target, tape);
  if (fault === null) return null;
  const other = apiInstead(exchange, target, fault);
  return other === null ? fault : faultOfBoth(fault, prepareBody(exchange, other, tape));
}

/** Returns the fault of a target of which neither API accepts the request, or null. Limits and budgets are those of both. */
function faultOfBoth(chosen: Fault, other: Fault | null): Fault | null {
  return other !== null && other.status == 400 ? chosen : other;
}

/**
 * Returns the first target that may hold the state which the request refers to: an earlier response, a stored conversation,
 * a file. Another provider would reject it, so it is not tried. Null if the request stands alone.
 */
function stateHolder(exchange: Exchange, targets: Target[], tape: Tape): Target | null {
  const dialect = exchange.client.dialect;
  if (!dialect.refersToState(tape)) return null;
  for (let i = 0; i < targets.length; i++) {
    if (targets[i].dialect === dialect) return targets[i];
  }
  return null;
}

export function selectCluster(exchange: Exchange, _context: StageContext): Outcome {
  const route = exchange.route;
  const target = exchange.target;
  if (route === null || target === null) return Outcome.Next;
  const client = exchange.client;
  // Whether a response that passes is a stream is not known: the timeouts of a stream limit its silence either way.
  const isStream = client.isStreaming || !client.endpoint.row.isRetried;
  const header = isStream ? constant(HEADER_STREAM_CLUSTER) : constant(HEADER_CLUSTER);
  sendTo(exchange, header, exchange.runsUpstream() ? route.cluster : target.cluster);
  return Outcome.Next;
}

export function writeOnlyAttempt(exchange: Exchange, _context: StageContext): Outcome {
  const target = exchange.target;
  if (target === null || exchange.runsUpstream()) return Outcome.Next;
  writeHeaders(exchange, target, target.credential(target.takeCredential()));
  return Outcome.Next;
}

export function requestLimitCheck(exchange: Exchange, _context: StageContext): Outcome {
  const limiter = exchange.limiter;
  if (limiter !== null) limiter.requestServiceCheck(exchange.target);
  return Outcome.Next;
}

/**
 * Writes the body for the first target that supports the request; returns the first one's fault if none does. The VM keeps
 * a small body for later attempts; a larger one stays with Envoy.
 */
function startAttempts(
  exchange: Exchange,
  attempts: Attempts,
  context: StageContext,
): Fault | null {
  const tape = context.tape;
  const isKept = keepsBody(tape.length);
  attempts.passWithoutCredential();
  const first = prepare(exchange, attempts, tape, isKept);
  let fault = first;
  while (fault !== null && attempts.targetsLeft > 0) {
    attempts.advance(1);
    fault = prepare(exchange, attempts, tape, isKept);
  }
  if (fault !== null) return first;
  if (isKept) exchange.client.body = context.body;
  else ruleOutTargets(exchange, attempts, tape);
  exchange.attempts = attempts;
  if (exchange.isObserved) attempts.failed = new FailedAttempts();
  setRetryCluster(attempts);
  setExchangeProperty(exchange);
  return null;
}

function prepare(exchange: Exchange, attempts: Attempts, tape: Tape, isKept: bool): Fault | null {
  const target = attempts.target;
  const fault = prepareAt(exchange, target, tape, isKept);
  if (fault === null) return null;
  const other = apiInstead(exchange, target, fault);
  if (other === null) return fault;
  const both = faultOfBoth(fault, prepareAt(exchange, other, tape, isKept));
  if (both === null) attempts.replace(0, other);
  return both;
}

function prepareAt(exchange: Exchange, target: Target, tape: Tape, isKept: bool): Fault | null {
  return isKept ? prepareBody(exchange, target, tape) : checkBody(exchange, target, tape);
}

/** After a response nobody can read a body that is not kept: which targets support it has to be found out now. */
function ruleOutTargets(exchange: Exchange, attempts: Attempts, tape: Tape): void {
  for (let steps = 1; steps <= attempts.targetsLeft; steps++) {
    if (!isFit(exchange, attempts, steps, tape, true)) attempts.ruleOut(steps);
  }
}

/** The upstream filter finds the exchange by the context id in this property. */
function setExchangeProperty(exchange: Exchange): void {
  idBytes.clear();
  idBytes.integer(<i64>exchange.contextId);
  idSpan.pointer = idBytes.pointer;
  idSpan.length = idBytes.length;
  setProperty(constant(PROPERTY_EXCHANGE), idSpan);
}
