// Envoy's own statistics, as they stand on the metrics page behind the gateway's, and the hosts that Envoy has ejected.
import type { Families, Gauge } from "./families.ts";
import type { GatewayModel } from "../ir/model.ts";
import { envoyState } from "./live/providers.ts";
import { providerWord } from "../ir/provider-words.ts";

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
export function countEjected(page: string, model: GatewayModel, gauge: Gauge): void {
  // A reload may have removed a provider.
  gauge.clear();
  for (const { name, ejected } of envoyState(page, model).providers)
    gauge.set([providerWord(name)], ejected);
}
