// What `gateway status` and `gateway validate` report of the credentials that Envoy attaches. Without the credentials.
import { credentialName, credentialText } from "../../model/cloud-credentials.ts";
import type { GatewayModel } from "../../model/model.ts";
import { attemptCluster, clusterOf } from "../../model/upstreams.ts";
import type { TokenReport } from "./tokens.ts";

export interface CredentialReport {
  /** Where it comes from, for people. */
  source: string;
  models: string[];
  /** The clusters whose requests have it, and the beginnings of those for one attempt of several. */
  clusters: string[];
  /** ISO 8601; absent: there is no token, or Envoy keeps the credential. */
  validUntil?: string;
  /** Why the last request for a token failed. */
  lastError?: string;
}

/** Returns one report for each credential, in the order of the models. */
export function credentialReports(
  { targets }: Pick<GatewayModel, "targets">,
  tokens: readonly TokenReport[],
): CredentialReport[] {
  const found = new Map<string, CredentialReport>();
  for (const target of targets) {
    const { auth, name } = target;
    const [key, source] = [credentialName(auth), credentialText(auth)];
    if (key === undefined || source === undefined) continue;
    const token = tokens.find((one) => one.name === auth.token?.secret);
    const report = found.get(key) ?? { source, models: [], clusters: [], ...stateOf(token) };
    const cluster = clusterOf(target);
    report.models.push(name);
    report.clusters.push(...[cluster, attemptCluster(cluster)]);
    found.set(key, report);
  }
  return [...found.values()].map((report) => ({
    ...report,
    clusters: [...new Set(report.clusters)],
  }));
}

function stateOf(
  token: TokenReport | undefined,
): Pick<CredentialReport, "validUntil" | "lastError"> {
  const { validUntil, lastError } = token ?? {};
  return {
    ...(validUntil === undefined ? {} : { validUntil: new Date(validUntil).toISOString() }),
    ...(lastError === undefined ? {} : { lastError }),
  };
}
