// Names of headers that both requests and responses use.
import { constant, sameSpan, Span } from "../bytes/text/bytes";
import { contains } from "../bytes/text/find";

export const STATUS = constant(":status");
export const CONTENT_TYPE = constant("content-type");
export const CONTENT_LENGTH = constant("content-length");
export const CONTENT_ENCODING = constant("content-encoding");
/** The content type of a provider's body that the gateway has replaced. */
export const UPSTREAM_TYPE = constant("x-gateway-upstream-content-type");

export const JSON_TYPE = constant("application/json");

/** Returns whether a content type is `application/json` or one with `+json`. */
export function isJson(type: Span): bool {
  return sameSpan(type, JSON_TYPE) || contains(type.pointer, type.length, constant("json"));
}
