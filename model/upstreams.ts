// Which upstream clusters there are, what each is called, and which of them a target is reached through.
import { DIALECTS } from "../contract/dialects.ts";
import { type CloudCredential, credentialName } from "./cloud-credentials.ts";
import type { Address, GatewayModel, Target } from "./model.ts";
import { hostPort, proxyName } from "./proxy.ts";

/** Targets at one place, told apart by nothing that Envoy has to know: they share connections. */
export interface Upstream {
  /** Readable in logs, safe in a header: `api.openai.com:443/bearer`. */
  cluster: string;
  address: Address;
  /** What Envoy attaches to each request. */
  credential: CloudCredential;
}

/** One per distinct place, in the order of the targets that need it. */
export function upstreams(model: Pick<GatewayModel, "targets">): Upstream[] {
  const found = new Map<string, Upstream>();
  for (const target of model.targets) {
    const cluster = clusterOf(target);
    if (found.has(cluster)) continue;
    found.set(cluster, {
      cluster,
      address: target.address,
      credential: target.auth,
    });
  }
  return [...found.values()];
}

/** Clusters that targets of sets are reached through: the names of their places, each once. */
export function attemptedUpstreams(model: Pick<GatewayModel, "targets" | "targetSets">): string[] {
  const targets = (model.targetSets ?? []).flatMap((set) => set.targets);
  const clusters = targets.flatMap((index) => {
    const target = model.targets[index];
    return target === undefined ? [] : [clusterOf(target)];
  });
  return [...new Set(clusters)];
}

/** The name of a cluster in Envoy's statistics: a dot separates the parts of a statistic's name. */
export function statNameOf(cluster: string): string {
  return cluster.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** The cluster of one attempt of several: the place's own connections after filters that write each attempt anew. */
export function attemptCluster(cluster: string): string {
  return `attempt/${cluster}`;
}

/**
 * Returns the cluster of a target. Two targets share it exactly when address, TLS, TLS name, kind of authentication,
 * cloud credential and dialect are the same; what is as one expects from the rest is not part of the name.
 */
export function clusterOf(target: Target): string {
  const { address, auth } = target;
  const parts = [
    ...placeOf(address),
    credentialName(auth) ?? auth.kind,
    ...(target.dialect === usualDialect(target) ? [] : [target.dialect]),
  ];
  return parts.join("/");
}

function placeOf(address: Address): string[] {
  if (address.kind === "embedded") return ["demonstration"];
  const usesTlsAsExpected = address.tls === (address.port === 443);
  return [
    hostPort(address),
    ...(usesTlsAsExpected ? [] : [address.tls ? "tls" : "plain"]),
    ...(!address.tls || address.serverName === address.host ? [] : [`as=${address.serverName}`]),
    ...(address.proxy === undefined ? [] : [`via=${proxyName(address.proxy)}`]),
  ];
}

/** Returns the dialect whose providers usually expect this kind of credential, or else the first. */
function usualDialect({ auth }: Target): string | undefined {
  return (DIALECTS.find(({ credential }) => credential.name === auth.kind) ?? DIALECTS[0])?.name;
}
