// What the filter writes for Envoy's access logs. Envoy has all of the 15 fields but one itself (envoy/access-log.ts): a path
// whose credentials are masked. A path without a query is logged as Envoy has it.
import { HEADER_LOGGED_PATH, PROPERTY_CLIENT_PATH } from "../../contract/words";
import { addCalloutHeader } from "../host/callout";
import { setProperty } from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { lengthWithoutQuery, maskCredentials } from "../bytes/text/query";

const CLIENT_PATH = constant(PROPERTY_CLIENT_PATH);
const LOGGED_PATH = constant(HEADER_LOGGED_PATH);

const masked = scratchBuffer();
const span = new Span(0, 0);

/** Records the client's path for access_ingress.log. */
export function logClientPath(path: Span): void {
  const length = lengthWithoutQuery(path);
  if (length < path.length) setProperty(CLIENT_PATH, maskedPath(path, length));
}

/** Adds the path of the callout that is sent next for access_internal.log: the configuration may have put a key into it. */
export function logCalloutPath(path: Span): void {
  const length = lengthWithoutQuery(path);
  if (length < path.length) addCalloutHeader(LOGGED_PATH, maskedPath(path, length));
}

/** @param length bytes before the query */
function maskedPath(path: Span, length: u32): Span {
  masked.clear();
  masked.bytes(path.pointer, length);
  maskCredentials(path.pointer + length, path.length - length, masked);
  return masked.view(span);
}
