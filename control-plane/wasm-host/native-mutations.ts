// Envoy's `header_mutation` filter: the mutations that the renderer adds to every cluster.
// https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/common/mutation_rules/v3/mutation_rules.proto
import type { HeaderMap } from "./header-map.ts";

type KeyMatcher =
  { prefix: string } | { exact: string } | { suffix: string } | { safe_regex: { regex: string } };

export interface HeaderMutation {
  remove?: string;
  remove_on_match?: { key_matcher: KeyMatcher };
  append?: { header: { key: string; value: string }; append_action: string };
}

export interface NativeMutations {
  request: readonly HeaderMutation[];
  response: readonly HeaderMutation[];
  trailers: readonly HeaderMutation[];
}

export const NO_MUTATIONS: NativeMutations = { request: [], response: [], trailers: [] };

/** Applies the mutations. Throws for an unsupported kind of mutation: the host must not be more lenient than Envoy. */
export function mutate(headers: HeaderMap, mutations: readonly HeaderMutation[]): void {
  for (const { remove, remove_on_match: match, append } of mutations) {
    if (remove !== undefined) headers.remove(remove);
    else if (match !== undefined) headers.removeWhere(matches(match.key_matcher));
    else if (append?.append_action === "OVERWRITE_IF_EXISTS_OR_ADD") {
      const value = formatted(append.header.value, headers);
      if (value !== "") headers.replace(append.header.key, value);
    } else throw new Error(`an unknown mutation: ${JSON.stringify({ append })}`);
  }
}

function matches(matcher: KeyMatcher): (name: string) => boolean {
  if ("prefix" in matcher) return (name) => name.startsWith(matcher.prefix);
  if ("suffix" in matcher) return (name) => name.endsWith(matcher.suffix);
  if ("exact" in matcher) return (name) => name === matcher.exact;
  if ("safe_regex" in matcher) return (name) => fully(matcher.safe_regex.regex).test(name);
  throw new Error(`an unknown matcher: ${JSON.stringify(matcher)}`);
}

/** Returns a text, or the value of a header of the response. */
function formatted(value: string, headers: HeaderMap): string {
  const [, name] = /^%RESP\(([\w-]+)\)%$/.exec(value) ?? [];
  if (name !== undefined) return headers.get(name.toLowerCase()) ?? "";
  if (value.includes("%")) throw new Error(`an unknown format: ${value}`);
  return value;
}

/** Returns a pattern for the whole name, as Envoy's regular expressions match it. */
function fully(regex: string): RegExp {
  return new RegExp(`^(?:${regex})$`);
}

/** Returns the mutations of a rendered cluster: of one filter, or of one before and one after the WASM filter. */
export function mutationsOf(cluster: object): NativeMutations {
  const all = filtersOf(cluster)
    .filter(({ name }) => name === "envoy.filters.http.header_mutation")
    .map(({ typed_config: { mutations } }) => mutations);
  return {
    request: all.flatMap((one) => one?.request_mutations ?? []),
    response: all.flatMap((one) => one?.response_mutations ?? []),
    trailers: all.flatMap((one) => one?.response_trailers_mutations ?? []),
  };
}

interface RenderedFilter {
  name: string;
  typed_config: {
    mutations?: Partial<
      Record<
        "request_mutations" | "response_mutations" | "response_trailers_mutations",
        HeaderMutation[]
      >
    >;
  };
}

function filtersOf(cluster: object): RenderedFilter[] {
  const { typed_extension_protocol_options: options = {} } = cluster as {
    typed_extension_protocol_options?: Record<string, { http_filters?: RenderedFilter[] }>;
  };
  return Object.values(options).flatMap(({ http_filters: list = [] }) => list);
}
