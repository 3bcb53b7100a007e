// The resident memory of a process, from /proc.
import { readFileSync } from "node:fs";

/** Returns it in MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Math.round((Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6);
}

/** Watches it from now on. The function that it returns ends that, and returns the most that was seen. */
export function watchResidentMb(pid: number): () => number {
  let most = residentMb(pid);
  const look = (): void => {
    most = Math.max(most, residentMb(pid));
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}
