// Runs one model server in a separate process, and restarts it when it stops unexpectedly.
import { type ChildProcess, fork } from "node:child_process";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { ModelServerInput } from "../model-server/options.ts";
import { keepRunning, type Run, terminate } from "./keep-running.ts";
import type { Report } from "./own-log.ts";
import { watchPulse } from "./model-server-pulse.ts";
import type { ModelServerMessage, ModelServerOrder } from "./model-server-child.ts";

export interface ModelServerPlan {
  /** The unix socket on which it listens. */
  socketPath: string;
  input: ModelServerInput;
  /** The environment of its process. */
  environment: Environment;
  report: Report;
  /** Receives why it is unavailable at the moment; undefined as soon as it is available again. */
  onMissing?: (why: string | undefined) => void;
}

export interface RunningModelServer {
  /** Returns its process id; undefined between two runs. */
  pid: () => number | undefined;
  /** Stops it. Resolves when it has exited. */
  stop: () => Promise<void>;
}

/** The extension follows this file's: compiled or not. */
const PROGRAM = join(import.meta.dirname, `model-server-child${extname(import.meta.filename)}`);
const READY_MS = 30_000;

/**
 * With these settings and a small young generation in Node it stays below 250 MB after long prompts, instead of 380:
 * glibc's allocator would keep a pool for each thread, and memory that was freed. Names of mallopt(3).
 */
const SMALL_MEMORY = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "1000000" };

/** Variables that Node and the models read themselves; keys are passed only if the configuration refers to them. */
const PASSED_VARIABLES = [
  ...["PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "LANG", "TZ", "HF_HOME"],
  ...["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY"],
  "NODE_COMPILE_CACHE",
];

export function modelServerEnvironment(
  all: Environment,
  variables: readonly string[],
): Environment {
  const names = [...PASSED_VARIABLES, ...variables].filter((name) => all[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/**
 * Starts the model server and resolves when it is ready. Rejects with a GatewayError that names the reason; then no
 * process is left.
 */
export async function superviseModelServer(plan: ModelServerPlan): Promise<RunningModelServer> {
  const stopping = new AbortController();
  let current = start(plan);
  await current.ready;
  const ended = keepRunning(current, stopping.signal, {
    onCrash(_run, how, pauseMs) {
      const what = `The model server stopped unexpectedly (${how})`;
      plan.report(`${what}; it is restarted in ${String(pauseMs)} ms.`, "error");
      plan.onMissing?.(`${what} and is being restarted.`);
    },
    restart() {
      current = start(plan);
      void reportReadiness(plan, current);
      return current;
    },
  });
  return {
    pid: () => (current.hasEnded() ? undefined : current.pid),
    async stop() {
      stopping.abort();
      current.end();
      await ended;
    },
  };
}

async function reportReadiness({ report, onMissing }: ModelServerPlan, { ready }: ModelServerRun) {
  try {
    await ready;
    report("The model server is ready again.");
    onMissing?.(undefined);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    report(why, "error");
    onMissing?.(why);
  }
}

interface ModelServerRun extends Run {
  pid: number | undefined;
  /** Resolves when it is ready; rejects with a GatewayError. */
  ready: Promise<void>;
  hasEnded: () => boolean;
  end: () => void;
}

/**
 * Starts the process in its own process group: a Ctrl-C in the terminal stops the gateway, which drains open requests
 * first.
 */
function start(plan: ModelServerPlan): ModelServerRun {
  const { socketPath, input, environment, report } = plan;
  const child = fork(PROGRAM, {
    env: { ...SMALL_MEMORY, ...environment },
    execArgv: ["--max-semi-space-size=4"],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      report(`model server: ${line}`);
    });
  }
  /** Aborted when the process is stopped on purpose or has exited. */
  const over = new AbortController();
  const { ended, hasEnded } = endOf(child, over);
  const ready = readiness(child, ended);
  // The first start waits for `ready`; restarts do not.
  ready.then(
    () => void attend(plan, child, over.signal),
    () => undefined,
  );
  child.send({ socketPath, input } satisfies ModelServerOrder, () => undefined);
  return {
    pid: child.pid,
    ready,
    ended,
    hasEnded,
    end: () => {
      over.abort();
      void terminate((name) => child.kill(name), ended);
    },
  };
}

function endOf(
  child: ChildProcess,
  over: AbortController,
): Pick<ModelServerRun, "ended" | "hasEnded"> {
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    const settle = (how: string) => {
      hasEnded = true;
      over.abort();
      resolve(how);
    };
    child.once("exit", (code, name) => {
      settle(name === null ? `exit code ${String(code)}` : `signal ${name}`);
    });
    child.once("error", ({ message }) => {
      settle(message);
    });
  });
  return { ended, hasEnded: () => hasEnded };
}

/** Checks whether it responds until it exits, and kills it when it has not responded for too long. */
async function attend(plan: ModelServerPlan, child: ChildProcess, over: AbortSignal) {
  const onChange = (responds: boolean) => {
    const what = `The model server ${responds ? "responds again" : "does not respond"}.`;
    plan.report(what, responds ? "info" : "warning");
    plan.onMissing?.(responds ? undefined : what);
  };
  const onSilence = () => {
    plan.report("The model server did not respond for too long and is restarted.", "error");
    child.kill("SIGKILL");
  };
  await watchPulse(plan.socketPath, { onChange, onSilence }, over);
}

async function readiness(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const timer = new AbortController();
  const message = new Promise<ModelServerMessage>((resolve) => {
    child.once("message", (message) => {
      resolve(message as ModelServerMessage);
    });
  });
  const tooLate = sleep(READY_MS, undefined, { signal: timer.signal, ref: false }).then(
    (): ModelServerMessage => {
      child.kill("SIGKILL");
      return { kind: "failed", message: `it was not ready after ${String(READY_MS / 1000)} s` };
    },
    (): ModelServerMessage => ({ kind: "ready" }),
  );
  const early = ended.then((how): ModelServerMessage => ({
    kind: "failed",
    message: `it exited during start (${how})`,
  }));
  const first = await Promise.race([message, tooLate, early]);
  timer.abort();
  if (first.kind === "ready") return;
  await ended;
  const hint = first.hint === undefined ? {} : { hint: first.hint };
  throw new GatewayError(`The model server did not start: ${first.message}`, hint);
}
