// The headers of a response that the filter reads, and those that no client may get. Values are valid until the next `readResponseHead`.
import { ProviderDialect } from "../dialects/provider-dialect";
import { DIALECTS } from "../dialects/dialect-registry";
import { CHALLENGES, RESPONSE_NAMES, RESPONSE_PREFIXES } from "../../contract/foreign-headers";
import { HEADER_ENCODING, HEADER_REQUEST_ID } from "../../contract/words";
import { startsWith } from "../bytes/text/at";
import { constant, sameSpan, Span } from "../bytes/text/bytes";
import { Head, Wanted } from "../host/message-head";
import { removeHeader, RESPONSE_HEADERS, setHeader } from "../host/host";
import { NameRules } from "../host/header-rules";

const NO_NAME = new Span(0, 0);
const rules = new NameRules();
rules.setSuffix(CHALLENGES);
rules.addPrefixes(RESPONSE_PREFIXES);
rules.addNames(RESPONSE_NAMES);
const head = new Head(RESPONSE_HEADERS, rules);

export const STATUS = head.want(constant(":status")).value;
export const CONTENT_TYPE = head.want(constant("content-type")).value;
export const CONTENT_LENGTH = head.want(constant("content-length")).value;
export const CONTENT_ENCODING = head.want(constant("content-encoding")).value;
/** What the route adds after the provider's headers, in this order: the request id, and a copy of the `content-encoding`. */
const OWN_ID = head.want(constant(HEADER_REQUEST_ID));
const COPY = head.want(constant(HEADER_ENCODING));
/** The `content-encoding` before Envoy decompressed the response, after foreign headers have been removed. */
export const ENCODING = COPY.value;
/** The provider's id of the request, under the name of each dialect. */
const REQUEST_IDS: Wanted[] = [];
for (let i = 0; i < DIALECTS.length; i++) REQUEST_IDS.push(head.want(DIALECTS[i].requestIdHeader));

/** Returns the provider's id of the request under the name of a dialect; empty if there is none. */
function requestIdOf(dialect: ProviderDialect): Span {
  for (let i = 0; i < DIALECTS.length; i++) {
    if (DIALECTS[i] === dialect) return REQUEST_IDS[i].value;
  }
  return NO_ID;
}
const NO_ID = new Span(0, 0);

/** Gives the client the provider's request id: each SDK reads it from a header of its own dialect. */
export function copyRequestId(from: ProviderDialect, to: ProviderDialect): void {
  if (requestIdOf(to).length > 0) return;
  const id = requestIdOf(from);
  if (id.length > 0) setHeader(RESPONSE_HEADERS, to.requestIdHeader, id);
}

/** Returns whether the body is a stream of server-sent events. */
export function isEventStream(): bool {
  return startsWith(CONTENT_TYPE.pointer, CONTENT_TYPE.length, constant("text/event-stream"));
}

/** Reads the head of the current response. */
export function readResponseHead(): void {
  head.read();
}

/** Returns whether the body is compressed. Envoy decompresses in the listener only, which is after the upstream filter. */
export function isCompressed(): bool {
  return CONTENT_ENCODING.length > 0 && !isIdentity(CONTENT_ENCODING);
}

/** Returns whether an encoding changes nothing. */
export function isIdentity(encoding: Span): bool {
  return sameSpan(encoding, constant("identity"));
}

/** Removes the headers of the head that was read last which no client may get, in an attempt: the route has added nothing yet. */
export function removeForeignHeaders(): void {
  head.removeForeign(NO_NAME);
  ENCODING.length = 0;
}

/** The same after the route. @param id the request id, which the route has added to the provider's headers */
export function removeForeignHeadersBehindRoute(id: Span): void {
  head.removeForeign(OWN_ID.name);
  if ((head.repeated & OWN_ID.bit) != 0) setHeader(RESPONSE_HEADERS, OWN_ID.name, id);
  if (ENCODING.pointer < OWN_ID.value.pointer) ENCODING.length = 0;
}

/** Removes the copy of the `content-encoding` that the route has added. */
export function removeEncodingCopy(): void {
  removeHeader(RESPONSE_HEADERS, COPY.name);
}

/** Masks secrets in the head that was read last. */
export function maskResponseHead(secrets: Span[]): void {
  head.mask(secrets);
}
