// The HTTP filters of a cluster: THE ordered list, with the reason for each place. They run for every attempt.
import { HEADER_ENCODING } from "../contract/words.ts";
import type { Extension, Fields } from "./types.ts";
import { extension } from "./types.ts";

/** Headers of ours, of Envoy and of proxies in front of us: none of them is a provider's business. */
const OWN_PREFIXES = ["x-gateway-", "x-forwarded-", "x-envoy-"];
/** The same by other names (RFC 7239, nginx), and what is for one hop only (RFC 9110, section 7.6.1). */
const OWN_NAMES = ["forwarded", "x-real-ip", "te"];

/** Headers of ours and of Envoy: a provider that sends one would speak in our name, and be believed by filter and router. */
const FOREIGN_PREFIXES = ["x-envoy-", "x-gateway-", "access-control-"];
/** What holds for the provider's connection, host name or pages, and would be believed of ours. */
const FOREIGN_NAMES = ["alt-svc", "strict-transport-security", "set-cookie", "trailer"];
/** What sends a client somewhere else, or asks it for a credential: the provider's client is the gateway. */
const COMMANDS = ["location", "refresh"];
const CHALLENGES = "-authenticate";

/**
 * Returns the HTTP filters of a cluster in their order.
 * @param translate the WASM filter, where the endpoint decides what is sent
 */
export function upstreamFilters(foreignCredentials: string[], translate?: Extension): Extension[] {
  const request = requestMutations(foreignCredentials);
  return [
    ...(translate === undefined
      ? [headerMutation({ ...request, ...REPLY_MUTATIONS })]
      : [
          // First, so that nothing that a client wrote is left when the filter writes the provider's own.
          headerMutation(request),
          // Behind it, because it writes the credential of the chosen target.
          translate,
          // Replies pass from the last to the first: what a provider must not send is gone before the filter reads it.
          headerMutation(REPLY_MUTATIONS),
        ]),
    // Always last: it writes the request to the wire.
    extension(
      "envoy.filters.http.upstream_codec",
      "extensions.filters.http.upstream_codec.v3.UpstreamCodec",
    ),
  ];
}

function requestMutations(foreignCredentials: string[]): Fields {
  return {
    request_mutations: [
      ...OWN_PREFIXES.map((prefix) => whenKey({ prefix })),
      ...[...OWN_NAMES, ...foreignCredentials].map((name) => ({ remove: name })),
      {
        // The filter reads every reply, so a provider should not compress it.
        append: {
          header: { key: "accept-encoding", value: "identity" },
          append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
        },
      },
    ],
  };
}

/**
 * By a look at each header: a removal by name makes Envoy build an index, which a reply has no other use for (7,000
 * instructions; a request has one already). A matcher costs 500 on a short reply.
 */
const REPLY_MUTATIONS: Fields = {
  response_mutations: [
    ...FOREIGN_PREFIXES.map((prefix) => whenKey({ prefix })),
    ...[...FOREIGN_NAMES, ...COMMANDS].map((exact) => whenKey({ exact })),
    whenKey({ suffix: CHALLENGES }),
    {
      // Nothing is added where it is absent (800 instructions).
      append: {
        header: { key: HEADER_ENCODING, value: "%RESP(CONTENT-ENCODING)%" },
        append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
      },
    },
  ],
  // No provider's API has any; they would be a way round all of the above.
  response_trailers_mutations: [whenKey({ safe_regex: { regex: ".*" } })],
};

function headerMutation(mutations: Fields): Extension {
  return extension(
    "envoy.filters.http.header_mutation",
    "extensions.filters.http.header_mutation.v3.HeaderMutation",
    { mutations },
  );
}

function whenKey(matcher: Fields): Fields {
  return { remove_on_match: { key_matcher: matcher } };
}
