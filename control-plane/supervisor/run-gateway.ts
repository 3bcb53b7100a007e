// One run of the gateway in this process, from a loaded configuration to the last signal.
import { join } from "node:path";
import { changeLine } from "../../model/model-changes.ts";
import { commandFor } from "../report/command-name.ts";
import { formatProblem } from "../report/problem.ts";
import type { Configuration } from "./configuration-file.ts";
import { colorsFor } from "../report/terminal.ts";
import { credentialReports } from "../credentials/report.ts";
import { urlOf } from "../../model/listener-url.ts";
import { clusterOf } from "../../model/upstreams.ts";
import { TUNNEL_COMPONENT } from "../../model/names.ts";
import { VERSION } from "./package-version.ts";
import { ControlAudit, processActor, socketActor } from "./control-audit.ts";
import { watchAccessLogs } from "./access-logs.ts";
import { serveControl } from "./control.ts";
import type { EnvoyLine } from "./envoy-process.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
import { GATEWAY, type Report, setLogFormat, writeEntry } from "./own-log.ts";
import { logDirectory } from "./log-directory.ts";
import { endProcess, identityOf, isAlive, signal } from "../processes/process-identity.ts";
import { createObserver } from "./observer.ts";
import { createLogin } from "./login-service.ts";
import { needsRestart, type ReloadResult } from "./reload.ts";
import * as state from "./state.ts";
import type { Supervisor } from "./supervise.ts";
import { directoryOf } from "./configuration-file.ts";
import { tunnelFailures } from "./tunnel-failures.ts";
import { endUnused } from "./users.ts";
import { variablesDirectory } from "./variable-files.ts";
import { watchDirectory, watchFiles } from "./watch.ts";

export interface RunOptions extends GatewayOptions {
  /** Whether a change of the file triggers a reload. */
  watch: boolean;
  /** Whether it ends after the last command that uses it, as one that `gateway run` starts. */
  endsUnused: boolean;
  /** @param pageProblem why the live page and the metrics are not served; undefined if they are */
  onReady: (pageProblem: string | undefined) => void;
}

/** The component of Envoy's lines, with its own components after it: `envoy.wasm`. */
const ENVOY = "envoy";

/** How often a gateway that ends with its users looks for them. */
const UNUSED_MS = 500;

/** npm forwards a Ctrl-C that the terminal has also sent: within this time it is the same one. */
const SAME_SIGNAL_MS = 500;

/** Runs the gateway until SIGINT or SIGTERM; a second one does not wait for open requests. */
export async function run(configuration: Configuration, options: RunOptions): Promise<void> {
  setLogFormat(formatOf(configuration));
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

/** Handles signals, commands and the growth of log files while the gateway runs. */
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
      record.probes = gateway.supervisor.probes();
      record.logDirectory = gateway.logDirectory();
      record.missing = gateway.missing();
      Object.assign(record, served(gateway.current()));
      record.pageProblem = observability.problem();
      record.credentials = credentialReports(gateway.current().model, gateway.tokens());
    }
    record.auditDirectory = audit.directory;
    record.auditProblem = audit.problem;
    unlessItFails(() => {
      state.writeRecord(directory, record);
    });
  };
  const audit = new ControlAudit(directory, configuration, printLine, () => {
    if (gateway !== undefined) write();
  });
  let hasStarted = false;
  const signals = listenForSignals(endEnvoys);
  process.on("exit", endEnvoys); // whatever happens here, no Envoy outlives its gateway
  const closing: (() => void | Promise<void>)[] = [];
  const observability = createObserver(
    directory,
    () => gateway,
    printLine,
    audit,
    () => {
      write();
    },
  );
  const login = createLogin(
    directory,
    printLine,
    audit,
    (group) => gateway?.keys.hasGroup(group) === true,
    () => gateway?.sessionEnds,
  );
  closing.push(
    () => {
      audit.stopped();
    },
    observability.close,
    login.close,
  );
  try {
    gateway = await startGateway(configuration, directory, options, {
      report: printLine,
      onLine: reportEnvoyLine,
      onChange() {
        if (gateway !== undefined) setLogFormat(formatOf(gateway.current()));
        write();
        void observability.update();
        if (gateway !== undefined) void login.use(gateway.current());
      },
      onEnvoys(current, others) {
        if (current === undefined) delete record.envoy;
        else record.envoy = current;
        record.otherEnvoys = others;
        write();
      },
    });
    const { reload, close, supervisor, keys } = gateway;
    closing.push(close);
    write();
    await observability.update();
    await login.use(gateway.current());
    closing.push(watchLogs(gateway, record, write));
    const { current } = gateway;
    const reloadAndReport = async (asked: { restart: boolean }) => {
      const result = await reload(asked);
      reportReload(result);
      audit.reloaded(socketActor(), result, current());
      write();
      return result;
    };
    const reloadChanged = async () => {
      const result = await reload({ restart: false });
      // Triggered by the file, not by a user, and there is nothing to report.
      if (result.kind === "unchanged") return;
      reportReload(result);
      audit.reloaded(processActor("watch"), result, current());
      write();
    };
    const control = await serveControl(record.controlSocket, reloadAndReport, keys.api);
    closing.push(control.close);
    if (options.watch) {
      const { path } = configuration.file;
      const files = [path, join(directoryOf(configuration.file), ".env")];
      closing.push(watchFiles(files, () => void reloadChanged()));
      const variables = variablesDirectory(process.env);
      if (variables !== undefined)
        closing.push(watchDirectory(variables, () => void reloadChanged()));
      printLine(
        `Watching ${[path, ...(variables === undefined ? [] : [variables])].join(" and ")}`,
      );
    }
    signals.handOver(supervisor);
    if (options.endsUnused) closing.push(stopUnused(directory, supervisor));
    audit.started();
    hasStarted = true;
    options.onReady(observability.problem());
    await supervisor.ended;
  } catch (error) {
    if (!hasStarted) audit.started({ reason: error });
    if (!signals.stopped()) throw error;
  } finally {
    for (const close of closing.reverse()) await close();
    // The signals stay handled: a further one during shutdown must not become the exit code, nor leave the lock behind.
    process.off("exit", endEnvoys);
  }
}

/** Returns the record of this process, with the Envoys left by a gateway that was killed. */
function newRecord(
  configuration: Configuration,
  directory: string,
  { logDir, drainMs, endsUnused }: RunOptions,
): state.RunningRecord {
  const { file } = configuration;
  const last = state.readRecord(directory);
  return {
    gateway: identityOf(process.pid),
    otherEnvoys: (last === undefined ? [] : state.envoysOf(last)).filter(isAlive),
    version: VERSION,
    configuration: file.path,
    startedAt: new Date().toISOString(),
    logDirectory: logDirectory(configuration, logDir),
    drainMs,
    ...(endsUnused ? { endsUnused } : {}),
    adminSocket: state.socketPath(directory, "admin"),
    controlSocket: state.socketPath(directory, "control"),
    egressSocket: state.socketPath(directory, "egress"),
    ...served(configuration),
  };
}

/** Returns the part of the record that `status` reports of a configuration. */
function served({
  model,
  warnings,
}: Configuration): Pick<
  state.RunningRecord,
  "listeners" | "models" | "page" | "providers" | "warnings"
> {
  return {
    warnings: warnings.map(formatProblem),
    page: model.observability && urlOf(model.observability.metrics),
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

/** Starts the monitoring of the logs and returns a function that stops it. `status` reads a problem from the record. */
function watchLogs(
  { current, logDirectory, supervisor, addLost }: Gateway,
  record: state.RunningRecord,
  write: () => void,
): () => void {
  return watchAccessLogs(
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
        if (problem === undefined) addLost();
      },
    },
  );
}

/** Stops the gateway when nobody uses it any more. Returns a function that ends the check. */
function stopUnused(directory: string, supervisor: Supervisor): () => void {
  const timer = setInterval(() => {
    if (!endUnused(directory)) return;
    clearInterval(timer);
    printLine("Stopping: the command that started it has ended");
    void supervisor.stop();
  }, UNUSED_MS);
  return () => {
    clearInterval(timer);
  };
}

/** Runs the work and ignores its failure: a full disk must not end a gateway that serves requests. */
function unlessItFails(work: () => void): void {
  try {
    work();
  } catch (error) {
    printLine(`Internal error; the gateway keeps running: ${String(error)}`, "error");
  }
}

/**
 * SIGINT and SIGTERM stop, SIGUSR1 and SIGHUP reopen the log files. The SIGHUP of a closed terminal stops too: its user
 * is gone. Before the supervisor exists, `early` ends the processes that were started.
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

/**
 * Ends Envoys whose gateway was killed: they end without help, but may still use the ports, so a new gateway waits for
 * that.
 */
async function endOrphans(record: state.RunningRecord): Promise<void> {
  for (const orphan of record.otherEnvoys.splice(0)) {
    printLine(`Stopping the Envoy of a killed gateway (process ${String(orphan.pid)})`);
    await endProcess(orphan);
  }
}

/** Reports the result of a reload in the gateway's own log. */
function reportReload(result: ReloadResult): void {
  switch (result.kind) {
    case "unchanged":
      printLine("Reload: no changes");
      return;
    case "applied":
      printLine(result.hasRestarted ? "Reload complete (Envoy restarted)" : "Reload complete");
      for (const change of result.changes) printLine(`  ${changeLine(change)}`);
      return;
    case "invalid":
      printLine("Reload failed: the configuration is invalid", "error");
      for (const problem of result.problems) printLine(formatProblem(problem), "error");
      return;
    case "needs restart":
      printLine(
        `Reload: ${needsRestart(result.reasons)} Run: ${commandFor("reload --restart")}`,
        "warning",
      );
      return;
    case "failed":
      printLine(`Reload: ${result.message}`, "error");
      if (result.hint !== undefined) printLine(result.hint, "error");
  }
}

const formatOf = ({ model }: Configuration) => model.log?.format ?? "text";

/** Writes a line of the gateway's own to standard error: the terminal, or gateway.log. */
const printLine: Report = (line, level = "info") => {
  writeEntry(`· ${line}`, { level, component: GATEWAY, message: line });
};

const wordTunnelFailure = tunnelFailures();

function reportEnvoyLine({ level, text, component, ...line }: EnvoyLine): void {
  if (component === TUNNEL_COMPONENT) {
    const failure = wordTunnelFailure(line.message);
    if (failure !== undefined) printLine(failure, "warning");
    return;
  }
  // Envoy logs a warning when the gateway stops it.
  if (text.endsWith("caught ENVOY_SIGTERM")) return;
  const colors = colorsFor(process.stderr);
  const isGrave = level === "error" || level === "critical";
  writeEntry(`${colors.dim("envoy")} ${isGrave ? colors.red(text) : text}`, {
    ...line,
    level: level === "" ? "info" : level,
    component: component === "" ? ENVOY : `${ENVOY}.${component}`,
  });
}
