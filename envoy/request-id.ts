// The request id on a response: by it a client finds its request in the access logs, also after a good answer.
import { HEADER_REQUEST_ID } from "../contract/words.ts";
import type { Fields } from "./types.ts";

/** Value of a header, in Envoy's format language. A request whose head cannot be read has none; the header is left out then. */
export const REQUEST_ID = "%REQ(X-REQUEST-ID)%";

const header = { key: HEADER_REQUEST_ID, value: REQUEST_ID };

/**
 * For a route, which adds it to every response to a request: of a provider, of Envoy and of the filter. Upstream filters
 * have removed a provider's own, so nothing is looked up, which costs 2,300 instructions instead of 5,300.
 */
export const ADD_REQUEST_ID: Fields = { header, append_action: "APPEND_IF_EXISTS_OR_ADD" };

/** For a local reply, which may have passed a route or not. */
export const SET_REQUEST_ID: Fields = { header, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" };
