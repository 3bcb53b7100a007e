// Keeps one Envoy running: starts it, waits until it is ready, starts it again when it crashes, drains it at the end.
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../errors.ts";
import type { Listener } from "../model.ts";
import { callAdmin } from "./admin.ts";
import { type EnvoyCommand, type EnvoyLine, type EnvoyRun, startEnvoy } from "./envoy-process.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { waitUntilReady } from "./readiness.ts";

export interface SupervisorPlan {
  command: EnvoyCommand;
  adminSocket: string;
  listeners: readonly Listener[];
  /** How long open requests may take to end after `stop`. */
  drainMs: number;
  /** Something that a person should know. */
  report: (line: string) => void;
  /** A line that Envoy wrote. */
  onLine: (line: EnvoyLine) => void;
  /** A new Envoy, or that there is none for the moment. */
  onEnvoy: (envoy: ProcessIdentity | undefined) => void;
}

export interface Supervisor {
  /** Ends open requests first; the second call does not wait for them. Resolves when Envoy has gone. */
  stop: () => Promise<void>;
  /** Makes Envoy open its log files anew. */
  reopenLogs: () => void;
  /** Resolves when Envoy has gone for good, after `stop`. */
  ended: Promise<void>;
}

const READY_MS = 10_000;
const KILL_AFTER_MS = 3_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A run as long as this was a good one: the next crash starts with the shortest pause again. */
const GOOD_RUN_MS = 60_000;

/** Starts Envoy and resolves when it is ready. Rejects with Envoy's own reason when it does not become so in 10 s. */
export async function supervise(plan: SupervisorPlan): Promise<Supervisor> {
  const stopping = new AbortController();
  let current = startEnvoy(plan.command, plan.onLine);
  plan.onEnvoy(current.identity);
  await firstReadiness(plan, current);
  const ended = keepRunning(plan, current, stopping.signal, (envoy) => {
    current = envoy;
    plan.onEnvoy(envoy.identity);
  });
  return {
    ended,
    reopenLogs: () => {
      current.signal("SIGUSR1");
    },
    async stop() {
      if (stopping.signal.aborted) {
        current.signal("SIGKILL");
      } else {
        stopping.abort();
        await drainAndEnd(plan, current);
      }
      await ended;
    },
  };
}

async function firstReadiness(plan: SupervisorPlan, envoy: EnvoyRun): Promise<void> {
  const { adminSocket, listeners } = plan;
  const missing = await waitUntilReady(adminSocket, listeners, envoy.hasEnded, READY_MS);
  if (missing === undefined) return;
  const hasEnded = envoy.hasEnded();
  if (!hasEnded) envoy.signal("SIGKILL");
  const how = await envoy.ended;
  const what = hasEnded
    ? `Envoy ended while it started (${how}).`
    : `The gateway was not ready after ${String(READY_MS / 1000)} s: ${missing}.`;
  const reason = envoy.lastError();
  throw new GatewayError(what, reason === "" ? {} : { hint: `Envoy's last words:\n${reason}` });
}

async function keepRunning(
  plan: SupervisorPlan,
  first: EnvoyRun,
  stopping: AbortSignal,
  replace: (envoy: EnvoyRun) => void,
): Promise<void> {
  let envoy = first;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    const started = performance.now();
    const how = await envoy.ended;
    plan.onEnvoy(undefined);
    if (stopping.aborted) return;
    if (performance.now() - started > GOOD_RUN_MS) pause = FIRST_PAUSE_MS;
    const reason = envoy.lastError();
    plan.report(`Envoy ended by itself (${how}); it is started again in ${String(pause)} ms.`);
    if (reason !== "") plan.report(`Envoy's last words:\n${reason}`);
    await sleep(pause, undefined, { signal: stopping }).catch(() => undefined);
    // Read again: it may have been aborted while this waited, which the type checker cannot know.
    if (hasAborted(stopping)) return;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    envoy = startEnvoy(plan.command, plan.onLine);
    replace(envoy);
    void reportReadiness(plan, envoy);
  }
}

function hasAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function reportReadiness(plan: SupervisorPlan, envoy: EnvoyRun): Promise<void> {
  const { adminSocket, listeners } = plan;
  const missing = await waitUntilReady(adminSocket, listeners, envoy.hasEnded, READY_MS);
  if (missing === undefined) plan.report("Envoy is ready again.");
  else if (!envoy.hasEnded()) plan.report(`Envoy is not ready: ${missing}.`);
}

/** Closes the listeners, waits for open requests, then ends Envoy. */
async function drainAndEnd(plan: SupervisorPlan, envoy: EnvoyRun): Promise<void> {
  if (envoy.hasEnded()) return;
  const { adminSocket, drainMs } = plan;
  await callAdmin(adminSocket, "POST", "/drain_listeners").catch(() => undefined);
  const end = performance.now() + drainMs;
  let announced = false;
  while (!envoy.hasEnded() && performance.now() < end) {
    const active = await activeRequests(adminSocket);
    if (active === 0) break;
    if (!announced) plan.report(`Waiting for ${String(active)} open requests to end.`);
    announced = true;
    await sleep(50);
  }
  envoy.signal("SIGTERM");
  const killer = setTimeout(() => {
    envoy.signal("SIGKILL");
  }, KILL_AFTER_MS);
  await envoy.ended;
  clearTimeout(killer);
}

/** Requests of clients that have no whole answer yet; 0 when Envoy does not tell. */
async function activeRequests(adminSocket: string): Promise<number> {
  try {
    const path = "/stats?filter=downstream_rq_active";
    const { body } = await callAdmin(adminSocket, "GET", path);
    const lines = body.matchAll(/^http\.(?!admin\.).*\.downstream_rq_active: (\d+)$/gm);
    return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
  } catch {
    return 0;
  }
}
