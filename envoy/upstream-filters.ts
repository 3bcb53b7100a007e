// The HTTP filters of a cluster: THE ordered list, with the reason for each place. They run for every attempt.
import { HEADER_REQUEST_ID } from "../contract/words.ts";
import type { Extension, Fields } from "./types.ts";
import { extension } from "./types.ts";

/** Headers of ours, of Envoy and of proxies in front of us: none of them is a provider's business. */
const OWN_PREFIXES = ["x-gateway-", "x-forwarded-", "x-envoy-"];
/** The same by other names (RFC 7239, nginx), and what is for one hop only (RFC 9110, section 7.6.1). */
const OWN_NAMES = ["forwarded", "x-real-ip", "te"];

/** Headers of a provider's own Envoy. */
const FOREIGN_PREFIXES = ["x-envoy-"];
/** What holds for the provider's connection or host name, and would be believed of ours. */
const FOREIGN_NAMES = [
  HEADER_REQUEST_ID,
  "alt-svc",
  "strict-transport-security",
  "set-cookie",
  "proxy-authenticate",
  "trailer",
];

/** @param translate the WASM filter, where the endpoint decides what is sent */
export function upstreamFilters(foreignCredentials: string[], translate?: Extension): Extension[] {
  return [
    // First, so that nothing that a client wrote is left when the filter writes the provider's own.
    cleanHeaders(foreignCredentials),
    // Behind it, because it writes the credential of the chosen target.
    ...(translate === undefined ? [] : [translate]),
    // Always last: it writes the request to the wire.
    extension(
      "envoy.filters.http.upstream_codec",
      "extensions.filters.http.upstream_codec.v3.UpstreamCodec",
    ),
  ];
}

function cleanHeaders(foreignCredentials: string[]): Extension {
  const request: Fields[] = [
    ...OWN_PREFIXES.map((prefix) => whenKey({ prefix })),
    ...[...OWN_NAMES, ...foreignCredentials].map((name) => ({ remove: name })),
    {
      // The filter reads every reply, so a provider should not compress it.
      append: {
        header: { key: "accept-encoding", value: "identity" },
        append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
      },
    },
  ];
  // By a look at each header: a removal by name makes Envoy build an index, which a reply has no other use for (7,000
  // instructions; a request has one already).
  const response = [
    ...FOREIGN_PREFIXES.map((prefix) => whenKey({ prefix })),
    ...FOREIGN_NAMES.map((exact) => whenKey({ exact })),
  ];
  return extension(
    "envoy.filters.http.header_mutation",
    "extensions.filters.http.header_mutation.v3.HeaderMutation",
    { mutations: { request_mutations: request, response_mutations: response } },
  );
}

function whenKey(matcher: Fields): Fields {
  return { remove_on_match: { key_matcher: matcher } };
}
