// `gateway up`: everything from the configuration file to a gateway that is ready, in the foreground or in the background.
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { extname, join } from "node:path";
import type { Environment } from "../../report/environment.ts";
import { commandFor } from "../../report/command-name.ts";
import {
  type Configuration,
  readConfiguration,
  textOf,
} from "../../supervisor/configuration-file.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { formatProblem, type Problem } from "../../report/problem.ts";
import { type ExitCode, GatewayError } from "../../report/gateway-error.ts";
import { checkLogs, logDirectory, prepareLogDirectory } from "../../supervisor/log-directory.ts";
import { VERSION } from "../../supervisor/package-version.ts";
import { GATEWAY, type ReportLevel, setLogFormat, writeEntry } from "../../supervisor/own-log.ts";
import { GATEWAY_LOG } from "../../supervisor/rotation.ts";
import { colorsFor } from "../../report/terminal.ts";
import { noteBuiltIn } from "./built-in.ts";
import type { UpOptions } from "../command-options.ts";
import { screen } from "./screen.ts";
import { printWarnings } from "./validate.ts";

/** Compiled or not, as this file is. */
const COMMAND_LINE = `../../cli${extname(import.meta.filename)}`;

const NEXT_COMMANDS = ["status", "logs --follow", "down"]
  .map((words) => commandFor(words))
  .join("   ");

/** What the background gateway reports to the command that started it. */
type Announcement =
  | { kind: "ready"; pid: number; pageProblem?: string | undefined }
  | { kind: "failed"; message: string; hint?: string | undefined; exitCode: ExitCode };

type Announced = Extract<Announcement, { kind: "ready" }>;

/** A gateway in the background, and its own log file. */
export type Started = Announced & { ownLog: string };

/** Runs until it is stopped, or with --detach until the gateway is ready. */
export async function up(config: string | undefined, options: UpOptions): Promise<void> {
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  const configuration = readConfiguration(file, process.env);
  const directory = logDirectory(configuration, options.logDir);
  const ready = (pageProblem: string | undefined) => {
    const places = { logDirectory: directory, pageProblem };
    const lines = screen(configuration.model, places, colorsFor(process.stdout));
    for (const line of lines) console.log(line);
  };
  const isBackground = process.send !== undefined && options.announce === true;
  if (options.docker === true || (await isContainerOnly(configuration.environment))) {
    noteBuiltIn(file);
    printWarnings(configuration.warnings);
    prepareLogDirectory(directory);
    checkLogs(directory, configuration);
    const { runContainer, startContainer } = await import("./up-in-container.ts");
    const text = textOf(file, configuration.environment);
    const start = { configuration, text, logDirectory: directory, options };
    if (options.detach !== true) {
      process.exitCode = await runContainer(start);
      return;
    }
    const { name, pageProblem } = await startContainer(start);
    ready(pageProblem);
    console.log(`\nRunning in the container ${name}. Log: docker logs ${name}`);
    console.log(NEXT_COMMANDS);
    return;
  }
  // The command that starts a background process has downloaded everything for it.
  if (!isBackground) await download(configuration);
  if (options.detach === true) {
    const { pid, pageProblem, ownLog } = await runInBackground(config, configuration, options);
    ready(pageProblem);
    console.log(`\nRunning in the background (process ${String(pid)}). Log: ${ownLog}`);
    console.log(NEXT_COMMANDS);
    return;
  }
  // From here on, standard error is the gateway's own log.
  const isJson = configuration.model.log?.format === "json";
  setLogFormat(isJson ? "json" : "text");
  if (!isBackground) {
    noteBuiltIn(file);
    if (isJson) logWarnings(configuration.warnings);
    else printWarnings(configuration.warnings);
  }
  // With --detach only the process in the background loads it.
  const { run } = await import("../../supervisor/run-gateway.ts");
  try {
    await run(configuration, {
      logDir: options.logDir,
      watch: options.watch === true,
      accessLogOnStdout: options.accessLog === "stdout",
      logLevel: options.logLevel,
      concurrency: options.concurrency,
      drainMs: options.drainTime,
      reloadDrainMs: options.reloadDrainTime,
      endsUnused: options.endsUnused === true,
      onReady: (pageProblem) => {
        if (isJson) logEntry("info", `The gateway ${VERSION} is ready.`);
        if (isBackground) announce({ kind: "ready", pid: process.pid, pageProblem });
        else if (!isJson) {
          ready(pageProblem);
          console.log("\nCtrl-C stops it.");
        }
      },
    });
  } catch (error) {
    if (isBackground && error instanceof GatewayError) {
      const { message, hint, exitCode } = error;
      announce({ kind: "failed", message, hint, exitCode });
    }
    throw error;
  }
}

/** Starts the gateway in the background. Returns when it is ready; throws what kept it from starting. */
export async function startInBackground(
  config: string | undefined,
  configuration: Configuration,
  options: UpOptions,
): Promise<Started> {
  const { hasEnvoy } = await import("../../download/envoy.ts");
  if (!hasEnvoy(configuration.environment)) {
    throw new GatewayError("There is no Envoy 1.40 for this machine.", {
      hint: `Start the container image first: ${commandFor("up --docker --detach")}.`,
    });
  }
  await download(configuration);
  return runInBackground(config, configuration, options);
}

/** Downloads what this machine does not have yet. */
async function download({ model, environment }: Configuration): Promise<void> {
  const { fetchMissing } = await import("../../download/first-use.ts");
  const { progressOn } = await import("../../download/progress.ts");
  await fetchMissing(model, environment, progressOn(process.stderr));
}

/** Whether this machine has to run the container image, because there is no Envoy for it. Reports that. */
async function isContainerOnly(environment: Environment): Promise<boolean> {
  const { hasEnvoy } = await import("../../download/envoy.ts");
  if (hasEnvoy(environment)) return false;
  console.error(
    `· There is no Envoy 1.40 for ${process.platform} on ${process.arch} (ENVOY_BIN may name one): starting the container image, as with --docker.`,
  );
  return true;
}

function logWarnings(warnings: readonly Problem[]): void {
  for (const warning of warnings) logEntry("warning", formatProblem(warning));
}

function logEntry(level: ReportLevel, message: string): void {
  writeEntry(message, { level, component: GATEWAY, message });
}

function announce(announcement: Announcement): void {
  process.send?.(announcement, undefined, undefined, () => {
    process.disconnect();
  });
}

/** Starts this command in a new session and waits for its report. Returns that. */
async function runInBackground(
  config: string | undefined,
  configuration: Configuration,
  options: UpOptions,
): Promise<Started> {
  noteBuiltIn(configuration.file);
  printWarnings(configuration.warnings);
  const directory = logDirectory(configuration, options.logDir);
  prepareLogDirectory(directory);
  checkLogs(directory, configuration);
  const ownLog = join(directory, GATEWAY_LOG);
  return { ...(await spawnInBackground(config, options, ownLog)), ownLog };
}

function spawnInBackground(
  config: string | undefined,
  options: UpOptions,
  logFile: string,
): Promise<Announced> {
  const log = openSync(logFile, "a");
  const words = ["up", "--announce", "--log-level", options.logLevel].concat(
    ["--access-log", options.accessLog, "--drain-time", `${String(options.drainTime)}ms`],
    ["--reload-drain-time", `${String(options.reloadDrainTime)}ms`],
    options.watch === true ? ["--watch"] : [],
    options.endsUnused === true ? ["--ends-unused"] : [],
    options.logDir === undefined ? [] : ["--log-dir", options.logDir],
    options.concurrency === undefined ? [] : ["--concurrency", String(options.concurrency)],
    config === undefined ? [] : ["--", config],
  );
  const child = spawn(process.execPath, [join(import.meta.dirname, COMMAND_LINE), ...words], {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  const stopChild = () => {
    child.kill("SIGTERM");
  };
  process.once("SIGINT", stopChild).once("SIGTERM", stopChild);
  return new Promise<Announced>((resolve, reject) => {
    child.once("message", (announcement: Announcement) => {
      if (announcement.kind === "ready") {
        child.unref();
        resolve(announcement);
      } else reject(new GatewayError(announcement.message, announcement));
    });
    child.once("exit", (code, signal) => {
      const how = signal ?? `exit code ${String(code)}`;
      reject(
        new GatewayError(`The gateway exited before it was ready (${how}).`, {
          hint: `See the log: ${logFile}`,
        }),
      );
    });
  }).finally(() => {
    process.off("SIGINT", stopChild).off("SIGTERM", stopChild);
  });
}
