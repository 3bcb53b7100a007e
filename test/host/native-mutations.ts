// What Envoy's `header_mutation` filter does: the mutations that the rendering puts into every cluster.
// https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/common/mutation_rules/v3/mutation_rules.proto
import type { HeaderMap } from "./header-map.ts";

export interface HeaderMutation {
  remove?: string;
  remove_on_match?: { key_matcher: { prefix: string } | { exact: string } };
  append?: { header: { key: string; value: string }; append_action: string };
}

export interface NativeMutations {
  request: readonly HeaderMutation[];
  response: readonly HeaderMutation[];
}

/** Throws for a kind of mutation that it does not know: the host must not be milder than Envoy. */
export function mutate(headers: HeaderMap, mutations: readonly HeaderMutation[]): void {
  for (const { remove, remove_on_match: match, append } of mutations) {
    if (remove !== undefined) headers.remove(remove);
    else if (match !== undefined) headers.removeWhere(matches(match.key_matcher));
    else if (append?.append_action === "OVERWRITE_IF_EXISTS_OR_ADD")
      headers.replace(append.header.key, append.header.value);
    else throw new Error(`an unknown mutation: ${JSON.stringify({ append })}`);
  }
}

function matches(
  matcher: NonNullable<HeaderMutation["remove_on_match"]>["key_matcher"],
): (name: string) => boolean {
  if ("prefix" in matcher) return (name) => name.startsWith(matcher.prefix);
  if ("exact" in matcher) return (name) => name === matcher.exact;
  throw new Error(`an unknown matcher: ${JSON.stringify(matcher)}`);
}

/** The mutations of a rendered cluster. */
export function mutationsOf(cluster: object): NativeMutations {
  const filter = findFilter(cluster, "envoy.filters.http.header_mutation");
  const { request_mutations: request = [], response_mutations: response = [] } =
    filter?.typed_config.mutations ?? {};
  return { request, response };
}

interface RenderedFilter {
  name: string;
  typed_config: {
    mutations?: { request_mutations?: HeaderMutation[]; response_mutations?: HeaderMutation[] };
  };
}

function findFilter(cluster: object, name: string): RenderedFilter | undefined {
  const { typed_extension_protocol_options: options = {} } = cluster as {
    typed_extension_protocol_options?: Record<string, { http_filters?: RenderedFilter[] }>;
  };
  const filters = Object.values(options).flatMap(({ http_filters: list = [] }) => list);
  return filters.find((filter) => filter.name === name);
}
