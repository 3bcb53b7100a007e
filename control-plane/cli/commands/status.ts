// `gateway status`: what runs, whether it is ready, and what it has done so far.
import { socketText } from "../../config/read-address.ts";
import { dockerHere } from "../container/docker.ts";
import { callAdmin } from "../../supervisor/admin.ts";
import { isAlive } from "../../processes/process-identity.ts";
import type { RunningRecord } from "../../supervisor/state.ts";
import { colorsFor, count, duration, table } from "../../report/terminal.ts";
import { type CredentialStatus, credentialStatuses } from "./credential-status.ts";
import { type ProviderStatus, providerStatuses } from "./provider-status.ts";
import { chooseContainer, chooseRunning, notRunning } from "../find-running.ts";

/** Counters of one listener since Envoy started. */
interface ListenerStatistics {
  requests: number;
  active: number;
  succeeded: number;
  clientErrors: number;
  serverErrors: number;
}

export interface Status {
  running: true;
  /** Whether Envoy takes requests. */
  live: boolean;
  /** Whether everything that the configuration needs is running, as reported by /readyz. */
  ready: boolean;
  /** Why it is not ready. */
  reason: string | null;
  pid: number;
  envoyPid: number | null;
  version: string;
  startedAt: string;
  uptimeSeconds: number;
  configuration: string;
  logDirectory: string;
  /** Why access log lines are being lost; null while they are written. */
  accessLogProblem: string | null;
  /** Why lines of the audit log are being lost; null while they are written. */
  auditProblem: string | null;
  /** URL of the live page and the metrics; null if they are not configured. */
  page: string | null;
  /** Why they are not served; null while they are. */
  pageProblem: string | null;
  models: string[];
  /** The credentials that Envoy attaches for Azure, Google Cloud and AWS. */
  credentials: CredentialStatus[];
  /** Of the configuration that runs. */
  warnings: string[];
  providers: ProviderStatus[];
  listeners: { name: string; address: string; port: number; statistics: ListenerStatistics }[];
}

/** Prints it. Exit code 1 when nothing is running, or what runs is not ready. */
export async function status(config: string | undefined, options: { json?: boolean }) {
  const container = chooseContainer(config, process.env);
  if (container !== undefined) {
    const asked = ["gateway", "status", ...(options.json === true ? ["--json"] : [])];
    process.exitCode = await dockerHere(["exec", container.record.name, ...asked], process.env);
    return;
  }
  const running = chooseRunning(config, process.env);
  if (running === undefined) {
    console.log(options.json === true ? '{\n  "running": false\n}' : notRunning(config));
    process.exitCode = 1;
    return;
  }
  const found = await statusOf(running.record);
  process.exitCode = found.ready ? 0 : 1;
  if (options.json === true) console.log(JSON.stringify(found, null, 2));
  else for (const line of lines(found)) console.log(line);
}

async function statusOf(record: RunningRecord): Promise<Status> {
  const live = await callAdmin(record.adminSocket, "GET", "/ready")
    .then((reply) => reply.status === 200)
    .catch(() => false);
  const reason = reasonNotReady(record, live);
  const counters = await readCounters(record.adminSocket);
  return {
    running: true,
    live,
    ready: reason === null,
    reason,
    pid: record.gateway.pid,
    envoyPid: record.envoy?.pid ?? null,
    version: record.version,
    startedAt: record.startedAt,
    uptimeSeconds: Math.max(0, Math.round((Date.now() - Date.parse(record.startedAt)) / 1000)),
    configuration: record.configuration,
    logDirectory: record.logDirectory,
    accessLogProblem: record.accessLogProblem ?? null,
    auditProblem: record.auditProblem ?? null,
    page: record.page ?? null,
    pageProblem: record.pageProblem ?? null,
    models: record.models,
    credentials: await credentialStatuses(record),
    warnings: record.warnings,
    providers: await providerStatuses(record),
    listeners: record.listeners.map((listener) => ({
      ...listener,
      statistics: statisticsOf(listener.name, counters, record.probes?.[listener.name] ?? 0),
    })),
  };
}

function reasonNotReady({ gateway, missing }: RunningRecord, isLive: boolean): string | null {
  if (!isAlive(gateway)) return "The gateway was killed, and its Envoy is ending.";
  return isLive ? (missing ?? null) : "Envoy takes no requests.";
}

async function readCounters(adminSocket: string): Promise<Map<string, number>> {
  try {
    const { body } = await callAdmin(adminSocket, "GET", "/stats?filter=downstream_rq_");
    const pairs = [...body.matchAll(/^(\S+): (\d+)$/gm)];
    return new Map(pairs.map(([, name, value]) => [name ?? "", Number(value)]));
  } catch {
    return new Map();
  }
}

/** @param probes what the gateway itself has sent until it was ready, which is no request of a client */
function statisticsOf(
  listener: string,
  counters: Map<string, number>,
  probes: number,
): ListenerStatistics {
  const counter = (name: string) => counters.get(`http.${listener}.downstream_rq_${name}`) ?? 0;
  return {
    requests: Math.max(0, counter("total") - probes),
    active: counter("active"),
    succeeded: Math.max(0, counter("2xx") - probes),
    clientErrors: counter("4xx"),
    serverErrors: counter("5xx"),
  };
}

function lines(found: Status): string[] {
  const colors = colorsFor(process.stdout);
  const state = found.ready ? colors.green("ready") : colors.yellow("not ready");
  const reason = found.reason === null ? [] : [["", found.reason]];
  const facts = [
    ["State", state],
    ...reason,
    [
      "Process",
      `${String(found.pid)}, Envoy ${found.envoyPid === null ? "-" : String(found.envoyPid)}`,
    ],
    ["Version", found.version],
    ["Running for", duration(found.uptimeSeconds)],
    ["Configuration", found.configuration],
    ["Logs", found.logDirectory],
    ...(found.accessLogProblem === null ? [] : [["", colors.red(found.accessLogProblem)]]),
    ...(found.auditProblem === null ? [] : [["", colors.red(found.auditProblem)]]),
    ...(found.page === null
      ? []
      : [["Live page", found.pageProblem === null ? found.page : colors.red(found.pageProblem)]]),
    ["Models", found.models.join(", ")],
  ];
  const head = ["LISTENER", "ADDRESS", "REQUESTS", "ACTIVE", "2XX", "4XX", "5XX"].map(colors.dim);
  const listeners = found.listeners.map(({ name, address, port, statistics }) => [
    name,
    socketText(address, port),
    String(statistics.requests),
    String(statistics.active),
    String(statistics.succeeded),
    String(statistics.clientErrors),
    String(statistics.serverErrors),
  ]);
  return [
    ...table(facts.map(([name, value]) => [colors.dim(name ?? ""), value ?? ""])),
    "",
    ...table([head, ...listeners]),
    "",
    ...table([
      ["PROVIDER", "IN FLIGHT", "EJECTED", "LAST ERROR"].map(colors.dim),
      ...found.providers.map(providerLine),
    ]),
    ...(found.credentials.length === 0
      ? []
      : [
          "",
          ...table([
            ["CREDENTIAL", "MODELS", "VALID UNTIL", "PROBLEM"].map(colors.dim),
            ...found.credentials.map(credentialLine),
          ]),
        ]),
  ];
}

function credentialLine(found: CredentialStatus): string[] {
  const { source, models, validUntil, lastError, rejected } = found;
  const rejections = rejected === 0 ? "" : `${count(rejected, "request")} had no credential`;
  const problem = [lastError ?? "", rejections].filter((text) => text !== "").join("; ");
  return [source, models.join(", "), validUntil ?? "-", problem === "" ? "-" : problem];
}

function providerLine({ name, inFlight, ejected, lastError }: ProviderStatus): string[] {
  const error =
    lastError === null
      ? "-"
      : `${String(lastError.status)} ${lastError.flags ?? ""}`.trim() + ` at ${lastError.time}`;
  return [name, String(inFlight), String(ejected), error];
}
