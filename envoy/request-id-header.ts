// The request id on a response: a client finds its request in the access logs by it, also after a successful response.
import { HEADER_REQUEST_ID } from "../contract/words.ts";
import type { Fields } from "./envoy-types.ts";

/**
 * Value of a header, in Envoy's format language. A request whose head cannot be parsed has no id; the header is omitted
 * then.
 */
export const REQUEST_ID = "%REQ(X-REQUEST-ID)%";

const header = { key: HEADER_REQUEST_ID, value: REQUEST_ID };

/**
 * For a route, which adds it to every response: of a provider, of Envoy and of the filter. A provider's own header is not looked
 * up, which would cost 3,000 instructions: the filter removes it, or replaces both.
 */
export const ADD_REQUEST_ID: Fields = { header, append_action: "APPEND_IF_EXISTS_OR_ADD" };

/** For a local reply, which may or may not have passed a route. */
export const SET_REQUEST_ID: Fields = { header, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" };
