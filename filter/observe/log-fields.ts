// What the filter writes for Envoy's access logs. Envoy has the 15 fields itself (envoy/access-log.ts), but for a path whose
// credentials are masked, and an `x-forwarded-for` with quotes, which would end its field.
import { PROPERTY_CLIENT_FORWARDED_FOR, PROPERTY_CLIENT_PATH } from "../../contract/words";
import { byteAt } from "../bytes/text/at";
import { setProperty } from "../host/host";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { appendMaskedPath, lengthWithoutQuery } from "../bytes/text/query";

const QUOTE: u32 = 0x22;

const masked = scratchBuffer();
const span = new Span(0, 0);

/** Records the client's path for access_ingress.log. */
export function logClientPath(path: Span): void {
  if (lengthWithoutQuery(path) == path.length) return;
  masked.clear();
  appendMaskedPath(path, masked);
  setProperty(constant(PROPERTY_CLIENT_PATH), masked.view(span));
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
