// Looks after the access logs of a running gateway: their directory, their size, and whether Envoy can write them.
import { closeSync, existsSync, openSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { ACCESS_LOGS, accessLogFile } from "../ir/names.ts";
import { callAdmin } from "./admin.ts";
import { makeDirectory } from "./make-directory.ts";
import { LOG_DIRECTORY_MODE } from "./runtime-environment.ts";
import { createRotation, type RotationRules } from "./rotation.ts";

export interface AccessLogEvents {
  /** A line for the user. */
  report: (line: string) => void;
  /** Why lines are being lost; undefined when they are written again. */
  onProblem: (problem: string | undefined) => void;
}

/** What is looked after; each may change with a reload. */
export interface AccessLogSource {
  rules: () => RotationRules;
  /** Of the Envoy that serves requests. */
  adminSocket: () => string;
  reopen: () => void;
}

const LOOK_MS = 2_000;
/** Envoy walks through all of its statistics to answer: 20 ms of its main thread with 500 providers. */
const LOOKS_FOR_ONE_READ = 5;

/** Looks at the files every two seconds and at Envoy's counters every ten; returns what ends it. */
export function attendAccessLogs(source: AccessLogSource, events: AccessLogEvents): () => void {
  let looks = 0;
  const read = () =>
    looks++ % LOOKS_FOR_ONE_READ === 0
      ? readWrites(source.adminSocket())
      : Promise.resolve(undefined);
  const look = createLook(source, read, events);
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
  };
}

/** What Envoy has written since its start, in blocks of lines. */
export interface Writes {
  completed: number;
  failed: number;
}

/**
 * One look; what it finds is reported when it begins and when it ends.
 * @param read what Envoy has written; undefined when it is not asked this time. It may reject.
 */
export function createLook(
  { rules, reopen }: Pick<AccessLogSource, "rules" | "reopen">,
  read: () => Promise<Writes | undefined>,
  { report, onProblem }: AccessLogEvents,
): () => Promise<void> {
  const rotation = createRotation(rules, reopen);
  let before: Writes = { completed: 0, failed: 0 };
  let problem: string | undefined;
  const become = (next: string | undefined, line: string) => {
    problem = next;
    onProblem(next);
    report(line);
  };
  const restoreDirectory = () => {
    const { directory } = rules();
    if (existsSync(directory)) return;
    makeDirectory(directory, LOG_DIRECTORY_MODE);
    report(`The log directory ${directory} was removed; it has been created again.`);
  };
  return async () => {
    let reason = attempt(restoreDirectory) ?? attempt(rotation.check);
    const now = (await read().catch(() => undefined)) ?? before;
    // Fewer than before: another Envoy counts from 0.
    const last = now.completed < before.completed ? { completed: 0, failed: 0 } : before;
    const { directory } = rules();
    if (now.failed > last.failed) reason ??= whyNot(directory);
    const isWritten = now.failed === last.failed && now.completed > last.completed;
    before = now;
    if (reason !== undefined && problem === undefined) {
      const lost = `Access logs cannot be written to ${directory} (${reason})`;
      become(lost, `${lost}. Requests are still answered, but their log lines are lost.`);
    } else if (reason === undefined && isWritten && problem !== undefined) {
      become(undefined, `Access logs are written to ${directory} again.`);
    }
  };
}

/** The system's error when the work fails. */
function attempt(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Envoy counts failed writes and does not keep their reason: what hinders this process hinders Envoy too. */
function whyNot(directory: string): string {
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
async function readWrites(adminSocket: string): Promise<Writes> {
  const { body } = await callAdmin(
    adminSocket,
    "GET",
    "/stats?type=Counters&filter=%5Efilesystem%5C.write_",
  );
  const value = (name: string) =>
    Number(new RegExp(`^filesystem\\.${name}: (\\d+)$`, "m").exec(body)?.[1] ?? 0);
  return { completed: value("write_completed"), failed: value("write_failed") };
}
