// `gateway health`: whether the gateway is ready, for a container's probe, which asks every few seconds: it imports little.
import { callListener } from "../../supervisor/admin.ts";
import type { RunningRecord } from "../../supervisor/state.ts";
import { chooseRunning, notRunning } from "../find-running.ts";

/** Shorter than what probes usually wait. */
const MAX_MS = 2_000;

/** Prints `ready`, or what is missing, with exit code 1. */
export async function health(config: string | undefined): Promise<void> {
  const running = chooseRunning(config, process.env);
  const missing = running === undefined ? notRunning(config) : await missingIn(running.record);
  console.log(missing ?? "ready");
  process.exitCode = missing === undefined ? 0 : 1;
}

async function missingIn({ listeners }: RunningRecord): Promise<string | undefined> {
  const reasons = await Promise.all(
    listeners.map(async (listener) => {
      const name = `Listener ${listener.name} on port ${String(listener.port)}`;
      try {
        const { status, body } = await callListener(listener, "/readyz", MAX_MS);
        return status === 200
          ? undefined
          : (reasonIn(body) ?? `${name} responds with ${String(status)}.`);
      } catch {
        return `${name} does not respond.`;
      }
    }),
  );
  return reasons.find((reason) => reason !== undefined);
}

function reasonIn(body: string): string | undefined {
  try {
    const { reason } = JSON.parse(body) as { reason?: unknown };
    return typeof reason === "string" ? reason : undefined;
  } catch {
    return undefined;
  }
}
