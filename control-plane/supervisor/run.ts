// One run of the gateway in this process, from a loaded configuration to the last signal.
import { dirname, join } from "node:path";
import { changeLine } from "../ir/changes.ts";
import { commandFor } from "../config/diagnostics/command-name.ts";
import { formatProblem } from "../config/diagnostics/problem.ts";
import type { Configuration } from "./configuration-file.ts";
import { colorsFor } from "../config/diagnostics/terminal.ts";
import { clusterOf } from "../ir/upstreams.ts";
import { VERSION } from "./version.ts";
import { attendAccessLogs } from "./access-logs.ts";
import { serveControl } from "./control.ts";
import type { EnvoyLine } from "./envoy-process.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
import { writeLine } from "./own-log.ts";
import { logDirectory } from "./runtime-environment.ts";
import { endProcess, identityOf, isAlive, signal } from "./process-identity.ts";
import { needsRestart, type ReloadResult } from "./reload.ts";
import * as state from "./state.ts";
import type { Supervisor } from "./supervise.ts";
import { watchFiles } from "./watch.ts";

export interface RunOptions extends GatewayOptions {
  /** Whether a change of the file is a reload. */
  watch: boolean;
  onReady: () => void;
}

/** npm passes a Ctrl-C on that the terminal has sent already: within this time it is the same one. */
const SAME_SIGNAL_MS = 500;

/** Runs the gateway until SIGINT or SIGTERM; a second one does not wait for open requests. */
export async function run(configuration: Configuration, options: RunOptions): Promise<void> {
  const directory = state.stateDirectory(configuration.file, configuration.environment);
  state.takeState(directory);
  try {
    const record = newRecord(configuration, directory, options);
    state.writeRecord(directory, record);
    await endOrphans(record);
    state.removeSockets(directory);
    await attend(configuration, directory, record, options);
  } finally {
    state.leaveState(directory);
  }
}

/** Looks after the gateway while signals and commands come in and log files grow. */
async function attend(
  configuration: Configuration,
  directory: string,
  record: state.RunningRecord,
  options: RunOptions,
): Promise<void> {
  const endEnvoys = () => {
    for (const envoy of state.envoysOf(record)) signal(envoy, "SIGTERM");
  };
  let gateway: Gateway | undefined;
  const write = () => {
    if (gateway !== undefined) {
      record.adminSocket = gateway.supervisor.adminSocket();
      record.logDirectory = gateway.logDirectory();
      record.missing = gateway.missing();
      Object.assign(record, served(gateway.current()));
    }
    unlessItFails(() => {
      state.writeRecord(directory, record);
    });
  };
  const signals = listenForSignals(endEnvoys);
  process.on("exit", endEnvoys); // whatever happens here, no Envoy is left without a gateway
  const closing: (() => void | Promise<void>)[] = [];
  try {
    gateway = await startGateway(configuration, directory, options, {
      report: printLine,
      onLine: sayEnvoy,
      onChange: write,
      onEnvoys(current, others) {
        if (current === undefined) delete record.envoy;
        else record.envoy = current;
        record.otherEnvoys = others;
        write();
      },
    });
    const { reload, close, supervisor } = gateway;
    closing.push(close);
    write();
    closing.push(attendLogs(gateway, record, write));
    const reloadAndSay = async (asked: { restart: boolean }) => {
      const result = await reload(asked);
      sayReload(result);
      return result;
    };
    const reloadChanged = async () => {
      const result = await reload({ restart: false });
      // Nobody asked, and there is nothing to report.
      if (result.kind !== "unchanged") sayReload(result);
    };
    const control = await serveControl(record.controlSocket, reloadAndSay);
    closing.push(control.close);
    if (options.watch) {
      const { path } = configuration.file;
      const files = [path, join(dirname(path), ".env")];
      closing.push(watchFiles(files, () => void reloadChanged()));
      printLine(`Watching ${path}`);
    }
    signals.handOver(supervisor);
    options.onReady();
    await supervisor.ended;
  } catch (error) {
    if (!signals.stopped()) throw error;
  } finally {
    for (const close of closing.reverse()) await close();
    // The signals stay caught: one more while this ends must not become its exit code, nor leave the lock behind.
    process.off("exit", endEnvoys);
  }
}

/** Of this process, with the Envoys that it takes over from one that was killed. */
function newRecord(
  configuration: Configuration,
  directory: string,
  { logDir, drainMs }: RunOptions,
): state.RunningRecord {
  const { file, model, environment } = configuration;
  const last = state.readRecord(directory);
  return {
    gateway: identityOf(process.pid),
    otherEnvoys: (last === undefined ? [] : state.envoysOf(last)).filter(isAlive),
    version: VERSION,
    configuration: file.path,
    startedAt: new Date().toISOString(),
    logDirectory: logDirectory(model, environment, logDir),
    drainMs,
    adminSocket: state.socketPath(directory, "admin"),
    controlSocket: state.socketPath(directory, "control"),
    egressSocket: state.socketPath(directory, "egress"),
    ...served(configuration),
  };
}

/** What `status` reports of a configuration. */
function served({
  model,
  warnings,
}: Configuration): Pick<state.RunningRecord, "listeners" | "models" | "providers" | "warnings"> {
  return {
    warnings: warnings.map(formatProblem),
    listeners: [model.ingress, model.egress].map(({ name, address, port, tls }) => ({
      name,
      address,
      port,
      ...(tls === undefined ? {} : { tls }),
    })),
    models: model.targets.map(({ name }) => name),
    providers: [...Map.groupBy(model.targets, ({ provider }) => provider)].map(
      ([name, targets]) => ({
        name,
        clusters: [...new Set(targets.map(clusterOf))],
        authorities: [...new Set(targets.map(({ authority }) => authority))],
      }),
    ),
  };
}

/** Returns what ends it. `status` shows a problem by the record. */
function attendLogs(
  { current, logDirectory, supervisor }: Gateway,
  record: state.RunningRecord,
  write: () => void,
): () => void {
  return attendAccessLogs(
    {
      rules: () => ({ ...current().model.accessLog, directory: logDirectory() }),
      adminSocket: supervisor.adminSocket,
      reopen: supervisor.reopenLogs,
    },
    {
      report: printLine,
      onProblem(problem) {
        if (problem === undefined) delete record.accessLogProblem;
        else record.accessLogProblem = problem;
        write();
      },
    },
  );
}

/** A full disk must not end a gateway that answers requests. */
function unlessItFails(work: () => void): void {
  try {
    work();
  } catch (error) {
    printLine(`Internal error; the gateway keeps running: ${String(error)}`);
  }
}

/**
 * SIGINT and SIGTERM stop, SIGUSR1 and SIGHUP reopen the log files. A SIGHUP of a terminal that closes
 * stops too: there is nobody left to look. Until there is a supervisor, `early` ends what has been started.
 */
function listenForSignals(early: () => void) {
  let supervisor: Supervisor | undefined;
  let stoppedAt: number | undefined;
  const stop = () => {
    const now = performance.now();
    if (stoppedAt !== undefined && now - stoppedAt < SAME_SIGNAL_MS) return;
    printLine(stoppedAt === undefined ? "Stopping" : "Stopping at once");
    stoppedAt ??= now;
    if (supervisor === undefined) early();
    else void supervisor.stop();
  };
  const reopen = () => {
    if (supervisor === undefined) return;
    printLine("Reopening log files");
    supervisor.reopenLogs();
  };
  const handlers: [NodeJS.Signals, () => void][] = [
    ["SIGINT", stop],
    ["SIGTERM", stop],
    ["SIGHUP", process.stdin.isTTY ? stop : reopen],
    ["SIGUSR1", reopen],
  ];
  for (const [name, handler] of handlers) process.on(name, handler);
  return {
    handOver(running: Supervisor) {
      supervisor = running;
      if (stoppedAt !== undefined) void running.stop();
    },
    stopped: () => stoppedAt !== undefined,
  };
}

/** Envoys whose gateway was killed end by themselves, but may still have the ports: a new one waits for that. */
async function endOrphans(record: state.RunningRecord): Promise<void> {
  for (const orphan of record.otherEnvoys.splice(0)) {
    printLine(`Stopping the Envoy of a killed gateway (process ${String(orphan.pid)})`);
    await endProcess(orphan);
  }
}

/** What came of a reload, for whoever reads the gateway's own log. */
function sayReload(result: ReloadResult): void {
  switch (result.kind) {
    case "unchanged":
      printLine("Reload: no changes");
      return;
    case "applied":
      printLine(result.hasRestarted ? "Reload complete (Envoy restarted)" : "Reload complete");
      for (const change of result.changes) printLine(`  ${changeLine(change)}`);
      return;
    case "invalid":
      printLine("Reload failed: the configuration is invalid");
      for (const problem of result.problems) printLine(formatProblem(problem));
      return;
    case "needs restart":
      printLine(`Reload: ${needsRestart(result.reasons)} Run: ${commandFor("reload --restart")}`);
      return;
    case "failed":
      printLine(`Reload: ${result.message}`);
      if (result.hint !== undefined) printLine(result.hint);
  }
}

/** A line of the gateway's own, to standard error: the terminal, or gateway.log. */
function printLine(line: string): void {
  writeLine(`· ${line}`);
}

function sayEnvoy({ level, text }: EnvoyLine): void {
  // The gateway's own way of ending it, which Envoy calls a warning.
  if (text.endsWith("caught ENVOY_SIGTERM")) return;
  const colors = colorsFor(process.stderr);
  const isGrave = level === "error" || level === "critical";
  writeLine(`${colors.dim("envoy")} ${isGrave ? colors.red(text) : text}`);
}
