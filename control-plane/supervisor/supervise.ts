// Keeps one Envoy running: starts it, waits until it is ready, restarts it after a crash, replaces it, and drains it at
// the end.
import { GatewayError } from "../report/gateway-error.ts";
import type { Listener } from "../../model/model.ts";
import { stopAccepting, drain } from "./drain.ts";
import { type EnvoyCommand, type EnvoyLine, type EnvoyRun, startEnvoy } from "./envoy-process.ts";
import { hasAborted, keepRunning } from "./keep-running.ts";
import type { Report } from "./own-log.ts";
import type { ProcessIdentity } from "../processes/process-identity.ts";
import { missingForReadiness, waitUntilReady } from "./readiness.ts";

/** How one Envoy is started. Each Envoy needs its own admin socket. */
export interface EnvoyPlan {
  command: EnvoyCommand;
  adminSocket: string;
  /** Its listener for the limits of budgets; nothing listens there if none are configured. */
  budgetsSocket: string;
  /** The listeners that must respond. A reload may change them before a restart. */
  listeners: readonly Listener[];
  /** Drain timeout for open requests at shutdown. Milliseconds. */
  drainMs: number;
}

export interface SupervisorEvents {
  report: Report;
  /** Receives a line that Envoy wrote. */
  onLine: (line: EnvoyLine) => void;
  /** Gives an Envoy that has been started what it needs beside its files. Resolves when it has that. */
  onStart: (plan: EnvoyPlan) => Promise<void>;
  /** Receives the Envoy that serves requests, if one is running, and those that are draining or starting. */
  onEnvoys: (current: ProcessIdentity | undefined, others: ProcessIdentity[]) => void;
  /** Called when the last of the Envoys that were replaced has exited. */
  onDrained: () => void;
}

export interface Supervisor {
  /** Returns the admin socket of the Envoy that serves requests. */
  adminSocket: () => string;
  /** Returns how many requests of its listeners were this process's probes. */
  probes: () => Record<string, number>;
  /** Returns why that Envoy rejected a file; empty if it rejected none. */
  lastRejection: () => string;
  /**
   * Starts a second Envoy, and drains the old one when the new one is ready: both listen for a moment. Rejects with
   * Envoy's reason if it does not become ready; then the old one stays active.
   */
  replace: (plan: EnvoyPlan) => Promise<void>;
  /** Drains open requests; the second call does not wait for them. Resolves when Envoy has exited. */
  stop: () => Promise<void>;
  /** Makes Envoy reopen its log files. */
  reopenLogs: () => void;
  /** Resolves when Envoy has exited after `stop`. */
  ended: Promise<void>;
}

interface Running {
  plan: EnvoyPlan;
  run: EnvoyRun;
  /** Whether it has what `onStart` gives. */
  isEquipped: () => boolean;
  /** The probes of this process that it has responded to, by listener. */
  probes: Record<string, number>;
}

const READY_MS = 30_000;
/** Idle timeout of connections at shutdown, for which a user waits. */
const STOPPED_IDLE_MS = 250;
/** Idle timeout of a replaced Envoy's connections: no user waits, and its clients keep sending. */
const REPLACED_IDLE_MS = 5_000;

/** Starts Envoy and resolves when it is ready. Rejects with Envoy's own reason if it is not ready in time. */
export async function supervise(plan: EnvoyPlan, events: SupervisorEvents): Promise<Supervisor> {
  const stopping = new AbortController();
  const hasEnded = Promise.withResolvers<undefined>();
  const others = new Set<Running>();
  const start = (of: EnvoyPlan): Running => {
    const run = startEnvoy(of.command, events.onLine);
    let isEquipped = false;
    void events.onStart(of).then(() => (isEquipped = true));
    return { plan: of, run, isEquipped: () => isEquipped, probes: {} };
  };
  let current = start(plan);
  /** Aborted when the current Envoy is replaced: it is not restarted after that. */
  let replaced = new AbortController();

  const reportEnvoys = (isRunning = true) => {
    const ids = [...others].map(({ run }) => run.identity);
    events.onEnvoys(isRunning ? current.run.identity : undefined, ids);
  };

  /** Restarts the current Envoy whenever it exits unexpectedly, until it is replaced or the gateway stops. */
  const keep = async () => {
    const { signal } = (replaced = new AbortController());
    await keepRunning(current.run, AbortSignal.any([stopping.signal, signal]), {
      onCrash(run, how, pauseMs) {
        reportEnvoys(false);
        reportCrash(events, run, how, pauseMs);
      },
      restart() {
        current = start(current.plan);
        reportEnvoys();
        void reportReadiness(events, current);
        return current.run;
      },
    });
    if (signal.aborted) return;
    reportEnvoys(false);
    hasEnded.resolve(undefined);
  };

  const retire = async (old: Running): Promise<void> => {
    const limits = { longestMs: old.plan.drainMs, idleMs: REPLACED_IDLE_MS };
    await drain(old.plan.adminSocket, old.run, limits, events.report);
    others.delete(old);
    if (stopping.signal.aborted) return;
    reportEnvoys();
    if (others.size === 0) events.onDrained();
  };

  reportEnvoys();
  await firstReadiness(current);
  void keep();
  const retiring: Promise<void>[] = [];
  return {
    ended: hasEnded.promise.then(async () => {
      await Promise.all(retiring);
    }),
    adminSocket: () => current.plan.adminSocket,
    probes: () => current.probes,
    lastRejection: () => current.run.lastRejection(),
    reopenLogs: () => {
      for (const { run } of [current, ...others]) run.signal("SIGUSR1");
    },
    async replace(next) {
      const fresh = start(next);
      others.add(fresh);
      reportEnvoys();
      await firstReadiness(fresh).finally(() => {
        others.delete(fresh);
      });
      if (hasAborted(stopping.signal)) {
        fresh.run.signal("SIGKILL");
        await fresh.run.ended;
        throw new GatewayError("The gateway is stopping.");
      }
      const old = current;
      replaced.abort();
      current = fresh;
      void keep();
      others.add(old);
      reportEnvoys();
      await stopAccepting(old.plan.adminSocket);
      retiring.push(retire(old));
    },
    async stop() {
      if (stopping.signal.aborted) {
        for (const { run } of [current, ...others]) run.signal("SIGKILL");
      } else {
        stopping.abort();
        const { plan, run } = current;
        await stopAccepting(plan.adminSocket);
        const limits = { longestMs: plan.drainMs, idleMs: STOPPED_IDLE_MS };
        await drain(plan.adminSocket, run, limits, events.report);
      }
      await hasEnded.promise;
    },
  };
}

async function firstReadiness(started: Running): Promise<void> {
  const { run } = started;
  const isOver = () => run.hasEnded() || run.lastRejection() !== "";
  const missing = await readinessOf(started, isOver);
  const rejection = run.lastRejection();
  if (missing === undefined && rejection === "") return;
  const hasEnded = run.hasEnded();
  if (!hasEnded) run.signal("SIGKILL");
  const how = await run.ended;
  if (hasEnded) {
    const reason = run.lastError();
    throw new GatewayError(`Envoy exited during start (${how}).`, lastErrorHint(reason));
  }
  if (rejection !== "") {
    throw new GatewayError("Envoy rejected its configuration.", lastErrorHint(rejection));
  }
  const waited = `The gateway was not ready after ${String(READY_MS / 1000)} s: ${missing ?? ""}.`;
  throw new GatewayError(waited, lastErrorHint(run.lastError()));
}

/** Waits until an Envoy serves requests. Returns what is still missing when it cannot, or not in time. */
function readinessOf(
  { plan, isEquipped, probes }: Running,
  isOver: () => boolean,
): Promise<string | undefined> {
  const count = (name: string) => {
    probes[name] = (probes[name] ?? 0) + 1;
  };
  const missing = async () =>
    (await missingForReadiness(plan.adminSocket, plan.listeners, count)) ??
    (isEquipped() ? undefined : "it has no limits of the budgets yet");
  return waitUntilReady(missing, isOver, READY_MS);
}

function lastErrorHint(reason: string): { hint?: string } {
  return reason === "" ? {} : { hint: `Envoy's last log lines:\n${reason}` };
}

function reportCrash(
  { report }: SupervisorEvents,
  run: EnvoyRun,
  how: string,
  pause: number,
): void {
  report(`Envoy stopped unexpectedly (${how}); it is restarted in ${String(pause)} ms.`, "error");
  const reason = run.lastError();
  if (reason !== "") report(`Envoy's last log lines:\n${reason}`, "error");
}

async function reportReadiness({ report }: SupervisorEvents, running: Running): Promise<void> {
  const { run } = running;
  const missing = await readinessOf(running, run.hasEnded);
  if (missing === undefined) report("Envoy is ready again.");
  else if (!run.hasEnded()) report(`Envoy is not ready: ${missing}.`, "error");
}
