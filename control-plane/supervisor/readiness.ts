// When the gateway is ready: Envoy says so, and every listener answers through the filter.
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../model.ts";
import { callAdmin, callListener, reachable } from "./admin.ts";
import { isAlive } from "./process-identity.ts";
import type { RunningRecord } from "./state.ts";

/** Where the filter answers 200 by itself. */
const HEALTH_PATH = "/healthz";
const POLL_MS = 25;

/** Where the gateway tells whether all of its parts are there. */
const READY_PATH = "/readyz";
/** Shorter than what probes usually wait. Milliseconds. */
const READY_MS = 2_000;

/** What is still missing, in words; undefined when the gateway is ready. */
export async function missingForReadiness(
  adminSocket: string,
  listeners: readonly Listener[],
): Promise<string | undefined> {
  try {
    const { status, body } = await callAdmin(adminSocket, "GET", "/ready");
    if (status !== 200) return `Envoy says ${body.trim()}`;
  } catch {
    return "Envoy's admin interface does not answer";
  }
  for (const listener of listeners) {
    const missing = await probe(listener);
    const { name, port } = listener;
    if (missing !== undefined) return `listener ${name} on port ${String(port)} ${missing}`;
  }
  return undefined;
}

async function probe(listener: Listener): Promise<string | undefined> {
  try {
    const { status } = await callListener(listener, HEALTH_PATH);
    return status === 200 ? undefined : `answers ${String(status)} to ${HEALTH_PATH}`;
  } catch {
    return "does not answer";
  }
}

/** Why a running gateway is not ready, as its listeners say by /readyz (envoy/routes.ts); undefined when it is. */
export async function reasonNotReady({
  gateway,
  listeners,
}: Pick<RunningRecord, "gateway" | "listeners">): Promise<string | undefined> {
  if (!isAlive(gateway)) return "The gateway was killed, and its Envoy is ending.";
  const answers = await Promise.all(
    listeners.map(async (listener) => {
      const name = `Listener ${listener.name} on port ${String(listener.port)}`;
      try {
        const { status, body } = await callListener(listener, READY_PATH, READY_MS);
        return status === 200
          ? undefined
          : (reasonIn(body) ?? `${name} answers ${String(status)}.`);
      } catch {
        return `${name} does not answer.`;
      }
    }),
  );
  return answers.find((answer) => answer !== undefined);
}

function reasonIn(body: string): string | undefined {
  try {
    const { reason } = JSON.parse(body) as { reason?: unknown };
    return typeof reason === "string" ? reason : undefined;
  } catch {
    return undefined;
  }
}

/** `http://127.0.0.1:12000`: where this machine reaches a listener. */
export function urlOf({ address, port, tls }: Pick<Listener, "address" | "port" | "tls">): string {
  const host = reachable(address);
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${String(port)}`;
}

/** Polls until ready, `isOver` or the deadline. Returns what is missing then, or undefined when ready. */
export async function waitUntilReady(
  adminSocket: string,
  listeners: readonly Listener[],
  isOver: () => boolean,
  deadlineMs: number,
): Promise<string | undefined> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const missing = await missingForReadiness(adminSocket, listeners);
    if (missing === undefined || isOver() || performance.now() > end) return missing;
    await sleep(POLL_MS);
  }
}
