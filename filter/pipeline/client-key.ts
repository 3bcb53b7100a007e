// Whether a client may ask: on a listener with keys, one of them has to be in the head of the request.
import { HEADER_API_KEY } from "../../contract/words";
import { Fault } from "../hub/fault";
import { ApiKeys } from "../config/api-keys";
import { Config } from "../config/read-config";
import { Exchange } from "../exchange/exchange";
import { AUTHORIZATION, GATEWAY_KEY, X_API_KEY } from "../exchange/request-head";
import { Span } from "../bytes/text/bytes";

/** Eight bytes that begin `Bearer ` in any case: the seventh is a space, the eighth does not count. */
const BEARER: u64 = 0x0020_7265_7261_6562;
const LOWER_CASE: u64 = 0x0000_2020_2020_2020;
const SEVEN_BYTES: u64 = 0x00ff_ffff_ffff_ffff;
const SCHEME_LENGTH: u32 = 7;

const token = new Span(0, 0);

/**
 * Returns the token of `authorization: Bearer …` in the head that was read last, without the white space around it;
 * empty without one. Valid until the next call.
 */
export function bearerToken(): Span {
  const isBearer =
    AUTHORIZATION.length > SCHEME_LENGTH &&
    ((load<u64>(AUTHORIZATION.pointer) & SEVEN_BYTES) | LOWER_CASE) == BEARER;
  token.pointer = AUTHORIZATION.pointer + SCHEME_LENGTH;
  token.length = isBearer ? AUTHORIZATION.length - SCHEME_LENGTH : 0;
  while (token.length > 0 && isSpace(load<u8>(token.pointer))) {
    token.pointer++;
    token.length--;
  }
  while (token.length > 0 && isSpace(load<u8>(token.pointer + token.length - 1))) token.length--;
  return token;
}

/** White space of a header's value (RFC 9110, section 5.6.3). */
function isSpace(byte: u32): bool {
  return byte == 0x20 || byte == 0x09;
}

/** Why the client of the head that was read last is turned away, or null. */
export function refusal(keys: ApiKeys | null): Fault | null {
  if (keys === null) return null;
  const bearer = bearerToken();
  // Each of them is looked at, whichever is right.
  const isKnown =
    u32(keys.has(bearer.pointer, bearer.length)) |
    u32(keys.has(X_API_KEY.pointer, X_API_KEY.length)) |
    u32(keys.has(GATEWAY_KEY.pointer, GATEWAY_KEY.length));
  if (isKnown != 0) return null;
  const sent = bearer.length + X_API_KEY.length + GATEWAY_KEY.length;
  const what = sent == 0 ? "This gateway wants a key" : "This key is not one of the gateway's";
  const how = "; send one as 'Authorization: Bearer', 'x-api-key' or '" + HEADER_API_KEY + "'.";
  return new Fault(401, what + how).coded("invalid_api_key");
}

/** Keeps the key that the client of the head that was read last sent for a provider. */
export function keepClientKey(exchange: Exchange, config: Config): void {
  let key = X_API_KEY;
  if (!isForProvider(key, config)) key = bearerToken();
  if (isForProvider(key, config)) exchange.client.key.span(key);
}

/** Whether it is one key, and not a key of the gateway's, of whichever listener: those are never passed on. */
function isForProvider(key: Span, config: Config): bool {
  return isOneKey(key) && !holds(config.ingressKeys, key) && !holds(config.egressKeys, key);
}

/**
 * Whether a value is a single key. Envoy joins equal headers with commas, so that a key of the gateway's could stand
 * beside another one; no provider's key holds white space or a comma (RFC 6750, section 2.1).
 */
function isOneKey(key: Span): bool {
  for (let i: u32 = 0; i < key.length; i++) {
    const byte = <u32>load<u8>(key.pointer + i);
    if (isSpace(byte) || byte == 0x2c) return false;
  }
  return key.length > 0;
}

function holds(keys: ApiKeys | null, key: Span): bool {
  return keys !== null && keys.has(key.pointer, key.length);
}
