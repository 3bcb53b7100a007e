// Reads the members `rate_limits` (model/filter-document/rate-limits.ts): the limits, and those of each name
// or model.
import { PROPERTY_LIMIT_CHARGE, PROPERTY_LIMIT_CHECK } from "../../contract/words";
import { Tape } from "../bytes/json/tape";
import { constant } from "../bytes/text/bytes";
import {
  integerOf,
  onlyKnownMembers,
  optionalString,
  reportProblem,
  stringMember,
} from "./document";
import { RateLimit } from "./rate-limit";

const WRONG = "a rate limit is invalid";
const MICROSECONDS: f64 = 1_000_000;

export function readRateLimits(tape: Tape, list: u32, isByService: bool): RateLimit[] {
  const limits = new Array<RateLimit>();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    onlyKnownMembers(tape, node, constant("id label header value amount counts seconds"));
    const limit = new RateLimit();
    limit.key = constant(stringMember(tape, node, constant("id")));
    limit.label = stringMember(tape, node, constant("label"));
    limit.header = constant(optionalString(tape, node, constant("header")));
    limit.value = constant(optionalString(tape, node, constant("value")));
    limit.amount = <f64>integerOf(tape, tape.member(node, constant("amount")));
    limit.period = <f64>integerOf(tape, tape.member(node, constant("seconds"))) * MICROSECONDS;
    const counts = stringMember(tape, node, constant("counts"));
    limit.countsRequests = counts == "requests";
    if (!limit.countsRequests && counts != "tokens") reportProblem(WRONG);
    if (!(limit.amount >= 1 && limit.period >= 1)) reportProblem(WRONG);
    limit.isByService = isByService;
    limit.check = constant(PROPERTY_LIMIT_CHECK + limits.length.toString());
    limit.charge = constant(PROPERTY_LIMIT_CHARGE + limits.length.toString());
    limits.push(limit);
  }
  return limits;
}

/** Appends the rate limits whose indices are in the list to `picked`. */
export function pickRateLimits(
  tape: Tape,
  list: u32,
  limits: RateLimit[],
  picked: RateLimit[],
): void {
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const at = integerOf(tape, node);
    if (at >= 0 && at < limits.length) picked.push(limits[at]);
    else reportProblem(WRONG);
  }
}
