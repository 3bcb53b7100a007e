// Which upstream clusters there are, what each is called, and which of them a target is reached through.
import { BEARER, CREDENTIAL_KINDS } from "../../contract/credentials.ts";
import { DIALECTS } from "../../contract/dialects.ts";
import { type CloudCredential, credentialName } from "./cloud-credentials.ts";
import type { Address, GatewayModel, Target } from "./model.ts";

/** Request headers in which clients send credentials that no provider of ours reads. */
const OTHER_CREDENTIAL_HEADERS = ["proxy-authorization", "cookie"];

/** Request headers that carry a credential. A provider is sent its own, never the client's. */
export const CREDENTIAL_HEADERS = [
  ...new Set([
    ...CREDENTIAL_KINDS.map(({ header }) => header).filter((header) => header !== ""),
    ...OTHER_CREDENTIAL_HEADERS,
  ]),
];

/** Targets at one place, told apart by nothing that Envoy has to know: they share connections. */
export interface Upstream {
  /** Readable in logs, safe in a header: `api.openai.com:443/bearer`. */
  cluster: string;
  address: Address;
  /** Credential headers that must not reach it. */
  foreignCredentials: string[];
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
      foreignCredentials: foreignCredentials(target),
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

/** The cluster of one attempt of several: the place's own connections behind filters that write each attempt anew. */
export function attemptCluster(cluster: string): string {
  return `attempt/${cluster}`;
}

/**
 * Returns the cluster of a target. Two targets share it exactly when address, TLS, TLS name, kind of authentication,
 * cloud credential, dialect and the credentials to keep away are the same; what is as one expects from the rest is not
 * part of the name.
 */
export function clusterOf(target: Target): string {
  const { address, auth } = target;
  const kept = CREDENTIAL_HEADERS.filter(
    (name) => name !== headerOf(auth.kind) && !foreignCredentials(target).includes(name),
  );
  const parts = [
    ...placeOf(address),
    credentialName(auth) ?? auth.kind,
    ...(target.dialect === usualDialect(target) ? [] : [target.dialect]),
    ...kept.map((name) => `+${name}`),
  ];
  return parts.join("/");
}

function placeOf(address: Address): string[] {
  if (address.kind === "embedded") return ["demonstration"];
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const usesTlsAsExpected = address.tls === (address.port === 443);
  return [
    `${host}:${String(address.port)}`,
    ...(usesTlsAsExpected ? [] : [address.tls ? "tls" : "plain"]),
    ...(!address.tls || address.serverName === address.host ? [] : [`as=${address.serverName}`]),
  ];
}

/** Returns the header in which a kind of credential is sent; empty for none. */
function headerOf(kind: string): string {
  return CREDENTIAL_KINDS.find(({ name }) => name === kind)?.header ?? "";
}

/** Returns the dialect whose providers usually expect this kind of credential, or else the first. */
function usualDialect({ auth }: Target): string | undefined {
  return (DIALECTS.find(({ credential }) => credential.name === auth.kind) ?? DIALECTS[0])?.name;
}

/** Returns credential headers that only the client can have written: neither the key nor a configured header. */
function foreignCredentials(target: Target): string[] {
  const own = new Set(target.headers.map((header) => header.name));
  own.add(headerOf(target.auth.kind));
  // Anthropic requires some of the clients' keys as bearer tokens: the filter leaves one of the two headers.
  if (target.auth.passesClientKey === true) own.add(BEARER.header);
  return CREDENTIAL_HEADERS.filter((name) => !own.has(name));
}
