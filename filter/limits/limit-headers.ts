// Writes the rate limit headers of a response, in the client's dialect.
import { Target } from "../config/target";
import { ClientDialect } from "../dialects/client-dialect";
import {
  currentMicroseconds,
  header,
  removeHeader,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { decimal } from "../bytes/text/decimal";
import { ActiveLimit } from "./active-limit";
import { RateLimiter } from "./rate-limiter";

const RETRY_AFTER = constant("retry-after");
const SERVICE_LIMIT = constant("x-ratelimit-limit");
const SERVICE_REMAINING = constant("x-ratelimit-remaining");
const SERVICE_RESET = constant("x-ratelimit-reset");
const SERVICE_REFUSED = constant("x-envoy-ratelimited");

const text = scratchBuffer();
const span = new Span(0, 0);

/** Writes the headers of the current response, over those of a provider's own limits. */
export function writeRateLimitHeaders(
  limiter: RateLimiter,
  dialect: ClientDialect,
  target: Target | null,
): void {
  if (limiter.isByService && limiter.refusedBy === null) {
    writeServiceHeaders(dialect);
    return;
  }
  writeBudgetHeaders(limiter.nearest(target, false), dialect);
  writeBudgetHeaders(limiter.nearest(target, true), dialect);
  const refused = limiter.refusedBy;
  if (refused !== null) setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, refused.retrySeconds());
}

function writeBudgetHeaders(active: ActiveLimit | null, dialect: ClientDialect): void {
  if (active === null) return;
  const now = currentMicroseconds();
  const limit = active.limit;
  const reset = <u32>Math.ceil(active.timeToWhole(now) / 1_000_000);
  const remaining = <u32>active.remaining(now);
  writeLimitHeaders(dialect, limit.countsRequests, <u32>limit.amount, remaining, reset);
}

/**
 * Replaces the headers of Envoy's rate limit filter by the dialect's. `10, 10;w=60;name="tokens"` is the limit of which the
 * smallest part is left, then all limits.
 * @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/extensions/filters/http/ratelimit/v3/rate_limit.proto
 */
function writeServiceHeaders(dialect: ClientDialect): void {
  const written = header(RESPONSE_HEADERS, SERVICE_LIMIT);
  if (written.length == 0) return;
  const limits = String.UTF8.decodeUnsafe(written.pointer, written.length);
  const amount = limits.substring(0, limits.indexOf(","));
  const name = limits.indexOf('name="', limits.indexOf(" " + amount + ";")) + 6;
  const countsRequests = limits.charCodeAt(name) == 0x72;
  written.length = <u32>amount.length;
  const limit = decimal(written);
  const remaining = decimal(header(RESPONSE_HEADERS, SERVICE_REMAINING));
  const reset = <u32>max(decimal(header(RESPONSE_HEADERS, SERVICE_RESET)), 1);
  const isRefused = header(RESPONSE_HEADERS, SERVICE_REFUSED).length > 0;
  removeHeader(RESPONSE_HEADERS, SERVICE_LIMIT);
  removeHeader(RESPONSE_HEADERS, SERVICE_REMAINING);
  removeHeader(RESPONSE_HEADERS, SERVICE_RESET);
  removeHeader(RESPONSE_HEADERS, SERVICE_REFUSED);
  writeLimitHeaders(dialect, countsRequests, <u32>max(limit, 0), <u32>max(remaining, 0), reset);
  if (isRefused) setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, reset);
}

/** @param reset seconds until the budget is whole */
function writeLimitHeaders(
  dialect: ClientDialect,
  countsRequests: bool,
  limit: u32,
  remaining: u32,
  reset: u32,
): void {
  const names = countsRequests ? dialect.requestLimitHeaders : dialect.tokenLimitHeaders;
  setHeaderNumber(RESPONSE_HEADERS, names.limit, limit);
  setHeaderNumber(RESPONSE_HEADERS, names.remaining, remaining);
  text.clear();
  dialect.writeReset(<u64>Math.ceil(currentMicroseconds() / 1_000_000), reset, text);
  setHeader(RESPONSE_HEADERS, names.reset, text.view(span));
}
