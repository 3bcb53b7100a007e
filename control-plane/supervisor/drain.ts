// The shutdown of an Envoy: it accepts no more connections, finishes open requests, and exits.
import { setTimeout as sleep } from "node:timers/promises";
import { callAdmin } from "./admin.ts";
import type { EnvoyRun } from "./envoy-process.ts";
import { terminate } from "./keep-running.ts";
import type { Report } from "./own-log.ts";

const POLL_MS = 50;

export interface DrainLimits {
  /** Drain timeout for open requests. Milliseconds. */
  longestMs: number;
  /**
   * How long connections without a request are kept, because their clients may be about to send one: the response to it
   * closes the connection cleanly, whereas closing a connection while a request is on its way loses that request.
   * Milliseconds.
   */
  idleMs: number;
}

/** Drains an Envoy that accepts no more connections, and resolves when it has exited. */
export async function drain(
  adminSocket: string,
  envoy: EnvoyRun,
  { longestMs, idleMs }: DrainLimits,
  report: Report,
): Promise<void> {
  const end = performance.now() + longestMs;
  let idleSince: number | undefined;
  let isAnnounced = false;
  while (!envoy.hasEnded() && performance.now() < end) {
    const { requests, connections } = await stillOpen(adminSocket);
    if (requests === 0) {
      idleSince ??= performance.now();
      if (connections === 0 || performance.now() - idleSince > idleMs) break;
    } else {
      idleSince = undefined;
      if (!isAnnounced) report(`Waiting for ${String(requests)} open requests to finish.`);
      isAnnounced = true;
    }
    await sleep(POLL_MS);
  }
  await terminate(envoy.signal, envoy.ended);
}

/**
 * Closes the clients' listeners; every further response closes its connection. The internal listener stays open,
 * because prompts in flight still need it.
 */
export async function stopAccepting(adminSocket: string): Promise<void> {
  for (const path of ["/healthcheck/fail", "/drain_listeners?inboundonly"]) {
    await callAdmin(adminSocket, "POST", path).catch(() => undefined);
  }
}

/** Returns the in-flight requests of clients and their connections; 0 if Envoy does not respond. */
async function stillOpen(adminSocket: string): Promise<{ requests: number; connections: number }> {
  try {
    const path = "/stats?filter=%5C.downstream_(rq|cx)_active$";
    const { body } = await callAdmin(adminSocket, "GET", path);
    const sum = (name: string) => {
      const lines = body.matchAll(new RegExp(`^http\\.(?!admin\\.).*\\.${name}: (\\d+)$`, "gm"));
      return [...lines].reduce((total, [, value]) => total + Number(value), 0);
    };
    return { requests: sum("downstream_rq_active"), connections: sum("downstream_cx_active") };
  } catch {
    return { requests: 0, connections: 0 };
  }
}
