// The headers that every route removes and adds, at a tenth of what a call of the filter costs.
import { ROUTING_HEADERS, USUAL_RESPONSE_HEADERS } from "../contract/foreign-headers.ts";
import { HEADER_ENCODING } from "../contract/words.ts";
import { type GatewayModel, hasDecompression } from "../model/model.ts";
import { ADD_REQUEST_ID } from "./request-id-header.ts";
import type { Fields } from "./envoy-types.ts";

/** The filter reads every response, so a provider should not compress it. */
export const SET_ACCEPT_ENCODING: Fields = {
  header: { key: "accept-encoding", value: "identity" },
  append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
};

/** A copy of the encoding, before Envoy's decompressors remove it: nothing is added to a response without one. */
const encoding = { key: HEADER_ENCODING, value: "%RESP(CONTENT-ENCODING)%" };

/** For a cluster. */
export const SET_ENCODING: Fields = {
  header: encoding,
  append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
};

/** For a route: after the request id, which shows the filter that it is not a provider's. */
const ADD_ENCODING: Fields = { header: encoding, append_action: "APPEND_IF_EXISTS_OR_ADD" };

/** Returns the headers. Without decompressors no copy is needed. */
export function routeHeaders(model: GatewayModel): Fields {
  return {
    request_headers_to_remove: ROUTING_HEADERS,
    response_headers_to_remove: USUAL_RESPONSE_HEADERS,
    request_headers_to_add: [SET_ACCEPT_ENCODING],
    response_headers_to_add: [ADD_REQUEST_ID, ...(hasDecompression(model) ? [ADD_ENCODING] : [])],
  };
}
