// The limits of a request: checked before each attempt, charged when the response is over.
//
// An allowance (allowances.ts) may be whole up to one period ahead for a request to pass, and up to two after its response was
// charged: so no client waits longer than one period.
import { Fault } from "../hub/faults/fault";
import { RateLimit } from "../config/rate-limit-rule";
import { Route, Target } from "../config/target";
import { ClientDialect } from "../dialects/client-dialect";
import { currentMicroseconds, header, REQUEST_HEADERS } from "../host/host";
import { AppliedLimit } from "./applied-limit";
import { fingerprintOf } from "./allowances";
import { requestCharge, requestCheck, setChargedTokens } from "./service";

/** Fingerprint of a limit with one allowance for all requests. */
const ALL: u64 = 1;

export class Meter {
  /** The limit that rejected the last attempt; null if none did. */
  refusedBy: AppliedLimit | null = null;
  private limits: AppliedLimit[] = [];
  private isCharged: bool = false;

  /** Whether a limit of tokens applies, so that the usage of the response is read. */
  countsTokens: bool = false;

  /** @param hasTokens whether the response has tokens to count */
  constructor(private hasTokens: bool) {}

  /** Adds the limits of a name or a model that select this request by its headers. */
  add(limits: RateLimit[], target: Target | null): void {
    for (let i = 0; i < limits.length; i++) {
      const limit = limits[i];
      if (!limit.countsRequests && !this.hasTokens) continue;
      let fingerprint = ALL;
      if (limit.header.length > 0) {
        fingerprint = fingerprintOf(header(REQUEST_HEADERS, limit.header));
        if (!limit.isPerValue() && fingerprint != fingerprintOf(limit.value)) continue;
      }
      if (!limit.countsRequests) this.countsTokens = true;
      this.limits.push(new AppliedLimit(limit, fingerprint, target));
    }
  }

  isEmpty(): bool {
    return this.limits.length == 0;
  }

  /** Returns whether Envoy's rate limit service counts, for all limits. */
  isByService(): bool {
    return this.limits.length > 0 && this.limits[0].limit.isByService;
  }

  /** Has Envoy check the limits of the name and of this model with the service, before it sends the request on. */
  requestServiceCheck(target: Target | null): void {
    if (!this.isByService()) return;
    for (let i = 0; i < this.limits.length; i++) {
      if (this.limits[i].appliesTo(target)) requestCheck(this.limits[i]);
    }
  }

  /**
   * Counts the request in its limits of requests, if every limit that applies to an attempt at this model has something left.
   * Returns false, and sets `refusedBy` to the limit with the longest wait, if one has not.
   */
  admit(target: Target | null): bool {
    if (this.isByService()) return true;
    const now = currentMicroseconds();
    this.refusedBy = this.longestWait(target, now);
    for (let i = 0; i < this.limits.length && this.refusedBy === null; i++) {
      const applied = this.limits[i];
      if (!applied.limit.countsRequests || applied.isCounted || !applied.appliesTo(target))
        continue;
      applied.isCounted = applied.count(now);
      if (!applied.isCounted) this.refusedBy = applied;
    }
    return this.refusedBy === null;
  }

  /** Returns the limit with nothing left that the client has to wait longest for; null if all have something left. */
  private longestWait(target: Target | null, now: f64): AppliedLimit | null {
    let found: AppliedLimit | null = null;
    let longest: f64 = 0;
    for (let i = 0; i < this.limits.length; i++) {
      const applied = this.limits[i];
      if (!applied.appliesTo(target) || applied.isCounted || applied.remaining(now) >= 1) continue;
      const wait = applied.waitTime(now);
      if (wait <= longest) continue;
      longest = wait;
      found = applied;
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
  nearest(target: Target | null, countsRequests: bool): AppliedLimit | null {
    const now = currentMicroseconds();
    let found: AppliedLimit | null = null;
    let smallest: f64 = 2;
    for (let i = 0; i < this.limits.length; i++) {
      const applied = this.limits[i];
      if (applied.limit.countsRequests != countsRequests || !applied.appliesTo(target)) continue;
      const part = applied.remaining(now) / applied.limit.amount;
      if (part >= smallest) continue;
      smallest = part;
      found = applied;
    }
    return found;
  }

  /** Charges the tokens, once. */
  charge(target: Target | null, tokens: i64): void {
    if (this.isCharged) return;
    this.isCharged = true;
    const now = currentMicroseconds();
    for (let i = 0; i < this.limits.length; i++) {
      const applied = this.limits[i];
      if (applied.limit.countsRequests || !applied.appliesTo(target)) continue;
      if (applied.limit.isByService) requestCharge(applied);
      else applied.charge(<f64>tokens, now);
    }
    if (this.isByService()) setChargedTokens(tokens);
  }
}

/** Counts a call in its limits of requests. Returns the 429 if one of them has nothing left. */
export function countCall(limits: RateLimit[]): Fault | null {
  if (limits.length == 0) return null;
  const meter = new Meter(false);
  meter.add(limits, null);
  if (meter.admit(null)) return null;
  const refused = meter.refusedBy;
  return meter.fault().after(refused === null ? 1 : refused.retrySeconds());
}

/**
 * Returns the meter of a request for a route from a client of this dialect; null if no limit applies. The rest as in `Meter`.
 * @param ofKey the limits of the client's key
 */
export function startMeter(
  route: Route,
  ofKey: RateLimit[],
  client: ClientDialect,
  hasTokens: bool,
): Meter | null {
  if (!route.isLimited && ofKey.length == 0) return null;
  const meter = new Meter(hasTokens);
  meter.add(ofKey, null);
  meter.add(route.rateLimits, null);
  const targets = route.targetsFor(client);
  for (let i = 0; i < targets.length; i++) meter.add(targets[i].rateLimits, targets[i]);
  return meter.isEmpty() ? null : meter;
}
