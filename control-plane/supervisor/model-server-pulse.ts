// Checks whether a running model server also responds: a process can exist and hang.
import { setTimeout as sleep } from "node:timers/promises";
import { fetchAt } from "../model-server/unix-socket.ts";

/** Timing of the health checks, in milliseconds. */
export interface Pulse {
  /** Interval between two checks. */
  every: number;
  /** Timeout of one check. The server's thread is never busy for a tenth of it. */
  patience: number;
  /** Time without a response after which it is killed and restarted. */
  longestSilence: number;
}

const PULSE: Pulse = { every: 1_000, patience: 3_000, longestSilence: 30_000 };

export interface PulseEvents {
  /** Called with false when it stops responding, and with true when it responds again. */
  onChange: (responds: boolean) => void;
  /** Called when it has not responded for `longestSilence`. */
  onSilence: () => void;
}

/** Polls `GET /healthz` until the signal is aborted or the silence is too long. */
export async function watchPulse(
  socketPath: string,
  { onChange, onSilence }: PulseEvents,
  signal: AbortSignal,
  { every, patience, longestSilence }: Pulse = PULSE,
): Promise<void> {
  let lastResponse = performance.now();
  let isResponding = true;
  for (;;) {
    await sleep(every, undefined, { signal, ref: false }).catch(() => undefined);
    const responds = await isHealthy(
      socketPath,
      AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    );
    if (signal.aborted) return;
    if (responds !== isResponding) onChange(responds);
    isResponding = responds;
    const now = performance.now();
    if (responds) lastResponse = now;
    if (now - lastResponse < longestSilence) continue;
    onSilence();
    return;
  }
}

async function isHealthy(socketPath: string, signal: AbortSignal): Promise<boolean> {
  try {
    const request = { method: "GET", headers: {}, signal } as const;
    const response = await fetchAt(socketPath, "http://model-server/healthz", request);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
