// The headers of a response that the filter reads. Values are valid until the next `readResponseHead`.
import { Dialect } from "../dialects/dialect";
import { DIALECTS } from "../dialects/registry";
import { HEADER_ENCODING } from "../../contract/words";
import { constant, sameSpan, Span } from "../bytes/text/bytes";
import { Head, Wanted } from "../host/head";
import { RESPONSE_HEADERS } from "../host/host";

const IDENTITY = constant("identity");
const head = new Head(RESPONSE_HEADERS);

export const STATUS = head.want(constant(":status")).value;
export const CONTENT_TYPE = head.want(constant("content-type")).value;
export const CONTENT_LENGTH = head.want(constant("content-length")).value;
export const CONTENT_ENCODING = head.want(constant("content-encoding")).value;
/** The `content-encoding` before Envoy decompressed the response. */
export const ENCODING = head.want(constant(HEADER_ENCODING)).value;
/** The provider's id of the request, under the name of each dialect. */
const REQUEST_IDS: Wanted[] = [];
for (let i = 0; i < DIALECTS.length; i++) REQUEST_IDS.push(head.want(DIALECTS[i].requestIdHeader));

/** Returns the provider's id of the request under the name of a dialect; empty if there is none. */
export function requestIdOf(dialect: Dialect): Span {
  for (let i = 0; i < DIALECTS.length; i++) {
    if (DIALECTS[i] === dialect) return REQUEST_IDS[i].value;
  }
  return NO_ID;
}
const NO_ID = new Span(0, 0);

/** Reads the head of the current response. */
export function readResponseHead(): void {
  head.read();
}

/** Returns whether the body is compressed. Envoy decompresses in the listener only, which is behind the upstream filter. */
export function isCompressed(): bool {
  return CONTENT_ENCODING.length > 0 && !isIdentity(CONTENT_ENCODING);
}

/** Returns whether an encoding changes nothing. */
export function isIdentity(encoding: Span): bool {
  return sameSpan(encoding, IDENTITY);
}

/** Masks secrets in the head that was read last. */
export function maskResponseHead(secrets: Span[]): void {
  head.mask(secrets);
}
