// Whether a client may ask: on a listener with keys, one of them has to be in the head of the request.
import { HEADER_API_KEY } from "../../contract/words";
import { Fault } from "../chat/fault";
import { ApiKeys } from "../config/api-keys";
import { Config } from "../config/read-config";
import { Exchange } from "../exchange/exchange";
import { AUTHORIZATION, GATEWAY_KEY, X_API_KEY } from "../exchange/request-head";
import { Span } from "../text/bytes";

/** Eight bytes that begin `Bearer ` in any case: the seventh is a space, the eighth does not count. */
const BEARER: u64 = 0x0020_7265_7261_6562;
const LOWER_CASE: u64 = 0x0000_2020_2020_2020;
const SEVEN_BYTES: u64 = 0x00ff_ffff_ffff_ffff;
const SCHEME_LENGTH: u32 = 7;

const token = new Span(0, 0);

/** The token of `authorization: Bearer …` in the head that was read last; empty without one. Good until the next call. */
export function bearerToken(): Span {
  const isBearer =
    AUTHORIZATION.length > SCHEME_LENGTH &&
    ((load<u64>(AUTHORIZATION.pointer) & SEVEN_BYTES) | LOWER_CASE) == BEARER;
  token.pointer = AUTHORIZATION.pointer + SCHEME_LENGTH;
  token.length = isBearer ? AUTHORIZATION.length - SCHEME_LENGTH : 0;
  return token;
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
  if (isNoClients(key, config)) key = bearerToken();
  if (!isNoClients(key, config)) exchange.clientKey.span(key);
}

/** Whether it is none, or one of the gateway's own, of whichever listener: those are never passed on. */
function isNoClients(key: Span, config: Config): bool {
  return key.length == 0 || holds(config.ingressKeys, key) || holds(config.egressKeys, key);
}

function holds(keys: ApiKeys | null, key: Span): bool {
  return keys !== null && keys.has(key.pointer, key.length);
}
