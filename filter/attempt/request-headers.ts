// The headers of a request for one target: the client's that no provider may get are removed, and the target's are written, each by a
// call. The attempts of a request share one header map: each writes all that an earlier one may have changed.
import { BEARER, CREDENTIAL_KINDS, CredentialKind } from "../../contract/credentials";
import { TRACE_HEADERS } from "../../contract/foreign-headers";
import { Target } from "../config/target";
import { KeptHeader } from "../exchange/attempts";
import { Exchange } from "../exchange/exchange";
import {
  ACCOUNTS,
  copyForeignHeaders,
  CREDENTIALS,
  hasOwnHeader,
  readHead,
} from "../exchange/request-head";
import { header, removeHeader, REQUEST_HEADERS, setHeader } from "../host/host";
import { HostedRequest } from "../dialects/anthropic/messages/hosted/hosted-request";
import { writeBetas } from "../hub/request/added-betas";
import { CACHE_KEY_HEADER } from "../hub/request/request-report";
import { ByteBuffer, constant, sameSpan, scratchBuffer, Span } from "../bytes/text/bytes";
import { findByte } from "../bytes/text/find";
import { dropParameters } from "../bytes/text/query";

const BETA = constant("anthropic-beta");
/** @see https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits */
const CONVERSATION = constant("x-grok-conv-id");
const QUESTION: u32 = 0x3f;
const AMPERSAND: u32 = 0x26;

/** In the order of `CREDENTIAL_KINDS`; empty for none. */
const CREDENTIAL_HEADERS: Span[] = [];
for (let i = 0; i < CREDENTIAL_KINDS.length; i++)
  CREDENTIAL_HEADERS.push(constant(CREDENTIAL_KINDS[i].header));
const NO_NAME = new Span(0, 0);
const TRACE_NAMES: Span[] = [];
for (let i = 0; i < TRACE_HEADERS.length; i++) TRACE_NAMES.push(constant(TRACE_HEADERS[i]));

const text = scratchBuffer();
const value = new Span(0, 0);
const removed = new Span(0, 0);
const left = scratchBuffer();

/**
 * Has Envoy send the request to a cluster, and removes the client's headers that no provider may get. Nothing is sent without a
 * cluster, so no request reaches a provider with them.
 * @param clusterHeader the header that holds the cluster, which decides the kind of timeout
 */
export function sendTo(exchange: Exchange, clusterHeader: Span, cluster: Span): void {
  removeNames(exchange, exchange.client.foreign);
  setHeader(REQUEST_HEADERS, clusterHeader, cluster);
}

/** @param names each with a NUL after it */
function removeNames(exchange: Exchange, names: ByteBuffer): void {
  const end = names.pointer + names.length;
  removed.pointer = names.pointer;
  while (removed.pointer < end) {
    removed.length = <u32>(findByte(removed.pointer, end, 0) - removed.pointer);
    // With tracing Envoy writes them, and clusters remove them.
    if (exchange.trace === null || !isTraceHeader(removed)) removeHeader(REQUEST_HEADERS, removed);
    removed.pointer += removed.length + 1;
  }
}

function isTraceHeader(name: Span): bool {
  for (let i = 0; i < TRACE_NAMES.length; i++) {
    if (sameSpan(TRACE_NAMES[i], name)) return true;
  }
  return false;
}

/** Removes what an earlier attempt has left, besides credentials: headers of its target, and those of a signature. */
export function removeHeadersOf(before: Target, exchange: Exchange): void {
  readHead();
  left.clear();
  copyForeignHeaders(left);
  removeNames(exchange, left);
  for (let i = 0; i < before.headers.length; i++)
    removeHeader(REQUEST_HEADERS, before.headers[i].name);
  if (before.hosted !== null) {
    restoreBetas(exchange);
    return;
  }
  if (before.dialect === exchange.client.dialect) return;
  if (before.limits.cacheKey == CACHE_KEY_HEADER && exchange.client.cacheKey.length > 0)
    removeHeader(REQUEST_HEADERS, CONVERSATION);
  if (exchange.client.addedBetas != 0) restoreBetas(exchange);
  const required = before.dialect.requiredHeaders;
  for (let i = 0; i < required.length; i++) removeHeader(REQUEST_HEADERS, required[i].name);
}

/** Writes the betas as the client has sent them. */
function restoreBetas(exchange: Exchange): void {
  if (exchange.client.betas.length == 0) removeHeader(REQUEST_HEADERS, BETA);
  else setHeader(REQUEST_HEADERS, BETA, exchange.client.betas.view(value));
}

/** Keeps the client's betas, which the body of an attempt may need when its headers cannot be read any more. */
export function keepBetas(exchange: Exchange): void {
  const betas = header(REQUEST_HEADERS, BETA);
  if (betas.length == 0) return;
  exchange.client.betas = new ByteBuffer();
  exchange.client.betas.span(betas);
}

/** Removes the headers that the client's dialect has and the target's has not, and keeps them for a later attempt. */
function removeOwnHeaders(exchange: Exchange, target: Target): void {
  const names = exchange.client.dialect.ownHeaders;
  for (let i = 0; i < names.length; i++) {
    if (!target.dialect.ownsHeader(names[i])) stashHeader(exchange, names[i]);
  }
}

/** Removes the headers of the dialect, which a cloud does not read, and writes the betas that it accepts. */
function writeHostedHeaders(exchange: Exchange, target: Target, hosted: HostedRequest): void {
  const names = target.dialect.ownHeaders;
  for (let i = 0; i < names.length; i++) stashHeader(exchange, names[i]);
  hosted.readBetas(null);
  text.clear();
  hosted.writeHeader(text);
  if (exchange.isTranslated()) writeBetas(exchange.client.addedBetas, text);
  if (text.length > 0) setHeader(REQUEST_HEADERS, BETA, text.view(value));
}

/** Removes a header, and keeps it for a later attempt. */
function stashHeader(exchange: Exchange, name: Span): void {
  const attempts = exchange.attempts;
  // An earlier attempt may have set a header that the client has not sent.
  if (attempts !== null) attempts.keep(name, header(REQUEST_HEADERS, name));
  else if (!hasOwnHeader(exchange.client.headers, name)) return;
  removeHeader(REQUEST_HEADERS, name);
}

/** Removes the headers by which the client would choose an account of the operator's key. */
function removeAccounts(exchange: Exchange): void {
  for (let i = 0; i < ACCOUNTS.length; i++) {
    const one = unchecked(ACCOUNTS[i]);
    if ((exchange.client.headers & one.bit) != 0) stashHeader(exchange, one.name);
  }
}

function restoreHeaders(exchange: Exchange): void {
  const attempts = exchange.attempts;
  if (attempts === null) return;
  let kept: KeptHeader | null = attempts.kept;
  while (kept !== null) {
    value.pointer = kept.value.pointer;
    value.length = kept.value.length;
    setHeader(REQUEST_HEADERS, kept.name, value);
    kept = kept.next;
  }
}

/** Writes the headers of a request for a target, with one of its credentials (empty if it has none). */
export function writeHeaders(exchange: Exchange, target: Target, credential: Span): void {
  writePath(exchange, target);
  setHeader(REQUEST_HEADERS, constant(":authority"), target.authority);
  writeCredential(exchange, target, credential);
  if (exchange.isTranslated()) {
    removeOwnHeaders(exchange, target);
    writeCacheKey(exchange, target);
    if (exchange.client.addedBetas != 0) addBetas(exchange);
  } else restoreHeaders(exchange);
  if (!target.passesClientKey) removeAccounts(exchange);
  const client = exchange.client;
  const hosted = target.hostedRequest(client.betas, client.endpoint.row.isEstimated);
  if (hosted === null) writeRequiredHeaders(exchange, target);
  else writeHostedHeaders(exchange, target, hosted);
  for (let i = 0; i < target.headers.length; i++) {
    const own = target.headers[i];
    setHeader(REQUEST_HEADERS, own.name, withAddedBeta(exchange, own.name, own.value));
  }
}

/** Adds the betas that the translated request needs to those of the client. */
function addBetas(exchange: Exchange): void {
  const client = exchange.client;
  if (client.betas.length == 0) keepBetas(exchange);
  setHeader(REQUEST_HEADERS, BETA, joinBetas(client.betas.view(value), client.addedBetas));
}

function joinBetas(own: Span, added: u32): Span {
  text.clear();
  text.span(own);
  writeBetas(added, text);
  return text.view(value);
}

/** Returns a configured header's value, with the betas that the translated request needs after it if the header lists betas. */
function withAddedBeta(exchange: Exchange, name: Span, configured: Span): Span {
  const betas = exchange.client.addedBetas;
  if (betas == 0 || !exchange.isTranslated() || !sameSpan(name, BETA)) return configured;
  return joinBetas(configured, betas);
}

/** Writes the header by which the provider finds the prompt cache of the client's session. */
function writeCacheKey(exchange: Exchange, target: Target): void {
  const key = exchange.client.cacheKey;
  if (target.limits.cacheKey != CACHE_KEY_HEADER || key.length == 0) return;
  key.view(value);
  setHeader(REQUEST_HEADERS, CONVERSATION, value);
}

function writeRequiredHeaders(exchange: Exchange, target: Target): void {
  const required = target.dialect.requiredHeaders;
  for (let i = 0; i < required.length; i++) {
    // The client's own value does not apply to a translated request.
    if (exchange.isTranslated() || !hasHeader(exchange, required[i].name))
      setHeader(REQUEST_HEADERS, required[i].name, required[i].value);
  }
}

/** Writes the target's credential, or the client's own key if its provider gets that, and removes all others. */
function writeCredential(exchange: Exchange, target: Target, credential: Span): void {
  const key = exchange.client.key;
  if (target.passesClientKey && key.length > 0) {
    passClientKey(exchange, key, target);
    return;
  }
  const own = credential.length > 0 ? target.credentialName : NO_NAME;
  removeCredentials(exchange, own);
  if (own.length > 0) setHeader(REQUEST_HEADERS, own, credential);
}

/** Writes the client's own key to the header that the provider expects. */
function passClientKey(exchange: Exchange, key: ByteBuffer, target: Target): void {
  key.view(value);
  const kind = target.hosted === null ? target.dialect.credentialKind(value) : BEARER;
  text.clear();
  text.text(kind.prefix);
  text.bytes(key.pointer, key.length);
  const own = headerOf(kind);
  removeCredentials(exchange, own);
  setHeader(REQUEST_HEADERS, own, text.view(value));
}

function headerOf(kind: CredentialKind): Span {
  for (let i = 0; i < CREDENTIAL_KINDS.length; i++) {
    if (CREDENTIAL_KINDS[i] === kind) return CREDENTIAL_HEADERS[i];
  }
  return NO_NAME;
}

/** Removes the credentials of the client, and those of an earlier attempt, except for one that is replaced. */
function removeCredentials(exchange: Exchange, own: Span): void {
  const attempts = exchange.attempts;
  const isFirst = attempts === null || attempts.count <= 1;
  for (let i = 0; i < CREDENTIALS.length; i++) {
    const one = unchecked(CREDENTIALS[i]);
    const mayBeThere = !isFirst || (exchange.client.headers & one.bit) != 0;
    if (mayBeThere && !sameSpan(one.name, own)) removeHeader(REQUEST_HEADERS, one.name);
  }
}

/** Returns whether the request has a header. Earlier attempts may have set it: then the header map is read again. */
function hasHeader(exchange: Exchange, name: Span): bool {
  return exchange.runsUpstream()
    ? header(REQUEST_HEADERS, name).length > 0
    : hasOwnHeader(exchange.client.headers, name);
}

/** Appends the query that every request of the target has. */
function writeQuery(query: Span): void {
  if (query.length == 0) return;
  const hasQuery = findByte(text.pointer, text.pointer + text.length, QUESTION) != 0;
  if (hasQuery) text.byte(AMPERSAND);
  text.bytes(query.pointer + u32(hasQuery), query.length - u32(hasQuery));
}

/** Writes the path. The client's query belongs to its API (`?beta=true` of Anthropic's SDKs): for any other it is dropped. */
function writePath(exchange: Exchange, target: Target): void {
  const client = exchange.client;
  const endpoint = client.endpoint;
  const isInference = endpoint.row.isInference;
  // Most providers use the path of the client: a header that is right already costs nothing.
  const mayBeRight =
    isInference &&
    target.query.length == 0 &&
    !exchange.isTranslated() &&
    !exchange.runsUpstream() &&
    !client.isQueryCut;
  if (mayBeRight && sameSpan(target.path, endpoint.path)) return;
  text.clear();
  if (isInference) {
    target.writePath(exchange.modelText(target), client.isStreaming, text);
  } else if (!target.writeCountPath(exchange.modelText(target), text)) {
    const counterpart = exchange.isTranslated() ? endpoint.counterpart : null;
    text.span(target.basePath);
    text.span(counterpart === null ? endpoint.suffix : counterpart.suffix);
  }
  if (!exchange.isTranslated() && target.hosted === null) {
    if (target.query.length == 0) text.bytes(client.pathEnd.pointer, client.pathEnd.length);
    else dropParameters(client.pathEnd.view(value), target.query, text);
  }
  writeQuery(target.query);
  value.pointer = text.pointer;
  value.length = text.length;
  setHeader(REQUEST_HEADERS, constant(":path"), value);
}
