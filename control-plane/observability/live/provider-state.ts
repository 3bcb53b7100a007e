// The state of providers from Envoy's statistics: open requests, hosts, and those that are ejected.
import { clusterOf, statNameOf } from "../../../model/upstreams.ts";
import type { GatewayModel } from "../../../model/model.ts";

interface ProviderState {
  name: string;
  /** Addresses of the provider, and those of them that Envoy skips at the moment. */
  hosts: number;
  ejected: number;
  /** Attempts that are open. */
  open: number;
}

export interface EnvoyState {
  /** Requests of clients that are open. */
  open: number;
  providers: ProviderState[];
}

/** What is read, for Envoy's `filter`. */
export const ENVOY_FILTER =
  "downstream_rq_active|membership_total|ejections_active|upstream_rq_active";

const LINE = /^envoy_(\w+?)\{([^}]*)\} (\d+)$/gm;
const CLUSTER = /envoy_cluster_name="([^"]*)"/;
const LISTENER = /envoy_http_conn_manager_prefix="(?:ingress|egress)"/;

/** Returns the state. @param page Envoy's metrics page */
export function envoyState(page: string, { targets }: GatewayModel): EnvoyState {
  const states = new Map<string, ProviderState>();
  const owners = new Map<string, ProviderState>();
  for (const target of targets) {
    const { provider: name } = target;
    const state = states.get(name) ?? { name, hosts: 0, ejected: 0, open: 0 };
    states.set(name, state);
    owners.set(statNameOf(clusterOf(target)), state);
  }
  // The name of the cluster of attempts holds that of the cluster (model/upstreams.ts).
  const names = [...owners.keys()].sort((one, other) => other.length - one.length);
  let open = 0;
  for (const [, name, labels = "", value] of page.matchAll(LINE)) {
    if (name === "http_downstream_rq_active" && LISTENER.test(labels)) open += Number(value);
    const cluster = CLUSTER.exec(labels)?.[1];
    const owner = cluster === undefined ? undefined : names.find((own) => cluster.includes(own));
    const state = owner === undefined ? undefined : owners.get(owner);
    if (state === undefined) continue;
    if (name === "cluster_membership_total" && cluster === owner) state.hosts += Number(value);
    else if (name === "cluster_upstream_rq_active") state.open += Number(value);
    else if (name === "cluster_outlier_detection_ejections_active") state.ejected += Number(value);
  }
  return { open, providers: [...states.values()] };
}
