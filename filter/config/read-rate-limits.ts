// Reads the rate limits (contract/filter-document.ts, Rate).
import * as members from "../../contract/filter-document";
import { PROPERTY_LIMIT_CHARGE, PROPERTY_LIMIT_CHECK } from "../../contract/words";
import { constant, Span } from "../bytes/text/bytes";
import { Document } from "./document";
import { RateLimit } from "./rate-limit-rule";

const MICROSECONDS: f64 = 1_000_000;
/** The indices of `tokens|requests`. */
const REQUESTS: i32 = 1;

/** Returns the limits in a member, which may be missing. */
export function readRateLimits(
  from: Document,
  node: u32,
  member: Span,
  isByService: bool,
): RateLimit[] {
  const limits = new Array<RateLimit>();
  const list = from.items(node, member);
  for (let i = 0; i < list.length; i++) {
    const limit = new RateLimit();
    limit.key = from.bytes(list[i], constant(members.RATE_ID));
    limit.label = from.text(list[i], constant(members.RATE_LABEL));
    limit.header = from.bytes(list[i], constant(members.RATE_HEADER));
    limit.value = from.bytes(list[i], constant(members.RATE_VALUE));
    limit.each = from.choice(list[i], constant(members.RATE_EACH));
    limit.amount = <f64>from.number(list[i], constant(members.RATE_AMOUNT));
    limit.period = <f64>from.number(list[i], constant(members.RATE_SECONDS)) * MICROSECONDS;
    limit.countsRequests = from.choice(list[i], constant(members.RATE_COUNTS)) == REQUESTS;
    if (!(limit.amount >= 1 && limit.period >= 1)) from.report("a rate limit is invalid");
    limit.isByService = isByService;
    limit.check = constant(PROPERTY_LIMIT_CHECK + i.toString());
    limit.charge = constant(PROPERTY_LIMIT_CHARGE + i.toString());
    limits.push(limit);
  }
  return limits;
}
