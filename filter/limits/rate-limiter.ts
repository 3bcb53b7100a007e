// The limits of a request: checked before each attempt, charged when the response is over.
//
// A bucket (buckets.ts) may be whole up to one period ahead for a request to pass, and up to two after its response was
// charged: so no client waits longer than one period.
import { Fault } from "../hub/faults/fault";
import { RateLimit } from "../config/rate-limit-rule";
import { Route, Target } from "../config/target";
import { currentMicroseconds, header, REQUEST_HEADERS } from "../host/host";
import { ActiveLimit } from "./active-limit";
import { fingerprintOf } from "./buckets";
import { Payer } from "./payer";
import { requestCharge, requestCheck, setChargedTokens } from "./rate-limit-bridge";

/** Fingerprint of a limit with one bucket for all requests. */
const ALL: u64 = 1;

export class RateLimiter {
  /** The limit that rejected the last attempt; null if none did. */
  refusedBy: ActiveLimit | null = null;
  private limits: ActiveLimit[] = [];
  private isCharged: bool = false;

  /** Whether a limit of tokens applies, so that the usage of the response is read. */
  countsTokens: bool = false;

  /** Whether Envoy's rate limit service counts: the limits of the configuration, while the filter counts those of run time. */
  isByService: bool = false;

  /** @param hasTokens whether the response has tokens to count */
  constructor(private hasTokens: bool) {}

  /** Adds the limits of a name or a model that select this request by its headers. */
  add(limits: RateLimit[], target: Target | null, payer: Payer | null): void {
    for (let i = 0; i < limits.length; i++) {
      const limit = limits[i];
      if (!limit.countsRequests && !this.hasTokens) continue;
      let fingerprint = ALL;
      if (limit.header.length > 0) {
        fingerprint = fingerprintOf(header(REQUEST_HEADERS, limit.header));
        if (!limit.isPerValue() && fingerprint != fingerprintOf(limit.value)) continue;
      }
      if (limit.each >= 0) {
        fingerprint = payer === null ? 0 : payer.hashOf(limit.each);
        if (fingerprint == 0) continue;
      }
      if (!limit.countsRequests) this.countsTokens = true;
      if (limit.isByService) this.isByService = true;
      this.limits.push(new ActiveLimit(limit, fingerprint, target));
    }
  }

  isEmpty(): bool {
    return this.limits.length == 0;
  }

  /** Has Envoy check the limits of the name and of this model with the service, before it sends the request on. */
  requestServiceCheck(target: Target | null): void {
    if (!this.isByService) return;
    for (let i = 0; i < this.limits.length; i++) {
      const active = this.limits[i];
      if (active.limit.isByService && active.appliesTo(target)) requestCheck(active);
    }
  }

  /**
   * Counts the request in its limits of requests, if every limit that applies to an attempt at this model has something left.
   * Returns false, and sets `refusedBy` to the limit with the longest wait, if one has not.
   */
  admit(target: Target | null): bool {
    const now = currentMicroseconds();
    this.refusedBy = this.longestWait(target, now);
    for (let i = 0; i < this.limits.length && this.refusedBy === null; i++) {
      const active = this.limits[i];
      if (!active.limit.countsRequests || active.isCounted || !active.isCountedHere(target))
        continue;
      active.isCounted = active.count(now);
      if (!active.isCounted) this.refusedBy = active;
    }
    return this.refusedBy === null;
  }

  /** Returns the limit with nothing left that the client has to wait longest for; null if all have something left. */
  private longestWait(target: Target | null, now: f64): ActiveLimit | null {
    let found: ActiveLimit | null = null;
    let longest: f64 = 0;
    for (let i = 0; i < this.limits.length; i++) {
      const active = this.limits[i];
      if (!active.isCountedHere(target) || active.isCounted || active.remaining(now) >= 1) continue;
      const wait = active.waitTime(now);
      if (wait <= longest) continue;
      longest = wait;
      found = active;
    }
    return found;
  }

  /** Returns the client's 429 after `admit` returned false. */
  fault(): Fault {
    const refused = this.refusedBy;
    const limit = refused === null ? "" : ": " + refused.limit.label;
    const seconds: u32 = refused === null ? 1 : refused.retrySeconds();
    const message = "Rate limit reached" + limit + ". Retry in " + seconds.toString() + " s.";
    return new Fault(429, message).coded("rate_limit_exceeded");
  }

  /** An attempt has got the head of a response: usage of an earlier one has been charged. */
  startResponse(): void {
    this.isCharged = false;
  }

  /** Returns the limit of its kind, tokens or requests, of which the smallest part is left; null if there is none. */
  nearest(target: Target | null, countsRequests: bool): ActiveLimit | null {
    const now = currentMicroseconds();
    let found: ActiveLimit | null = null;
    let smallest: f64 = 2;
    for (let i = 0; i < this.limits.length; i++) {
      const active = this.limits[i];
      if (active.limit.countsRequests != countsRequests || !active.isCountedHere(target)) continue;
      const part = active.remaining(now) / active.limit.amount;
      if (part >= smallest) continue;
      smallest = part;
      found = active;
    }
    return found;
  }

  /** Charges the tokens, once. */
  charge(target: Target | null, tokens: i64): void {
    if (this.isCharged) return;
    this.isCharged = true;
    const now = currentMicroseconds();
    for (let i = 0; i < this.limits.length; i++) {
      const active = this.limits[i];
      if (active.limit.countsRequests || !active.appliesTo(target)) continue;
      if (active.limit.isByService) requestCharge(active);
      else active.charge(<f64>tokens, now);
    }
    if (this.isByService) setChargedTokens(tokens);
  }
}

/** Counts a call in its limits of requests. Returns the 429 if one of them has nothing left. */
export function countCall(limits: RateLimit[]): Fault | null {
  if (limits.length == 0) return null;
  const limiter = new RateLimiter(false);
  limiter.add(limits, null, null);
  if (limiter.admit(null)) return null;
  const refused = limiter.refusedBy;
  return limiter.fault().after(refused === null ? 1 : refused.retrySeconds());
}

/**
 * Returns the limiter of a request for a route; null if no limit applies. The rest as in `RateLimiter`.
 * @param ofKey the limits of the client's key
 * @param payer null if no limit is for each session or user
 */
export function createRateLimiter(
  route: Route,
  ofKey: RateLimit[],
  hasTokens: bool,
  payer: Payer | null,
): RateLimiter | null {
  if (!route.isLimited && ofKey.length == 0) return null;
  const limiter = new RateLimiter(hasTokens);
  limiter.add(ofKey, null, payer);
  limiter.add(route.rateLimits, null, payer);
  const targets = route.targets;
  for (let i = 0; i < targets.length; i++) limiter.add(targets[i].rateLimits, targets[i], payer);
  return limiter.isEmpty() ? null : limiter;
}
