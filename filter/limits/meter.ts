// What a request counts against, and what its response used: asked before each attempt, charged once the response is over.
//
// A budget is a time (filter/limits/bucket.ts): when it will be whole again. It may lie up to one period ahead for a
// request to pass, and up to two after what the request then used: so nobody ever waits longer than one period.
import { Fault } from "../hub/fault";
import { Usage } from "../hub/usage";
import { fingerprintOf } from "./bucket";
import { RateLimit } from "../config/rate-limit";
import { Route, Target } from "../config/target";
import { Dialect } from "../dialects/dialect";
import { UsageObserver } from "../dialects/usage-observer";
import { PROPERTY_LIMIT_TOKENS } from "../../contract/words";
import { currentMicroseconds, header, REQUEST_HEADERS, setProperty } from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { takeFromBudget, timeToWhole } from "./shared-budget";

/** Envoy charges no more at once. */
const MAX_TOKENS: i64 = 1_000_000_000;
const TOKENS = constant(PROPERTY_LIMIT_TOKENS);
/** What a limit that is not told apart by a header counts under. */
const ALL: u64 = 1;
/** Bytes of a request or a complete response for each token, where the provider does not count. */
const BYTES_OF_TOKEN: u32 = 4;
/** The most that a request is estimated at: one that is larger is large by its images. Tokens. */
const MAX_ESTIMATE: u32 = 32768;

/** A limit that applies to a request. */
export class AppliedLimit {
  /** Whether a limit of requests has counted this one. */
  isCounted: bool = false;

  constructor(
    public limit: RateLimit,
    /** Whose budget it is. */
    public fingerprint: u64,
    /** The model that has the limit; null for the limit of a name, which holds for every model behind it. */
    public target: Target | null,
  ) {}

  /** Microseconds from `now` until the budget is whole; 0 when it is. */
  timeToWhole(now: f64): f64 {
    return timeToWhole(this.limit, this.fingerprint, now);
  }

  /** Tokens or requests that are left. */
  remaining(now: f64): f64 {
    const limit = this.limit;
    // A time is exact to a quarter of a microsecond, so a hair is added before the fraction is cut off.
    return max(Math.floor((1 - this.timeToWhole(now) / limit.period) * limit.amount + 0.001), 0);
  }
}

export class Meter {
  /** The limit that refused the last attempt; null when none did. */
  refusedBy: AppliedLimit | null = null;
  /** Reads the usage of a response in the client's own dialect; null where the translation does. */
  observer: UsageObserver | null = null;
  /** Whether a provider has begun an answer that is no error. */
  hasResponse: bool = false;
  /** Bytes of the response so far. */
  responseBytes: u32 = 0;
  private limits: AppliedLimit[] = [];
  private isCharged: bool = false;

  constructor(private requestBytes: u32) {}

  /** Adds the limits of a name or a model; reads the request's headers. */
  add(limits: RateLimit[], target: Target | null): void {
    for (let i = 0; i < limits.length; i++) {
      const limit = limits[i];
      let fingerprint = ALL;
      if (limit.header.length > 0) {
        const value = header(REQUEST_HEADERS, limit.header);
        fingerprint = fingerprintOf(value.pointer, value.length);
        if (
          !limit.isOpen() &&
          fingerprint != fingerprintOf(limit.value.pointer, limit.value.length)
        )
          continue;
      }
      this.limits.push(new AppliedLimit(limit, fingerprint, target));
    }
  }

  isEmpty(): bool {
    return this.limits.length == 0;
  }

  /** Whether Envoy's rate limit service counts. All limits are of one kind. */
  isByService(): bool {
    return this.limits.length > 0 && this.limits[0].limit.isByService;
  }

  /** Has Envoy ask the service, before it sends the request on, for the limits of the name and of this model. */
  requestServiceCheck(target: Target | null): void {
    if (!this.isByService()) return;
    for (let i = 0; i < this.limits.length; i++) {
      const applied = this.limits[i];
      if (applies(applied, target))
        setProperty(applied.limit.check, hexadecimal(applied.fingerprint));
    }
  }

  /** Whether every budget has something left for an attempt at this model. Counts the request where requests count. */
  admits(target: Target): bool {
    if (this.isByService()) return true;
    const now = currentMicroseconds();
    this.refusedBy = null;
    let longest: f64 = 0;
    for (let i = 0; i < this.limits.length; i++) {
      const applied = this.limits[i];
      if (!applies(applied, target) || applied.isCounted || applied.remaining(now) >= 1) continue;
      const wait = waitFor(applied, now);
      if (wait > longest) {
        longest = wait;
        this.refusedBy = applied;
      }
    }
    for (let i = 0; i < this.limits.length && this.refusedBy === null; i++) {
      const applied = this.limits[i];
      if (!applied.limit.countsRequests || applied.isCounted || !applies(applied, target)) continue;
      applied.isCounted = take(applied, 1, now, true);
      if (!applied.isCounted) this.refusedBy = applied;
    }
    return this.refusedBy === null;
  }

  /** What the client is told when `admits` has said no. */
  fault(): Fault {
    const applied = this.refusedBy;
    if (applied === null) return new Fault(500, "The gateway lost track of this request.");
    const seconds = secondsUp(waitFor(applied, currentMicroseconds())).toString();
    const message =
      "The rate limit of " + applied.limit.label + " is used up; try again in " + seconds + " s.";
    return new Fault(429, message).coded("rate_limit_exceeded");
  }

  /** An attempt is answered: by an error, or by what is to be counted. */
  startResponse(status: u32, target: Target | null, dialect: Dialect): void {
    this.dropObserver();
    this.responseBytes = 0;
    // What an attempt before used is charged already.
    this.isCharged = false;
    this.hasResponse = status < 400;
    if (this.hasResponse && target !== null && target.dialect === dialect)
      this.observer = new UsageObserver(dialect);
  }

  /** The limit of its kind, tokens or requests, of which the smallest part is left; null when there is none. */
  nearest(target: Target | null, countsRequests: bool): AppliedLimit | null {
    const now = currentMicroseconds();
    let found: AppliedLimit | null = null;
    let least: f64 = 2;
    for (let i = 0; i < this.limits.length; i++) {
      const applied = this.limits[i];
      if (applied.limit.countsRequests != countsRequests || !applies(applied, target)) continue;
      const part = applied.remaining(now) / applied.limit.amount;
      if (part >= least) continue;
      least = part;
      found = applied;
    }
    return found;
  }

  /**
   * Charges the tokens, once. What the provider has not said is estimated: each event of a stream is a token.
   * @param isWhole the response has come to its end, so that its count is final
   */
  chargeUsage(target: Target | null, usage: Usage, events: u32, isWhole: bool): void {
    if (this.isCharged || !this.hasResponse) return;
    this.isCharged = true;
    const requestEstimate = <i64>min(this.requestBytes / BYTES_OF_TOKEN, MAX_ESTIMATE);
    const responseEstimate = <i64>(events > 0 ? events : this.responseBytes / BYTES_OF_TOKEN);
    const input = usage.freshInput >= 0 ? usage.input : requestEstimate;
    const isFinal = isWhole || events == 0;
    const isCounted = usage.output >= 0 && (isFinal || usage.output > responseEstimate);
    const tokens = input + (isCounted ? usage.output : responseEstimate);
    const now = currentMicroseconds();
    for (let i = 0; i < this.limits.length; i++) {
      const applied = this.limits[i];
      if (applied.limit.countsRequests || !applies(applied, target)) continue;
      if (!applied.limit.isByService) take(applied, <f64>tokens, now, false);
      else setProperty(applied.limit.charge, hexadecimal(applied.fingerprint));
    }
    if (this.isByService()) setProperty(TOKENS, decimalText(min(tokens, MAX_TOKENS)));
  }

  dropObserver(): void {
    const observer = this.observer;
    if (observer !== null) observer.release();
    this.observer = null;
  }
}

/** The meter of a request for a route; null where no limit applies. */
export function startMeter(route: Route, requestBytes: u32): Meter | null {
  if (!route.isLimited) return null;
  const meter = new Meter(requestBytes);
  meter.add(route.rateLimits, null);
  for (let i = 0; i < route.targets.length; i++)
    meter.add(route.targets[i].rateLimits, route.targets[i]);
  return meter.isEmpty() ? null : meter;
}

/** Microseconds until one token or request is left. */
export function waitFor(applied: AppliedLimit, now: f64): f64 {
  const limit = applied.limit;
  return max(applied.timeToWhole(now) + limit.period / limit.amount - limit.period, 0);
}

/** Whole seconds, at least one. */
export function secondsUp(microseconds: f64): u32 {
  return <u32>max(Math.ceil(microseconds / 1_000_000), 1);
}

const text = scratchBuffer();
const span = new Span(0, 0);

function decimalText(value: i64): Span {
  text.clear();
  text.integer(value);
  return textSpan();
}

function hexadecimal(value: u64): Span {
  text.clear();
  for (let shift: u64 = 64; shift > 0;) {
    shift -= 4;
    const digit = (<u32>(value >> shift)) & 15;
    text.byte(digit < 10 ? 0x30 + digit : 0x57 + digit);
  }
  return textSpan();
}

function textSpan(): Span {
  span.pointer = text.pointer;
  span.length = text.length;
  return span;
}

function applies(applied: AppliedLimit, target: Target | null): bool {
  return applied.target === null || applied.target === target;
}

function take(applied: AppliedLimit, amount: f64, now: f64, isHardLimit: bool): bool {
  const limit = applied.limit;
  const cost = (amount * limit.period) / limit.amount;
  // Half a request more, because the sum of many parts is not quite the whole; one token less, which has to come back.
  const latest =
    now + (isHardLimit ? limit.period + cost / 2 : 2 * limit.period - limit.period / limit.amount);
  return takeFromBudget(limit, applied.fingerprint, now, cost, latest, isHardLimit);
}
