// The headers of a request that the filter reads, and those that no provider may get. Values are valid until the next `readHead`.
import { CREDENTIAL_KINDS } from "../../contract/credentials";
import {
  ACCOUNT_HEADERS,
  OTHER_CREDENTIALS,
  PROVIDER_NAMES,
  PROVIDER_PREFIXES,
  REQUEST_NAMES,
  REQUEST_PREFIXES,
  ROUTING_HEADERS,
  TRACE_HEADERS,
} from "../../contract/foreign-headers";
import {
  HEADER_API_KEY,
  HEADER_CLUSTER,
  HEADER_HINT,
  HEADER_STREAM_CLUSTER,
} from "../../contract/words";
import { CLIENT_DIALECTS } from "../dialects/dialect-registry";
import { ByteBuffer, constant, sameSpan, Span } from "../bytes/text/bytes";
import { Head, Wanted } from "../host/message-head";
import { removeHeader, REQUEST_HEADERS } from "../host/host";
import { NameRules } from "../host/header-rules";

const rules = new NameRules();
rules.addPrefixes(REQUEST_PREFIXES);
rules.addPrefixes(PROVIDER_PREFIXES);
rules.except(ROUTING_HEADERS);
rules.addNames(REQUEST_NAMES);
rules.addNames(PROVIDER_NAMES);
rules.addNames(OTHER_CREDENTIALS);
rules.addNames(TRACE_HEADERS);
const head = new Head(REQUEST_HEADERS, rules);

export const PATH = head.want(constant(":path")).value;
export const METHOD = head.want(constant(":method")).value;
export const REQUEST_ID = head.want(constant("x-request-id")).value;
export const HINT = head.want(constant(HEADER_HINT)).value;
export const AUTHORIZATION = head.want(constant("authorization")).value;
export const X_API_KEY = head.want(constant("x-api-key")).value;
export const GATEWAY_KEY = head.want(constant(HEADER_API_KEY)).value;
export const CONTENT_TYPE = head.want(constant("content-type")).value;
export const AUTHORITY = head.want(constant(":authority")).value;
export const FORWARDED_FOR = head.want(constant("x-forwarded-for")).value;
export const ORIGIN = head.want(constant("origin")).value;
export const CONTENT_LENGTH = head.want(constant("content-length")).value;

/** The client's headers that only one dialect has. */
const OWN_HEADERS: Wanted[] = [];
for (let i = 0; i < CLIENT_DIALECTS.length; i++) {
  const names = CLIENT_DIALECTS[i].ownHeaders;
  for (let j = 0; j < names.length; j++) OWN_HEADERS.push(head.want(names[j]));
}

/** The headers by which Envoy chooses the cluster: only the gateway may set them. */
const CLUSTERS = [head.want(constant(HEADER_CLUSTER)), head.want(constant(HEADER_STREAM_CLUSTER))];

export const ACCOUNTS: Wanted[] = [];
for (let i = 0; i < ACCOUNT_HEADERS.length; i++)
  ACCOUNTS.push(head.want(constant(ACCOUNT_HEADERS[i])));

/** The headers of `CREDENTIAL_KINDS`. */
export const CREDENTIALS: Wanted[] = [];
for (let i = 0; i < CREDENTIAL_KINDS.length; i++) {
  const name = CREDENTIAL_KINDS[i].header;
  if (name.length > 0) CREDENTIALS.push(head.want(constant(name)));
}

/** Has the values of further headers kept. Returns the spans in which they are, in the order of the names, empty without a value. */
export function watchHeaders(names: Span[]): Span[] {
  return names.map<Span>((name) => head.want(name).value);
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

/** Removes a cluster that the client has named, from the head that was read last. */
export function removeClusters(): void {
  for (let i = 0; i < CLUSTERS.length; i++) {
    const header = unchecked(CLUSTERS[i]);
    if ((head.present & header.bit) != 0) removeHeader(REQUEST_HEADERS, header.name);
  }
}

/** Returns whether the head that was read last has headers that no provider may get, besides CREDENTIALS. */
export function hasForeignHeaders(): bool {
  return head.hasForeign;
}

/** Appends their names, each with a NUL after it. */
export function copyForeignHeaders(out: ByteBuffer): void {
  head.copyForeign(out);
}

/** Appends the headers of the current request as JSON, with credentials and `redacted` ones masked (`Head.writeJson`). */
export function writeHeaders(redacted: Span[], out: ByteBuffer): void {
  head.writeJson(redacted, out);
}
