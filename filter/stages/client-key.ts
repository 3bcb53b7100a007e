// Stages: on a listener with API keys, the head of a request must hold one; pass-through auth keeps the client's own key.
import { TOKEN_SCHEMES } from "../../contract/token-metadata";
import { HEADER_API_KEY } from "../../contract/words";
import { Fault } from "../hub/faults/fault";
import { ApiKey, ApiKeys } from "../config/api-keys";
import { Config } from "../config/read-config";
import { Exchange } from "../exchange/exchange";
import { AUTHORIZATION, GATEWAY_KEY, METHOD, X_API_KEY } from "../exchange/request-head";
import { TokenIssuer } from "../config/read-issuers";
import { findTokenClient, hasRejectedToken, tokenFault } from "../keys/token-client";
import { knowsAllKeys, refreshRows } from "../keys/key-rows";
import { findRunTimeKey, isRunTimeKey, withGroups } from "../keys/run-time-keys";
import { addLocalHeader } from "../host/local-response";
import { byteAt, startsWith, startsWithIgnoringCase } from "../bytes/text/at";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { Outcome, StageContext } from "./stage-context";

const BEARER_SCHEME = constant("Bearer ");
/** With another spelling Envoy does not read the token. */
const SCHEMES = TOKEN_SCHEMES.map<Span>((scheme) => constant(scheme));
const DOT: u32 = 0x2e;
/** A 401 must have it (RFC 9110, section 15.5.2). */
const WWW_AUTHENTICATE = constant("www-authenticate");

/** Seconds until the control plane has sent the keys. */
const PAUSE: u32 = 1;

const token = new Span(0, 0);

/**
 * Returns the token of `authorization: Bearer …` in the head that was read last, without the white space around it;
 * empty without one. Valid until the next call.
 */
function bearerToken(): Span {
  const isBearer = startsWithIgnoringCase(
    AUTHORIZATION.pointer,
    AUTHORIZATION.length,
    BEARER_SCHEME,
  );
  token.pointer = AUTHORIZATION.pointer + BEARER_SCHEME.length;
  token.length = isBearer ? AUTHORIZATION.length - BEARER_SCHEME.length : 0;
  while (token.length > 0 && isSpace(byteAt(token.pointer, 0))) {
    token.pointer++;
    token.length--;
  }
  while (token.length > 0 && isSpace(byteAt(token.pointer, token.length - 1))) token.length--;
  return token;
}

/** White space of a header's value (RFC 9110, section 5.6.3). */
function isSpace(byte: u32): bool {
  return byte == 0x20 || byte == 0x09;
}

/** Requires a key of the listener for models and their list. */
export function checkClientKey(exchange: Exchange, context: StageContext): Outcome {
  const keys = exchange.client.keys;
  if (keys === null || !exchange.client.endpoint.isForModels(METHOD)) return Outcome.Next;
  const bearer = bearerToken();
  // All three are compared, so that the time does not depend on which one is right.
  const byBearer = keys.find(bearer.pointer, bearer.length);
  const byApiKey = keys.find(X_API_KEY.pointer, X_API_KEY.length);
  const byGatewayKey = keys.find(GATEWAY_KEY.pointer, GATEWAY_KEY.length);
  let key = keys.at(byGatewayKey != 0 ? byGatewayKey : byApiKey != 0 ? byApiKey : byBearer);
  const config = context.config;
  let now: u64 = 0;
  if (config.hasRunTimeKeys) {
    now = refreshRows();
    key = key === null ? findSentKey(config, bearer, now) : withGroups(config, key, now);
  }
  const issuers = tokenIssuers(exchange, config);
  if (key === null && issuers.length > 0) key = findTokenClient(config, issuers, now);
  exchange.client.apiKey = key;
  const sent = bearer.length + X_API_KEY.length + GATEWAY_KEY.length;
  const needsRows = key === null ? sent > 0 : key.group !== null || key.user !== null;
  if (needsRows && config.hasRunTimeKeys && !knowsAllKeys())
    return context.refuse(
      new Fault(503, "The gateway does not know its API keys yet. Retry in 1 s.").after(PAUSE),
    );
  if (key !== null) return Outcome.Next;
  const rejected: Fault | null = tokenFault(issuers);
  if (rejected !== null) {
    addLocalHeader(WWW_AUTHENTICATE, constant("Bearer"));
    return context.refuse(rejected);
  }
  const what = sent == 0 ? "Missing API key." : "Invalid API key.";
  const how =
    " Send a key of this listener as 'Authorization: Bearer', 'x-api-key' or '" +
    HEADER_API_KEY +
    "'.";
  addLocalHeader(WWW_AUTHENTICATE, constant("Bearer"));
  return context.refuse(new Fault(401, what + how).coded("invalid_api_key"));
}

/** Returns the issuers of tokens for the client's listener. */
function tokenIssuers(exchange: Exchange, config: Config): TokenIssuer[] {
  return exchange.client.isIngress ? config.ingressTokens : config.egressTokens;
}

/** Returns the client of the first of the headers that has a key of run time; null if none has. */
function findSentKey(config: Config, bearer: Span, now: u64): ApiKey | null {
  let found = findRunTimeKey(config, GATEWAY_KEY, now);
  if (found === null) found = findRunTimeKey(config, X_API_KEY, now);
  return found === null ? findRunTimeKey(config, bearer, now) : found;
}

/** Keeps the client's own key for providers with pass-through auth. */
export function keepClientKey(exchange: Exchange, context: StageContext): Outcome {
  const config = context.config;
  if (!config.passesClientKey) return Outcome.Next;
  if (config.hasRunTimeKeys) {
    refreshRows();
    // It may be a key of the gateway.
    if (!knowsAllKeys()) return Outcome.Next;
  }
  let key = X_API_KEY;
  if (!isForProvider(key, exchange, config)) key = bearerToken();
  if (!isForProvider(key, exchange, config)) return Outcome.Next;
  exchange.client.key = new ByteBuffer();
  exchange.client.key.span(key);
  return Outcome.Next;
}

/**
 * Returns whether a value is one key, and neither an API key of any listener nor a token of the gateway: those are never sent to a
 * provider.
 */
function isForProvider(key: Span, exchange: Exchange, config: Config): bool {
  if (!isOneKey(key) || holds(config.ingressKeys, key) || holds(config.egressKeys, key))
    return false;
  if (config.hasRunTimeKeys && isRunTimeKey(key)) return false;
  const issuers = tokenIssuers(exchange, config);
  if (issuers.length == 0 || !isToken(key)) return true;
  return isReadByEnvoy() && !hasRejectedToken(issuers);
}

/** Returns whether a value has the form of a token (JWT): three parts with dots between them. */
function isToken(key: Span): bool {
  let dots = 0;
  for (let i: u32 = 0; i < key.length; i++) dots += i32(byteAt(key.pointer, i) == DOT);
  return dots == 2;
}

/** Returns whether Envoy has read the tokens of the request: in `authorization` it compares the case of the scheme. */
function isReadByEnvoy(): bool {
  for (let i = 0; i < SCHEMES.length; i++) {
    if (startsWith(AUTHORIZATION.pointer, AUTHORIZATION.length, SCHEMES[i])) return true;
  }
  return AUTHORIZATION.length == 0;
}

/**
 * Returns whether a value is a single key. Envoy joins equal headers with commas, so that the value could hold an API key of the
 * gateway too; no provider's key holds white space or a comma (RFC 6750, section 2.1).
 */
function isOneKey(key: Span): bool {
  for (let i: u32 = 0; i < key.length; i++) {
    const byte = byteAt(key.pointer, i);
    if (isSpace(byte) || byte == 0x2c) return false;
  }
  return key.length > 0;
}

function holds(keys: ApiKeys | null, key: Span): bool {
  return keys !== null && keys.find(key.pointer, key.length) != 0;
}
