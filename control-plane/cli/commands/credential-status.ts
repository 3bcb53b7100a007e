// The credentials that Envoy attaches: what the running gateway has recorded, and how many requests had none.
import type { CredentialReport } from "../../credentials/report.ts";
import { callAdmin } from "../../supervisor/admin.ts";
import type { RunningRecord } from "../../supervisor/state.ts";

export interface CredentialStatus {
  source: string;
  models: string[];
  /** ISO 8601; null: there is no token, or Envoy keeps the credential. */
  validUntil: string | null;
  lastError: string | null;
  /** Requests since Envoy's start that were rejected because there was no credential. */
  rejected: number;
}

export async function credentialStatuses({
  adminSocket,
  credentials = [],
}: RunningRecord): Promise<CredentialStatus[]> {
  if (credentials.length === 0) return [];
  const counters = await readCounters(adminSocket);
  return credentials.map((report) => ({
    source: report.source,
    models: report.models,
    validUntil: report.validUntil ?? null,
    lastError: report.lastError ?? null,
    rejected: counters
      .filter(({ cluster }) => isOf(cluster, report))
      .reduce((sum, { value }) => sum + value, 0),
  }));
}

/** Returns whether the cluster of a statistic is one of the report's; that of an attempt has a version at its end. */
function isOf(cluster: string, { clusters }: CredentialReport): boolean {
  return clusters.some((name) => {
    const own = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
    return cluster === own || (name.startsWith("attempt/") && cluster.startsWith(`${own}_`));
  });
}

async function readCounters(adminSocket: string): Promise<{ cluster: string; value: number }[]> {
  try {
    const filter = "credential_injector.failed";
    const { body } = await callAdmin(adminSocket, "GET", `/stats?filter=${filter}`);
    const lines = [...body.matchAll(/^cluster\.(\S+)\.credential_injector\.failed: (\d+)$/gm)];
    return lines.map(([, cluster = "", value]) => ({ cluster, value: Number(value) }));
  } catch {
    return [];
  }
}
