// Requests of the control plane to an Envoy's filter: JSON, on a unix socket that only the gateway's user can open.
import { setTimeout as sleep } from "node:timers/promises";
import { fetchAt } from "../model-server/unix-socket.ts";

/** From then on, failures are reported. */
const REPORT_MS = 10_000;

/** Envoy has read a push, and does not accept it: the same push is rejected again. */
export class PushRejected extends Error {}
const REJECTIONS = new Set([400, 413]);

/** Sends JSON to a path of the filter, and returns its response. Rejects if the filter does not accept it. */
export async function pushToEnvoy(
  socket: string,
  path: string,
  body: object,
  timeoutMs: number,
): Promise<unknown> {
  const response = await fetchAt(socket, `http://gateway${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const reason = `Envoy responds with ${String(response.status)}: ${text}`;
  throw REJECTIONS.has(response.status) ? new PushRejected(reason) : new Error(reason);
}

export interface Repetition {
  /** Ends it. */
  signal: AbortSignal;
  /** Returns the pause after a failure. */
  retryMs: () => number;
  /** What Envoy gets, for reports: `keys`. */
  what: string;
  report: (line: string, level?: "warning") => void;
}

/** Repeats the work until it succeeds, or the signal is aborted. Never rejects; what fails for long is reported once. */
export async function untilDone(
  work: () => Promise<unknown>,
  { signal, retryMs, what, report }: Repetition,
): Promise<void> {
  const started = performance.now();
  let isReported = false;
  while (!signal.aborted) {
    try {
      await work();
      if (isReported) report(`Envoy has the ${what} again.`);
      return;
    } catch (error) {
      if (!isReported && !isAborted(signal) && performance.now() - started > REPORT_MS) {
        report(`Envoy has no new ${what}: ${reasonOf(error)}`, "warning");
        isReported = true;
      }
      await sleep(retryMs(), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** A call, because the type checker takes the loop's condition to hold after an `await`, too. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
