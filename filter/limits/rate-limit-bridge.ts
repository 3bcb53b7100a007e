// What the filter writes for Envoy's rate limit filters, which ask the rate limit service: properties of the stream.
import { PROPERTY_LIMIT_TOKENS } from "../../contract/words";
import { setProperty } from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { appendHexadecimal } from "../bytes/text/hash";
import { ActiveLimit } from "./active-limit";

/** Envoy charges no more at once. */
const MAX_TOKENS: i64 = 1_000_000_000;

const text = scratchBuffer();
const span = new Span(0, 0);

/** Has Envoy check the limit before it sends the request on. */
export function requestCheck(active: ActiveLimit): void {
  setProperty(active.limit.check, fingerprintText(active));
}

/** Has Envoy charge the limit with `setChargedTokens` at the end of the response. */
export function requestCharge(active: ActiveLimit): void {
  setProperty(active.limit.charge, fingerprintText(active));
}

export function setChargedTokens(tokens: i64): void {
  text.clear();
  text.integer(min(tokens, MAX_TOKENS));
  setProperty(constant(PROPERTY_LIMIT_TOKENS), text.view(span));
}

function fingerprintText(active: ActiveLimit): Span {
  text.clear();
  appendHexadecimal(active.fingerprint, text);
  return text.view(span);
}
