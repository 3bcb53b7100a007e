// One run of the gateway in this process, from a loaded configuration to the last signal.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { renderBootstrap } from "../../envoy/bootstrap.ts";
import type { Place } from "../../envoy/place.ts";
import { toYaml } from "../../envoy/yaml.ts";
import type { Configuration } from "../configuration-file.ts";
import { startDemonstrationModel } from "../demonstration-model.ts";
import { ENVOY_VERSION, requireEnvoy } from "../envoy-binary.ts";
import { GatewayError } from "../errors.ts";
import type { GatewayModel } from "../model.ts";
import { modelServerInput } from "../model-server-input.ts";
import type { LogLevel } from "../names.ts";
import { colorsFor } from "../terminal.ts";
import { VERSION } from "../version.ts";
import { startCertificates } from "./certificates.ts";
import { envoyEnvironment, type EnvoyLine } from "./envoy-process.ts";
import { FILTER_FILE, prepareLogDirectory, requireCaFile } from "./place.ts";
import { modelServerEnvironment, superviseModelServer } from "./model-server.ts";
import { checkPorts, freePort } from "./ports.ts";
import { endProcess, identityOf, isAlive, signal } from "./process-identity.ts";
import { urlOf } from "./readiness.ts";
import { createRotation } from "./rotation.ts";
import * as state from "./state.ts";
import { type Supervisor, supervise } from "./supervise.ts";

export interface RunOptions {
  /** Absolute. */
  logDirectory: string;
  accessLogOnStdout: boolean;
  logLevel: LogLevel;
  /** Envoy's worker threads; one per processor when absent. */
  concurrency: number | undefined;
  /** How long open requests may take to end after the first signal. */
  drainMs: number;
  onReady: () => void;
}

/** What is to be done at the end, the last thing first. */
type Closing = (() => void | Promise<void>)[];

const ROTATION_MS = 2_000;
/** npm passes a Ctrl-C on that the terminal has sent already: within this time it is the same one. */
const SAME_SIGNAL_MS = 500;

/** Runs the gateway until SIGINT or SIGTERM; a second one does not wait for open requests. */
export async function run(configuration: Configuration, options: RunOptions): Promise<void> {
  const { model, file, environment } = configuration;
  const envoy = requireEnvoy(environment);
  const directory = state.stateDirectory(file, environment);
  const closing: Closing = [];
  try {
    state.takeState(directory);
    closing.push(() => {
      state.leaveState(directory);
    });
    await endOrphan(directory);
    await checkPorts([model.ingress, model.egress]);
    prepareLogDirectory(options.logDirectory);
    const place = await preparePlace(configuration, directory, options, closing);
    const configurationFile = join(directory, "envoy.yaml");
    state.writePrivately(configurationFile, toYaml(renderBootstrap(model, place)));
    const certificates = startCertificates(model, state.secretsDirectory(directory), say);
    closing.push(certificates.stop);
    say(`Starting Envoy ${ENVOY_VERSION} on ports ${portsOf(model)}`);
    const command = {
      file: envoy.file,
      configurationFile,
      logLevel: options.logLevel,
      concurrency: options.concurrency ?? availableParallelism(),
      passesStdout: options.accessLogOnStdout,
      environment: envoyEnvironment(environment, model.filterEnvironment),
    };
    await attend({ command, place, directory, configuration, options });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** The filter is copied: a rebuild in the checkout must not reach an Envoy that is started again. */
async function preparePlace(
  configuration: Configuration,
  directory: string,
  { logDirectory, accessLogOnStdout }: RunOptions,
  closing: Closing,
): Promise<Place> {
  const { model, environment } = configuration;
  const filterPath = join(directory, "filter.wasm");
  state.writePrivately(filterPath, readFilter());
  const place = {
    filterPath,
    logDirectory,
    accessLogOnStdout,
    adminSocketPath: state.adminSocketPath(directory),
    ownEgressSocketPath: state.ownEgressSocketPath(directory),
    secretsDirectory: state.secretsDirectory(directory),
    caFile: requireCaFile(model, environment),
  };
  return {
    ...place,
    demonstrationPort: await demonstrationPort(model, closing),
    modelServerPort: await modelServerPort(configuration, place.ownEgressSocketPath, closing),
  };
}

/** 0 where nobody wants it. */
async function demonstrationPort(model: GatewayModel, closing: Closing): Promise<number> {
  if (!model.targets.some(({ address }) => address.kind === "embedded")) return 0;
  const demonstration = await startDemonstrationModel();
  closing.push(demonstration.close);
  return demonstration.port;
}

/**
 * Where the model server listens; 0 where nobody wants it. When it cannot start, a guard keeps the gateway from
 * starting too. Without a guard prompts go to their model as if there were no targets, and the start says so.
 */
async function modelServerPort(
  { model, environment }: Configuration,
  socketPath: string,
  closing: Closing,
): Promise<number> {
  const { prompt } = model;
  if (prompt === undefined) return 0;
  const port = await freePort();
  const egress = { url: urlOf(model.egress), socketPath };
  try {
    const server = await superviseModelServer({
      input: modelServerInput(model, prompt, { port, egress }),
      environment: modelServerEnvironment(environment, prompt.modelServer.environment),
      report: say,
    });
    closing.push(server.stop);
  } catch (error) {
    if (!(error instanceof GatewayError) || prompt.guard !== undefined) throw error;
    say(`${error.message} Prompt targets are off: prompts go to their model without them.`);
    if (error.hint !== undefined) say(error.hint);
  }
  return port;
}

function readFilter(): Uint8Array {
  try {
    return readFileSync(FILTER_FILE);
  } catch {
    throw new GatewayError(`The compiled filter is not there (${FILTER_FILE}).`, {
      hint: "Run `npm run build:filter` in the checkout.",
    });
  }
}

interface Attended {
  command: Parameters<typeof supervise>[0]["command"];
  place: Place;
  directory: string;
  configuration: Configuration;
  options: RunOptions;
}

/** Supervises Envoy while signals come in and log files grow. */
async function attend({ command, place, directory, configuration, options }: Attended) {
  const { model, file } = configuration;
  const record: state.RunningRecord = {
    gateway: identityOf(process.pid),
    version: VERSION,
    configuration: file.path,
    startedAt: new Date().toISOString(),
    logDirectory: options.logDirectory,
    drainMs: options.drainMs,
    adminSocket: place.adminSocketPath,
    listeners: [model.ingress, model.egress].map(({ name, address, port }) => ({
      name,
      address,
      port,
    })),
    models: model.targets.map(({ name }) => name),
  };
  const endEnvoy = () => {
    if (record.envoy !== undefined) signal(record.envoy, "SIGTERM");
  };
  const signals = listenForSignals(endEnvoy);
  process.on("exit", endEnvoy); // whatever happens here, no Envoy is left without a gateway
  try {
    const supervisor = await supervise({
      command,
      adminSocket: place.adminSocketPath,
      listeners: [model.ingress, model.egress],
      drainMs: options.drainMs,
      report: say,
      onLine: sayEnvoy,
      onEnvoy: (envoy) => {
        if (envoy === undefined) delete record.envoy;
        else record.envoy = envoy;
        unlessItFails(() => {
          state.writeRecord(directory, record);
        });
      },
    });
    const { accessLog } = model;
    const rotation = createRotation(
      { ...accessLog, directory: options.logDirectory },
      supervisor.reopenLogs,
    );
    const timer = setInterval(unlessItFails, ROTATION_MS, rotation.check);
    signals.handOver(supervisor);
    options.onReady();
    await supervisor.ended;
    clearInterval(timer);
  } catch (error) {
    if (!signals.stopped()) throw error;
  } finally {
    // The signals stay caught: one more while this ends must not become its exit code, nor leave the lock behind.
    process.off("exit", endEnvoy);
  }
}

/** A full disk must not end a gateway that answers requests. */
function unlessItFails(work: () => void): void {
  try {
    work();
  } catch (error) {
    say(`This failed, and the gateway goes on: ${String(error)}`);
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
    say(stoppedAt === undefined ? "Stopping" : "Stopping at once");
    stoppedAt ??= now;
    if (supervisor === undefined) early();
    else void supervisor.stop();
  };
  const reopen = () => {
    if (supervisor === undefined) return;
    say("Opening the log files anew");
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

/** An Envoy whose gateway was killed still has the ports: it is ended before a new one starts. */
async function endOrphan(directory: string): Promise<void> {
  const orphan = state.readRecord(directory)?.envoy;
  if (orphan === undefined || !isAlive(orphan)) return;
  say(`Ending the Envoy of a gateway that was killed (process ${String(orphan.pid)})`);
  await endProcess(orphan);
}

function portsOf({ ingress, egress }: GatewayModel): string {
  return `${String(ingress.port)} and ${String(egress.port)}`;
}

/** A line of the gateway's own, to standard error: the terminal, or gateway.log. */
function say(line: string): void {
  console.error(`· ${line}`);
}

function sayEnvoy({ level, text }: EnvoyLine): void {
  // The gateway's own way of ending it, which Envoy calls a warning.
  if (text.endsWith("caught ENVOY_SIGTERM")) return;
  const colors = colorsFor(process.stderr);
  const isGrave = level === "error" || level === "critical";
  console.error(`${colors.dim("envoy")} ${isGrave ? colors.red(text) : text}`);
}
