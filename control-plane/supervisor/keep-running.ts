// Keeps a process running: restarts it after increasing pauses when it exits unexpectedly, and terminates it at
// shutdown.
import { setTimeout as sleep } from "node:timers/promises";

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
/** After a run of this length the next crash starts with the shortest pause again. */
const GOOD_RUN_MS = 60_000;
const KILL_AFTER_MS = 3_000;

export interface Run {
  /** Resolves with how the process ended: `exit code 1`, `signal SIGSEGV`. */
  ended: Promise<string>;
}

export interface Restarts<Of extends Run> {
  /** The process exited unexpectedly; it is restarted after the pause. */
  onCrash: (run: Of, how: string, pauseMs: number) => void;
  /** Starts the process again, and returns the new run. */
  restart: () => Of;
}

/**
 * Restarts the process until the signal is aborted. Resolves when the process has ended, or at once between two runs.
 */
export async function keepRunning<Of extends Run>(
  first: Of,
  signal: AbortSignal,
  { onCrash, restart }: Restarts<Of>,
): Promise<void> {
  let run = first;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    const started = performance.now();
    const how = await run.ended;
    if (signal.aborted) return;
    if (performance.now() - started > GOOD_RUN_MS) pause = FIRST_PAUSE_MS;
    onCrash(run, how, pause);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    if (hasAborted(signal)) return;
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
    run = restart();
  }
}

/** Sends SIGTERM, and SIGKILL if the process has not ended after 3 s. Resolves when it has ended. */
export async function terminate(
  kill: (name: NodeJS.Signals) => unknown,
  ended: Promise<unknown>,
): Promise<void> {
  kill("SIGTERM");
  const killer = setTimeout(() => kill("SIGKILL"), KILL_AFTER_MS);
  await ended;
  clearTimeout(killer);
}

/** Whether the signal is aborted now: it may change during an `await`, which the type checker cannot detect. */
export function hasAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
