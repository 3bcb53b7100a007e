// The HTTP filters of a cluster: THE ordered list, with the reason for each position. They run for every attempt.
import { HEADER_ENCODING } from "../contract/words.ts";
import type { Extension, Fields } from "./types.ts";
import { extension } from "./types.ts";

/** Headers of the gateway, of Envoy and of proxies in front: no provider should receive them. */
const OWN_PREFIXES = ["x-gateway-", "x-forwarded-", "x-envoy-"];
/** The same under different names (RFC 7239, nginx), and hop-by-hop headers (RFC 9110, section 7.6.1). */
const OWN_NAMES = ["forwarded", "x-real-ip", "te"];

/**
 * Headers of the gateway and of Envoy: if a provider sent one, the filter and the router would trust it as the
 * gateway's own.
 */
const FOREIGN_PREFIXES = ["x-envoy-", "x-gateway-", "access-control-"];
/** Headers that apply to the provider's connection, host name or pages; a client would apply them to the gateway. */
const FOREIGN_NAMES = ["alt-svc", "strict-transport-security", "set-cookie", "trailer"];
/** Headers that redirect a client or request a credential from it: the provider's client is the gateway. */
const COMMANDS = ["location", "refresh"];
const CHALLENGES = "-authenticate";

export interface UpstreamFilters {
  /** Names of headers that the provider must not get. */
  foreignCredentials?: readonly string[];
  /** Names of headers that link the request to a trace, if it must not get them. */
  traceHeaders?: readonly string[];
  /** Beginnings of further names. */
  foreignPrefixes?: readonly string[];
  /** The WASM filter, where the endpoint decides what is sent. */
  translate?: Extension;
  /** The filters that attach a cloud provider's credential. */
  credential?: readonly Extension[];
  /** Whether decompressors follow, which remove `content-encoding`: the response keeps its value in another header. */
  keepsEncoding?: boolean;
}

/** Returns the HTTP filters of a cluster in their order. */
export function upstreamFilters({
  foreignCredentials = [],
  traceHeaders = [],
  foreignPrefixes = [],
  translate,
  credential = [],
  keepsEncoding = false,
}: UpstreamFilters = {}): Extension[] {
  const response = responseMutations(keepsEncoding);
  const request = requestMutations([...foreignCredentials, ...traceHeaders], foreignPrefixes);
  return [
    ...(translate === undefined
      ? [headerMutation({ ...request, ...response })]
      : [
          // First, so that no header of the client is left when the filter writes those of the provider.
          headerMutation(request),
          // After it, because it writes the credential of the chosen target.
          translate,
          // Responses pass from the last to the first: headers that a provider must not send are removed before the
          // filter reads them.
          headerMutation(response),
        ]),
    // A signature covers what is sent, so nothing may change after it.
    ...credential,
    // Always last: it writes the request to the wire.
    extension(
      "envoy.filters.http.upstream_codec",
      "extensions.filters.http.upstream_codec.v3.UpstreamCodec",
    ),
  ];
}

function requestMutations(
  foreignNames: readonly string[],
  foreignPrefixes: readonly string[],
): Fields {
  return {
    request_mutations: [
      ...[...OWN_PREFIXES, ...foreignPrefixes].map((prefix) => whenKey({ prefix })),
      ...[...OWN_NAMES, ...foreignNames].map((name) => ({ remove: name })),
      {
        // The filter reads every response, so a provider should not compress it.
        append: {
          header: { key: "accept-encoding", value: "identity" },
          append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
        },
      },
    ],
  };
}

/**
 * Tests each header: a removal by name makes Envoy build an index, which a response does not otherwise need (7,000
 * instructions; a request has one already). A matcher costs 500 on a short response.
 */
function responseMutations(keepsEncoding: boolean): Fields {
  return {
    response_mutations: [
      ...FOREIGN_PREFIXES.map((prefix) => whenKey({ prefix })),
      ...[...FOREIGN_NAMES, ...COMMANDS].map((exact) => whenKey({ exact })),
      whenKey({ suffix: CHALLENGES }),
      // Nothing is added if it is absent (800 instructions).
      ...(keepsEncoding ? [KEEP_ENCODING] : []),
    ],
    // No provider's API uses trailers; they would bypass all of the rules above.
    response_trailers_mutations: [whenKey({ safe_regex: { regex: ".*" } })],
  };
}

const KEEP_ENCODING: Fields = {
  append: {
    header: { key: HEADER_ENCODING, value: "%RESP(CONTENT-ENCODING)%" },
    append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
  },
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
