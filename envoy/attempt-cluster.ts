// Where the next attempt of a request goes: the filter has written the cluster to the request's filter state, and the
// route reads it before each attempt.
import { PROPERTY_NEXT_CLUSTER } from "../contract/words.ts";
import type { Fields } from "./envoy-types.ts";
import { extension } from "./envoy-types.ts";

/** Returns the matcher. @param clusters the possible clusters of an attempt; the first is the default */
export function nextAttempt(clusters: string[]): Fields {
  const [first = ""] = clusters;
  const choice = extension(
    "envoy.router.cluster_specifier_plugin.matcher",
    "extensions.router.cluster_specifiers.matcher.v3.MatcherClusterSpecifier",
    {
      cluster_matcher: {
        matcher_tree: {
          input: extension(
            "envoy.matching.inputs.filter_state",
            "extensions.matching.common_inputs.network.v3.FilterStateInput",
            { key: `wasm.${PROPERTY_NEXT_CLUSTER}` },
          ),
          exact_match_map: {
            map: Object.fromEntries(clusters.map((cluster) => [cluster, goTo(cluster)])),
          },
        },
        on_no_match: goTo(first),
      },
    },
  );
  return { inline_cluster_specifier_plugin: { extension: choice } };
}

function goTo(cluster: string): Fields {
  const action = extension(
    "cluster",
    "extensions.router.cluster_specifiers.matcher.v3.ClusterAction",
    { cluster },
  );
  return { action };
}
