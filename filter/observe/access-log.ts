// What the filter writes for Envoy's access logs. Envoy has the 15 fields itself (envoy/access-log.ts), but for a path whose
// credentials are masked, and an `x-forwarded-for` with quotes, which would end its field.
import {
  HEADER_LOGGED_PATH,
  PROPERTY_CLIENT_FORWARDED_FOR,
  PROPERTY_CLIENT_PATH,
} from "../../contract/words";
import { byteAt } from "../bytes/text/at";
import { addCalloutHeader } from "../host/callout";
import { setProperty } from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { lengthWithoutQuery, maskCredentials } from "../bytes/text/query";

const QUOTE: u32 = 0x22;

const masked = scratchBuffer();
const span = new Span(0, 0);

/** Records the client's path for access_ingress.log. */
export function logClientPath(path: Span): void {
  const length = lengthWithoutQuery(path);
  if (length < path.length) setProperty(constant(PROPERTY_CLIENT_PATH), maskedPath(path, length));
}

/** Records the client's `x-forwarded-for` for access_ingress.log if it has quotes, each as `%22`: Envoy escapes nothing. */
export function logForwardedFor(value: Span): void {
  masked.clear();
  let start: u32 = 0;
  for (let at: u32 = 0; at < value.length; at++) {
    if (byteAt(value.pointer, at) != QUOTE) continue;
    masked.bytes(value.pointer + start, at - start);
    masked.text("%22");
    start = at + 1;
  }
  if (start == 0) return;
  masked.bytes(value.pointer + start, value.length - start);
  setProperty(constant(PROPERTY_CLIENT_FORWARDED_FOR), masked.view(span));
}

/** Adds the path of the callout that is sent next for access_internal.log: the configuration may have put a key into it. */
export function logCalloutPath(path: Span): void {
  const length = lengthWithoutQuery(path);
  if (length < path.length)
    addCalloutHeader(constant(HEADER_LOGGED_PATH), maskedPath(path, length));
}

/** @param length bytes before the query */
function maskedPath(path: Span, length: u32): Span {
  masked.clear();
  masked.bytes(path.pointer, length);
  maskCredentials(path.pointer + length, path.length - length, masked);
  return masked.view(span);
}
