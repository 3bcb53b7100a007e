// How the providers do: open requests and ejections as Envoy counts them, the last failed attempt from access_llm.log.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { AccessLogEntry } from "../../../model/access-log-fields.ts";
import { parseAccessLogLine } from "../log/access-log-line.ts";
import { accessLogFile } from "../../../model/names.ts";
import { callAdmin } from "../../supervisor/admin.ts";
import type { RunningRecord } from "../../supervisor/state.ts";

export interface ProviderStatus {
  name: string;
  /** Attempts that have no whole response yet. */
  inFlight: number;
  /** Addresses of it that Envoy asks no more for a while, because they kept failing. */
  ejected: number;
  /** The last attempt that failed, as far as the end of the log goes back. */
  lastError: { time: string; status: number; flags: string | null } | null;
}

/** How much of the log's end is read. */
const TAIL_BYTES = 1_048_576;

export async function providerStatuses(record: RunningRecord): Promise<ProviderStatus[]> {
  const hosts = await readHosts(record.adminSocket);
  const failures = readFailures(join(record.logDirectory, accessLogFile("llm")));
  return record.providers.map(({ name, clusters, authorities }) => {
    const own = hosts.filter(({ cluster }) => clusters.includes(cluster));
    const failure = failures.findLast(({ authority }) => authorities.includes(authority ?? ""));
    return {
      name,
      inFlight: own.reduce((sum, { active }) => sum + active, 0),
      ejected: own.filter(({ isEjected }) => isEjected).length,
      lastError:
        failure === undefined
          ? null
          : {
              time: failure.startTime,
              status: failure.responseCode,
              flags: failure.responseFlags,
            },
    };
  });
}

interface Host {
  cluster: string;
  active: number;
  isEjected: boolean;
}

/** As far as it is read here. @see https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/admin/v3/clusters.proto */
interface Clusters {
  cluster_statuses?: {
    name: string;
    host_statuses?: {
      stats?: { name: string; value?: string }[];
      health_status?: { failed_outlier_check?: boolean };
    }[];
  }[];
}

/** Returns an empty list if Envoy does not respond. */
async function readHosts(adminSocket: string): Promise<Host[]> {
  try {
    const { body } = await callAdmin(adminSocket, "GET", "/clusters?format=json");
    const { cluster_statuses: clusters = [] } = JSON.parse(body) as Clusters;
    return clusters.flatMap(({ name, host_statuses: hosts = [] }) =>
      hosts.map(({ stats = [], health_status: health }) => ({
        cluster: name,
        active: Number(stats.find((one) => one.name === "rq_active")?.value ?? 0),
        isEjected: health?.failed_outlier_check === true,
      })),
    );
  } catch {
    return [];
  }
}

/** Attempts without a good response among the last lines, the youngest last. */
function readFailures(file: string): AccessLogEntry[] {
  return readTail(file)
    .split("\n")
    .flatMap((line) => parseAccessLogLine(line) ?? [])
    .filter(({ responseCode }) => responseCode === 0 || responseCode >= 400);
}

function readTail(file: string): string {
  try {
    const descriptor = openSync(file, "r");
    try {
      const { size } = fstatSync(descriptor);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}
