// The gateway is ready when Envoy reports it and every listener responds through the filter.
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../../model/model.ts";
import { callAdmin, callListener } from "./admin.ts";

/** Path for which the filter itself returns 200. */
const HEALTH_PATH = "/healthz";
const POLL_MS = 25;

/**
 * Returns what is still missing, as a sentence; undefined if the gateway is ready.
 * @param onProbe receives the name of each listener that has responded
 */
export async function missingForReadiness(
  adminSocket: string,
  listeners: readonly Listener[],
  onProbe: (listener: Listener["name"]) => void = () => undefined,
): Promise<string | undefined> {
  try {
    const { status, body } = await callAdmin(adminSocket, "GET", "/ready");
    if (status !== 200) return `Envoy reports ${body.trim()}`;
  } catch {
    return "Envoy's admin interface does not respond";
  }
  for (const listener of listeners) {
    const missing = await probe(listener);
    const { name, port } = listener;
    if (missing === undefined) onProbe(name);
    if (missing !== undefined) return `listener ${name} on port ${String(port)} ${missing}`;
  }
  return undefined;
}

async function probe(listener: Listener): Promise<string | undefined> {
  try {
    const { status } = await callListener(listener, HEALTH_PATH);
    return status === 200 ? undefined : `responds to ${HEALTH_PATH} with ${String(status)}`;
  } catch {
    return "does not respond";
  }
}

/** Polls until nothing is missing, `isOver` or the deadline. Returns what is still missing, or undefined if ready. */
export async function waitUntilReady(
  find: () => Promise<string | undefined>,
  isOver: () => boolean,
  deadlineMs: number,
): Promise<string | undefined> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const missing = await find();
    if (missing === undefined || isOver() || performance.now() > end) return missing;
    await sleep(POLL_MS);
  }
}
