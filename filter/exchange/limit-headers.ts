// Tells a client in its dialect's headers what is left of the limits that apply to its request.
// @see https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
// @see https://docs.anthropic.com/en/api/rate-limits#response-headers
import { Target } from "../config/target";
import { ANTHROPIC_MESSAGES } from "../dialects/dialect";
import {
  currentMicroseconds,
  header,
  removeHeader,
  RESPONSE_HEADERS,
  setHeader,
  setHeaderNumber,
} from "../host/host";
import { ByteBuffer, constant, Span } from "../text/bytes";
import { decimal } from "../text/decimal";
import { Meter, secondsUp, Share, waitFor } from "./meter";

const RETRY_AFTER = constant("retry-after");
const SERVICE_LIMIT = constant("x-ratelimit-limit");
const SERVICE_REMAINING = constant("x-ratelimit-remaining");
const SERVICE_RESET = constant("x-ratelimit-reset");
const SERVICE_REFUSED = constant("x-envoy-ratelimited");

class Names {
  limit: Span;
  remaining: Span;
  reset: Span;
  constructor(before: string, kind: string, isKindLast: bool) {
    this.limit = constant(isKindLast ? before + "limit-" + kind : before + kind + "-limit");
    this.remaining = constant(
      isKindLast ? before + "remaining-" + kind : before + kind + "-remaining",
    );
    this.reset = constant(isKindLast ? before + "reset-" + kind : before + kind + "-reset");
  }
}

const OPENAI = "x-ratelimit-";
const ANTHROPIC = "anthropic-ratelimit-";
const OPENAI_TOKENS = new Names(OPENAI, "tokens", true);
const OPENAI_REQUESTS = new Names(OPENAI, "requests", true);
const ANTHROPIC_TOKENS = new Names(ANTHROPIC, "tokens", false);
const ANTHROPIC_REQUESTS = new Names(ANTHROPIC, "requests", false);

const text = new ByteBuffer();
const span = new Span(0, 0);

/** Writes the headers of the reply at hand; those of a provider's own limits are replaced. */
export function tellLimits(meter: Meter, dialect: i32, target: Target | null): void {
  if (meter.isByService()) {
    tellOfService(dialect);
    return;
  }
  tellOfShare(meter.nearest(target, false), dialect);
  tellOfShare(meter.nearest(target, true), dialect);
  const refused = meter.refusedBy;
  if (refused === null) return;
  const wait = secondsUp(waitFor(refused, currentMicroseconds()));
  setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, wait);
}

function tellOfShare(share: Share | null, dialect: i32): void {
  if (share === null) return;
  const now = currentMicroseconds();
  const limit = share.limit;
  const reset = <u32>Math.ceil(share.timeToWhole(now) / 1_000_000);
  tell(dialect, limit.countsRequests, <u32>limit.amount, <u32>share.remaining(now), reset);
}

/**
 * The headers of Envoy's rate limit filter in the words of the dialect: `10, 10;w=60;name="tokens"` is the limit of which
 * the least is left, then all of them.
 * @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/extensions/filters/http/ratelimit/v3/rate_limit.proto
 */
function tellOfService(dialect: i32): void {
  const written = header(RESPONSE_HEADERS, SERVICE_LIMIT);
  if (written.length == 0) return;
  const limits = String.UTF8.decodeUnsafe(written.pointer, written.length);
  const amount = limits.substring(0, limits.indexOf(","));
  const name = limits.indexOf('name="', limits.indexOf(" " + amount + ";")) + 6;
  const isOfRequests = limits.charCodeAt(name) == 0x72;
  written.length = <u32>amount.length;
  const limit = decimal(written);
  const remaining = decimal(header(RESPONSE_HEADERS, SERVICE_REMAINING));
  const reset = <u32>max(decimal(header(RESPONSE_HEADERS, SERVICE_RESET)), 1);
  const isRefused = header(RESPONSE_HEADERS, SERVICE_REFUSED).length > 0;
  removeHeader(RESPONSE_HEADERS, SERVICE_LIMIT);
  removeHeader(RESPONSE_HEADERS, SERVICE_REMAINING);
  removeHeader(RESPONSE_HEADERS, SERVICE_RESET);
  removeHeader(RESPONSE_HEADERS, SERVICE_REFUSED);
  tell(dialect, isOfRequests, <u32>max(limit, 0), <u32>max(remaining, 0), reset);
  if (isRefused) setHeaderNumber(RESPONSE_HEADERS, RETRY_AFTER, reset);
}

/** @param reset seconds until the budget is whole */
function tell(dialect: i32, isOfRequests: bool, limit: u32, remaining: u32, reset: u32): void {
  const isAnthropic = dialect == ANTHROPIC_MESSAGES;
  const names = isAnthropic
    ? isOfRequests
      ? ANTHROPIC_REQUESTS
      : ANTHROPIC_TOKENS
    : isOfRequests
      ? OPENAI_REQUESTS
      : OPENAI_TOKENS;
  setHeaderNumber(RESPONSE_HEADERS, names.limit, limit);
  setHeaderNumber(RESPONSE_HEADERS, names.remaining, remaining);
  text.clear();
  if (isAnthropic) writeTime(<u64>Math.ceil(currentMicroseconds() / 1_000_000) + reset, text);
  else writeDuration(reset, text);
  span.pointer = text.pointer;
  span.length = text.length;
  setHeader(RESPONSE_HEADERS, names.reset, span);
}

/** `1h2m3s`, as OpenAI writes it. */
function writeDuration(seconds: u32, out: ByteBuffer): void {
  if (seconds >= 3600) {
    out.integer(seconds / 3600);
    out.byte(0x68);
  }
  if (seconds >= 60) {
    out.integer((seconds % 3600) / 60);
    out.byte(0x6d);
  }
  out.integer(seconds % 60);
  out.byte(0x73);
}

/** RFC 3339, UTC: `2026-11-22T01:02:03Z`. Days to a date as in Hinnant, "chrono-compatible low-level date algorithms". */
function writeTime(seconds: u64, out: ByteBuffer): void {
  const day = <u32>(seconds / 86400) + 719468;
  const era = day / 146097;
  const dayOfEra = day % 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  // Months from March on, so that the day that a leap year adds is the last.
  const month = (5 * dayOfYear + 2) / 153;
  const isNextYear = month >= 10;
  out.integer(era * 400 + yearOfEra + <u32>isNextYear);
  twoDigits(0x2d, isNextYear ? month - 9 : month + 3, out);
  twoDigits(0x2d, dayOfYear - (153 * month + 2) / 5 + 1, out);
  const second = <u32>(seconds % 86400);
  twoDigits(0x54, second / 3600, out);
  twoDigits(0x3a, (second % 3600) / 60, out);
  twoDigits(0x3a, second % 60, out);
  out.byte(0x5a);
}

function twoDigits(before: u32, number: u32, out: ByteBuffer): void {
  out.byte(before);
  out.byte(0x30 + number / 10);
  out.byte(0x30 + (number % 10));
}
