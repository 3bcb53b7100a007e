// Identifies a recorded process: its id may have been reused by a different process.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Process id and start time: in clock ticks since boot as in /proc; without /proc as ps prints it. */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, startTime: readStat(pid)?.startTime ?? "" };
}

/**
 * Whether the process runs. False for a zombie too: its parent may not have reaped it, as in a container without an
 * init.
 */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const stat = readStat(pid);
  if (stat === undefined) return startTime === "";
  return stat.state !== "Z" && stat.startTime === startTime;
}

/** Sends a signal, unless the process has exited. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Sends SIGTERM, after 3 s SIGKILL; resolves when the process has exited. */
export async function endProcess(identity: ProcessIdentity): Promise<void> {
  signal(identity, "SIGTERM");
  for (let waited = 0; isAlive(identity); waited += 50) {
    if (waited === 3000) signal(identity, "SIGKILL");
    await sleep(50);
  }
}

interface Stat {
  /** Z is a zombie. */
  state: string;
  startTime: string;
}

/** Returns state and start time; undefined if the process does not exist. */
function readStat(pid: number): Stat | undefined {
  return process.platform === "linux" ? readProc(pid) : readPs(pid);
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: fields 3 and 22, counted after the name's bracket. */
function readProc(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startTime: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** For macOS: the keywords of POSIX, and `lstart`, which BSD and Linux have. */
export function readPs(pid: number): Stat | undefined {
  const words = ["-o", "state=", "-o", "lstart=", "-p", String(pid)];
  const { status, stdout } = spawnSync("ps", words, {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  const [state = "", ...startTime] = status === 0 ? stdout.trim().split(/\s+/) : [];
  return state === "" ? undefined : { state: state.charAt(0), startTime: startTime.join(" ") };
}
