// The order of the targets of an alias with `balance`: which one comes first is measured, not drawn. A session stays where it was
// placed first.
import { Measured, measuredOf } from "../balance/measurements";
import { codeOf, NO_CODE, placeOf, setPlace } from "../balance/session-places";
import { orderOf } from "../config/rendezvous";
import { Balance, RetryPolicy, Target } from "../config/target";
import { nextRandom } from "../exchange/attempts";
import { Exchange } from "../exchange/exchange";
import { currentMicroseconds } from "../host/host";
import { spread } from "../bytes/text/hash";

/** Output tokens of a response before one was measured. */
const USUAL_TOKENS: f64 = 500;
/** A target with fewer open requests has none. */
const NO_REQUEST: f64 = 0.5;
const NONE: i32 = -1;

/** Returns the targets in the order of the attempts. @param session the place of the session; 0: nothing keeps to a target */
export function inMeasuredOrder(
  exchange: Exchange,
  targets: Target[],
  policy: RetryPolicy,
  session: u64,
): Target[] {
  const now = currentMicroseconds() / 1000;
  const order = orderOf(
    // Weights draw the order; for a session it is the same in each gateway.
    session == 0 ? ((<u64>nextRandom()) << 32) | nextRandom() : session,
    targets.map<u64>((target) => target.place),
    policy.weights,
  );
  // A session may use several aliases.
  const key = session == 0 ? 0 : spread(session ^ targets[0].place);
  let first = key == 0 ? NONE : keptIn(targets, policy, placeOf(key, now));
  if (first == NONE) {
    first =
      policy.balance == Balance.Cost
        ? cheapest(exchange, targets, policy, order, now)
        : quickest(exchange, targets, policy, order, now);
    if (key != 0) setPlace(key, codeOf(targets[first].place), now);
  }
  const ordered = [targets[first]];
  for (let i = 0; i < order.length; i++) {
    if (order[i] != first) ordered.push(targets[order[i]]);
  }
  return ordered;
}

/** Returns the index of the target with a code, if it gets requests; else NONE. */
function keptIn(targets: Target[], policy: RetryPolicy, code: u32): i32 {
  if (code == NO_CODE) return NONE;
  for (let i = 0; i < policy.weights.length; i++) {
    if (policy.weights[i] > 0 && codeOf(targets[i].place) == code) return i;
  }
  return NONE;
}

/** Returns what is known of a target by its index; null if it gets no requests now. */
function measure(
  exchange: Exchange,
  targets: Target[],
  policy: RetryPolicy,
  index: i32,
  now: f64,
): Measured | null {
  if (index >= policy.weights.length || policy.weights[index] == 0) return null;
  const measured = measuredOf(targets[index].place, exchange.client.isStreaming, now);
  measured.load = (measured.open * policy.meanWeight) / <f64>policy.weights[index];
  return measured.isAvoided ? null : measured;
}

/** Returns the index of the better one of the first two in the order: two, so that the best target is not flooded. */
function quickest(
  exchange: Exchange,
  targets: Target[],
  policy: RetryPolicy,
  order: i32[],
  now: f64,
): i32 {
  const isTimed = policy.balance == Balance.Latency;
  let first = NONE;
  let best: Measured | null = null;
  for (let i = 0; i < order.length; i++) {
    const measured = measure(exchange, targets, policy, order[i], now);
    if (measured === null) continue;
    // One request at a time finds out how fast it is.
    if (isTimed && measured.isCold && measured.open < NO_REQUEST) return order[i];
    if (best !== null) return isBetter(measured, best, isTimed) ? order[i] : first;
    best = measured;
    first = order[i];
  }
  // All of them have failed.
  return first == NONE ? order[0] : first;
}

function isBetter(one: Measured, other: Measured, isTimed: bool): bool {
  if (!isTimed || (one.isCold && other.isCold)) return one.load < other.load;
  if (one.isCold || other.isCold) return other.isCold;
  const tokens = max(one.tokens, other.tokens);
  return timeOf(one, tokens) < timeOf(other, tokens);
}

/** Returns the expected time of a response, as if each open request took its turn. */
function timeOf(measured: Measured, tokens: f64): f64 {
  return (measured.first + measured.perToken * tokens) * (1 + measured.load);
}

/** Returns the index of the target that is the cheapest for this request; of several, the first in the order. */
function cheapest(
  exchange: Exchange,
  targets: Target[],
  policy: RetryPolicy,
  order: i32[],
  now: f64,
): i32 {
  const known = new Array<Measured | null>();
  let tokens: f64 = 0;
  for (let i = 0; i < order.length; i++) {
    const measured = measure(exchange, targets, policy, order[i], now);
    known.push(measured);
    if (measured !== null) tokens = max(tokens, measured.tokens);
  }
  if (tokens == 0) tokens = USUAL_TOKENS;
  let first = NONE;
  let lowest: i64 = i64.MAX_VALUE;
  for (let i = 0; i < order.length; i++) {
    const measured = known[i];
    if (measured === null) continue;
    const cost = costAt(exchange, targets[order[i]], tokens, measured.cached);
    if (first != NONE && cost >= lowest) continue;
    first = order[i];
    lowest = cost;
  }
  return first == NONE ? order[0] : first;
}

/** Returns what the request is expected to cost at a target, in nano-dollars; the most if its price is not known. */
function costAt(exchange: Exchange, target: Target, tokens: f64, cached: f64): i64 {
  const price = exchange.priceOf(target);
  const estimate = exchange.estimate;
  if (price === null || estimate === null) return i64.MAX_VALUE;
  const used = estimate.estimateInput();
  used.cacheRead = <i64>(<f64>used.freshInput * min(cached, 1));
  used.freshInput -= used.cacheRead;
  used.output = <i64>tokens;
  used.service = exchange.client.service;
  const cost = price.costOf(used);
  return cost < 0 ? i64.MAX_VALUE : cost;
}
