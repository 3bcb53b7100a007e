// The HTTP filters of a cluster: THE ordered list, with the reason for each position. They run for every attempt.
import {
  CHALLENGES,
  REQUEST_NAMES,
  REQUEST_PREFIXES,
  RESPONSE_NAMES,
  RESPONSE_PREFIXES,
} from "../contract/foreign-headers.ts";
import type { Extension, Fields } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";
import { SET_ACCEPT_ENCODING, SET_ENCODING } from "./route-headers.ts";

export interface UpstreamFilters {
  /** Names of headers that link the request to a trace, which Envoy adds after the WASM filter, if it must not get them. */
  traceHeaders?: readonly string[];
  /** The WASM filter, where the endpoint decides what is sent. */
  translate?: Extension;
  /** The filters that attach a cloud provider's credential. */
  credential?: readonly Extension[];
}

/** Returns the HTTP filters of a provider's cluster in their order. The WASM filter removes all other headers. */
export function upstreamFilters({
  traceHeaders = [],
  translate,
  credential = [],
}: UpstreamFilters = {}): Extension[] {
  const removed = removals(traceHeaders);
  return [
    ...(removed.length === 0 ? [] : [headerMutation({ request_mutations: removed })]),
    ...(translate === undefined ? [] : [translate]),
    // A signature covers what is sent, so nothing may change after it.
    ...credential,
    codec(),
  ];
}

/** Returns the HTTP filters of a cluster whose requests and responses pass no WASM filter. */
export function unreadFilters(): Extension[] {
  return [
    headerMutation({
      request_mutations: [
        ...REQUEST_PREFIXES.map((prefix) => whenKey({ prefix })),
        ...removals(REQUEST_NAMES),
        { append: SET_ACCEPT_ENCODING },
      ],
      ...RESPONSE_MUTATIONS,
    }),
    codec(),
  ];
}

/** Always last: it writes the request to the wire. */
function codec(): Extension {
  return extension(
    "envoy.filters.http.upstream_codec",
    "extensions.filters.http.upstream_codec.v3.UpstreamCodec",
  );
}

function removals(names: readonly string[]): Fields[] {
  return names.map((name) => ({ remove: name }));
}

const RESPONSE_MUTATIONS: Fields = {
  response_mutations: [
    ...RESPONSE_PREFIXES.map((prefix) => whenKey({ prefix })),
    ...RESPONSE_NAMES.map((exact) => whenKey({ exact })),
    whenKey({ suffix: CHALLENGES }),
    { append: SET_ENCODING },
  ],
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
