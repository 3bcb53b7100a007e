// Envoy's own statistics, as they stand on the metrics page behind the gateway's, and the hosts that Envoy has ejected.
import type { Families, Gauge } from "./families.ts";
import { clusterOf, statNameOf } from "../ir/upstreams.ts";
import type { GatewayModel } from "../ir/model.ts";
import { providerWord } from "../ir/provider-words.ts";

const EJECTED =
  /^envoy_cluster_outlier_detection_ejections_active\{envoy_cluster_name="([^"]*)"\} (\d+)$/gm;

export interface StateGauges {
  build: Gauge;
  up: Gauge;
  ejected: Gauge;
}

/** Adds the families of the state at the time of the scrape. */
export function stateGauges(families: Families): StateGauges {
  return {
    build: families.gauge({
      name: "gateway_build_info",
      help: "Versions; the value is 1.",
      labels: ["version", "envoy_version"],
    }),
    up: families.gauge({
      name: "gateway_envoy_up",
      help: "Whether Envoy reported its statistics for this page.",
      labels: [],
    }),
    ejected: families.gauge({
      name: "gateway_ejected_hosts",
      help: "Hosts of a provider that Envoy skips for a while, because requests to them failed.",
      labels: ["gen_ai_provider_name"],
    }),
  };
}

/** Sets how many hosts of each provider are ejected at the moment. */
export function countEjected(page: string, { targets }: GatewayModel, gauge: Gauge): void {
  const providers = new Map(
    targets.map((target) => [statNameOf(clusterOf(target)), target.provider]),
  );
  const names = [...providers.keys()].sort((one, other) => other.length - one.length);
  const counts = new Map(targets.map(({ provider }) => [provider, 0]));
  for (const [, cluster = "", count] of page.matchAll(EJECTED)) {
    // The name of the cluster of attempts holds that of the cluster (ir/upstreams.ts).
    const name = names.find((own) => cluster.includes(own));
    const provider = name === undefined ? undefined : providers.get(name);
    if (provider !== undefined) counts.set(provider, (counts.get(provider) ?? 0) + Number(count));
  }
  // A reload may have removed a provider.
  gauge.clear();
  for (const [provider, count] of counts) gauge.set([providerWord(provider)], count);
}
