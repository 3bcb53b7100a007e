// The content of a request and its response, where `observability.content` asks for it: one JSON object, a line of
// access_content.log (envoy/content-log.ts), which `gateway explain` reads. Compiled by tsc and asc.

/** Filter state (`wasm.<name>`) that holds the object. */
export const PROPERTY_CONTENT = "gateway_content";

/** Text: the request id of the access logs. */
export const CONTENT_ID = "id";
/** Number: when the request came, in milliseconds since 1970. */
export const CONTENT_TIME = "time";
/** Text: `ingress` or `egress` (contract/words.ts). */
export const CONTENT_LISTENER = "listener";
export const CONTENT_METHOD = "method";
/** Text: with the query, whose credentials are `***`. */
export const CONTENT_PATH = "path";
/** Text: the session, as in the usage record; left out if there is none. */
export const CONTENT_SESSION = "session";
/** Text: who the client is, as in the usage record; each is left out if there is none. */
export const CONTENT_KEY = "key";
export const CONTENT_KEY_ID = "key_id";
export const CONTENT_GROUP = "group";
export const CONTENT_USER = "user";
/** List of [name, value]: as the client sent them; credentials and `redact_headers` are `***`. */
export const CONTENT_HEADERS = "headers";
/** Text: the body as the client sent it, cut to the limit; a byte that is not UTF-8 is U+FFFD. */
export const CONTENT_REQUEST = "request";
/** Number: the bytes of the body, if it was cut. */
export const CONTENT_REQUEST_BYTES = "request_bytes";
/** Text: the body as the client got it, cut to the limit. */
export const CONTENT_RESPONSE = "response";
/** 1: the body was longer. */
export const CONTENT_IS_CUT = "response_cut";
