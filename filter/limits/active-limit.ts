// A limit that applies to a request, and its bucket.
import { RateLimit } from "../config/rate-limit-rule";
import { Target } from "../config/target";
import { currentMicroseconds } from "../host/host";
import { useBucket, timeToWhole } from "./buckets";

/** Times are exact to a quarter of a microsecond: added before a fraction is cut off. */
const EPSILON: f64 = 0.001;

export class ActiveLimit {
  /** Whether a limit of requests has counted this one. */
  isCounted: bool = false;

  constructor(
    public limit: RateLimit,
    /** Which of the limit's buckets is used. */
    public fingerprint: u64,
    /** The model that has the limit; null for the limit of a name, which applies to every model of it. */
    private target: Target | null,
  ) {}

  appliesTo(target: Target | null): bool {
    return this.target === null || (target !== null && this.target === target.model);
  }

  /** Returns whether it applies, and the filter counts. */
  isCountedHere(target: Target | null): bool {
    return !this.limit.isByService && this.appliesTo(target);
  }

  /** Returns the microseconds from `now` until the bucket is whole; 0 if it is. */
  timeToWhole(now: f64): f64 {
    return timeToWhole(this.limit, this.fingerprint, now);
  }

  /** Returns how many tokens or requests are left. */
  remaining(now: f64): f64 {
    const limit = this.limit;
    const part = 1 - this.timeToWhole(now) / limit.period;
    return max(Math.floor(part * limit.amount + EPSILON), 0);
  }

  /** Returns the microseconds until one token or request is left. */
  waitTime(now: f64): f64 {
    const limit = this.limit;
    return max(this.timeToWhole(now) + limit.period / limit.amount - limit.period, 0);
  }

  /** Returns the value of `retry-after`: whole seconds, at least one. */
  retrySeconds(): u32 {
    return <u32>max(Math.ceil(this.waitTime(currentMicroseconds()) / 1_000_000), 1);
  }

  /** Counts the request. Returns false, and counts nothing, if the bucket is used up. */
  count(now: f64): bool {
    const limit = this.limit;
    const cost = limit.period / limit.amount;
    // Half a request more, because the sum of many parts is not quite the whole.
    const latest = now + (limit.period + cost / 2);
    return useBucket(limit, this.fingerprint, now, cost, latest, true);
  }

  /** Charges tokens. The debt is at most one period, less one token, which has to come back. */
  charge(tokens: f64, now: f64): void {
    const limit = this.limit;
    const cost = (tokens * limit.period) / limit.amount;
    const latest = now + (2 * limit.period - limit.period / limit.amount);
    useBucket(limit, this.fingerprint, now, cost, latest, false);
  }
}
