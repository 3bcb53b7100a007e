// The headers of a request that the filter reads. Values are valid until the next `readHead`.
import { HEADER_API_KEY, HEADER_HINT, HEADER_STREAM_CLUSTER } from "../../contract/words";
import { DIALECTS } from "../dialects/registry";
import { ByteBuffer, constant, sameSpan, Span } from "../bytes/text/bytes";
import { Head, Wanted } from "../host/head";
import { REQUEST_HEADERS } from "../host/host";

const head = new Head(REQUEST_HEADERS);

export const PATH = head.want(constant(":path")).value;
export const METHOD = head.want(constant(":method")).value;
export const REQUEST_ID = head.want(constant("x-request-id")).value;
export const HINT = head.want(constant(HEADER_HINT)).value;
export const STREAM_CLUSTER = head.want(constant(HEADER_STREAM_CLUSTER)).value;
export const AUTHORIZATION = head.want(constant("authorization")).value;
export const X_API_KEY = head.want(constant("x-api-key")).value;
export const GATEWAY_KEY = head.want(constant(HEADER_API_KEY)).value;
export const CONTENT_TYPE = head.want(constant("content-type")).value;
export const AUTHORITY = head.want(constant(":authority")).value;
export const ORIGIN = head.want(constant("origin")).value;
export const CONTENT_LENGTH = head.want(constant("content-length")).value;

/** The client's headers that only one dialect has. */
const OWN_HEADERS: Wanted[] = [];
for (let i = 0; i < DIALECTS.length; i++) {
  if (!DIALECTS[i].hasClients) continue;
  const names = DIALECTS[i].ownHeaders;
  for (let j = 0; j < names.length; j++) OWN_HEADERS.push(head.want(names[j]));
}

/** Returns whether the request whose head had these bits (`readHead`) has a header that only one dialect has. */
export function hasOwnHeader(bits: u32, name: Span): bool {
  for (let i = 0; i < OWN_HEADERS.length; i++) {
    const header = unchecked(OWN_HEADERS[i]);
    if (sameSpan(header.name, name)) return (bits & header.bit) != 0;
  }
  return false;
}

/** Reads the head of the current request. Returns the bits of the headers above that it has. */
export function readHead(): u32 {
  head.read();
  return head.present;
}

/** Appends the headers of the current request as JSON, with credentials and `redacted` ones masked (`Head.writeJson`). */
export function writeHeaders(redacted: Span[], out: ByteBuffer): void {
  head.writeJson(redacted, out);
}
