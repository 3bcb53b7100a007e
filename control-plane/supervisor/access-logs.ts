// Monitors the access logs of a running gateway: their directory, their size, and whether Envoy can write them.
import { closeSync, existsSync, openSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { ACCESS_LOGS, accessLogFile } from "../../model/names.ts";
import { callAdmin } from "./admin.ts";
import { makeDirectory } from "./make-directory.ts";
import type { Report } from "./own-log.ts";
import { LOG_DIRECTORY_MODE, lockLogs } from "./log-directory.ts";
import { createRotation, type RotationRules } from "./rotation.ts";

export interface AccessLogEvents {
  report: Report;
  /** Receives why lines are being lost; undefined as soon as they are written again. */
  onProblem: (problem: string | undefined) => void;
}

/** What is monitored; each value may change with a reload. */
export interface AccessLogSource {
  rules: () => RotationRules;
  /** Admin socket of the Envoy that serves requests. */
  adminSocket: () => string;
  reopen: () => void;
}

const CHECK_MS = 2_000;
/** Envoy iterates over all of its statistics to respond: 20 ms of its main thread with 500 providers. */
const CHECKS_PER_READ = 5;

/** Checks the files every two seconds and Envoy's counters every ten; returns a function that stops the checks. */
export function watchAccessLogs(source: AccessLogSource, events: AccessLogEvents): () => void {
  let checks = 0;
  const read = () =>
    checks++ % CHECKS_PER_READ === 0
      ? readWriteCounts(source.adminSocket())
      : Promise.resolve(undefined);
  const check = createAccessLogCheck(source, read, events);
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => (isChecking = false));
  }, CHECK_MS);
  return () => {
    clearInterval(timer);
  };
}

/** The writes of Envoy since its start, in blocks of lines. */
export interface WriteCounts {
  completed: number;
  failed: number;
}

/**
 * Returns a function that checks once; a problem is reported when it begins and when it ends.
 * @param read what Envoy has written; undefined if Envoy is not queried this time. It may reject.
 */
export function createAccessLogCheck(
  { rules, reopen }: Pick<AccessLogSource, "rules" | "reopen">,
  read: () => Promise<WriteCounts | undefined>,
  { report, onProblem }: AccessLogEvents,
): () => Promise<void> {
  const rotation = createRotation(rules, reopen);
  let before: WriteCounts = { completed: 0, failed: 0 };
  let problem: string | undefined;
  const setProblem = (next: string | undefined, line: string) => {
    problem = next;
    onProblem(next);
    report(line, next === undefined ? "info" : "warning");
  };
  const restoreDirectory = () => {
    const { directory } = rules();
    if (existsSync(directory)) return;
    makeDirectory(directory, LOG_DIRECTORY_MODE);
    lockLogs(directory);
    report(`The log directory ${directory} was removed; it has been created again.`, "warning");
  };
  return async () => {
    let reason = attempt(restoreDirectory) ?? attempt(rotation.check);
    const now = (await read().catch(() => undefined)) ?? before;
    // Fewer than before: a new Envoy counts from 0.
    const last = now.completed < before.completed ? { completed: 0, failed: 0 } : before;
    const { directory } = rules();
    if (now.failed > last.failed) reason ??= findReason(directory);
    const isWritten = now.failed === last.failed && now.completed > last.completed;
    before = now;
    if (reason !== undefined && problem === undefined) {
      const lost = `Access logs cannot be written to ${directory} (${reason})`;
      setProblem(lost, `${lost}. Requests are still served, but their log lines are lost.`);
    } else if (reason === undefined && isWritten && problem !== undefined) {
      setProblem(undefined, `Access logs are written to ${directory} again.`);
    }
  };
}

/** Returns the system's error if the work fails. */
function attempt(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/**
 * Returns why writing fails. Envoy counts failed writes without their reason, but the same reason also affects this
 * process.
 */
function findReason(directory: string): string {
  const open = () => {
    for (const name of ACCESS_LOGS) closeSync(openSync(join(directory, accessLogFile(name)), "a"));
  };
  return attempt(open) ?? (isFull(directory) ? "ENOSPC" : "Envoy reports failed writes");
}

function isFull(directory: string): boolean {
  try {
    return statfsSync(directory).bavail === 0;
  } catch {
    return false;
  }
}

/** @see https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/observability/statistics (filesystem) */
async function readWriteCounts(adminSocket: string): Promise<WriteCounts> {
  const { body } = await callAdmin(
    adminSocket,
    "GET",
    "/stats?type=Counters&filter=%5Efilesystem%5C.write_",
  );
  const value = (name: string) =>
    Number(new RegExp(`^filesystem\\.${name}: (\\d+)$`, "m").exec(body)?.[1] ?? 0);
  return { completed: value("write_completed"), failed: value("write_failed") };
}
