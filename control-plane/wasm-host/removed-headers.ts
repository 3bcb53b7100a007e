// The request headers that a provider's cluster removes, by Envoy's `header_mutation` filter (envoy/upstream-filters.ts).
// https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/config/common/mutation_rules/v3/mutation_rules.proto

/** Returns the names of the request headers that a cluster removes. */
export type RemovedHeaders = (cluster: string) => readonly string[];

interface RenderedFilter {
  name: string;
  typed_config: { mutations?: Record<string, { remove?: string }[]> };
}

interface RenderedCluster {
  name: string;
  typed_extension_protocol_options?: Record<string, { http_filters?: RenderedFilter[] }>;
}

/** Returns the function for rendered clusters. It throws for any other mutation: the host must not be more lenient than Envoy. */
export function removedHeaders(clusters: readonly { name: string }[]): RemovedHeaders {
  const byName = new Map(clusters.map((one) => [one.name, one as RenderedCluster]));
  return (cluster) => {
    const { typed_extension_protocol_options: options = {} } = byName.get(cluster) ?? {};
    return Object.values(options)
      .flatMap(({ http_filters: filters = [] }) => filters)
      .filter(({ name }) => name === "envoy.filters.http.header_mutation")
      .flatMap(({ typed_config: { mutations = {} } }) => Object.entries(mutations))
      .flatMap(([direction, list]) => list.map((one) => nameOf(direction, one)));
  };
}

function nameOf(direction: string, mutation: { remove?: string }): string {
  const { remove } = mutation;
  if (direction === "request_mutations" && remove !== undefined) return remove;
  throw new Error(`an unknown mutation (${direction}): ${JSON.stringify(mutation)}`);
}
