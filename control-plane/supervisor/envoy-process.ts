// One run of Envoy: its arguments, environment and output.
import { createInterface } from "node:readline";
import type { Environment } from "../report/environment.ts";
import type { LogLevel } from "../../model/names.ts";
import { spawnWithLifeline } from "./lifeline.ts";
import { identityOf, type ProcessIdentity } from "../processes/process-identity.ts";

export interface EnvoyCommand {
  file: string;
  configurationFile: string;
  logLevel: LogLevel;
  concurrency: number;
  /**
   * Whether Envoy's standard output, which contains only access log lines, is passed to this process's standard output.
   */
  passesStdout: boolean;
  /** Drain timeout for connections of a changed listener. Milliseconds. */
  listenerDrainMs: number;
  environment: Environment;
}

export interface EnvoyRun {
  identity: ProcessIdentity;
  /** Resolves with how it ended: `exit code 1`, `signal SIGSEGV`. */
  ended: Promise<string>;
  hasEnded: () => boolean;
  signal: (name: NodeJS.Signals) => void;
  /** Returns the reason in Envoy's last lines; empty if it logged none. */
  lastError: () => string;
  /** Returns why Envoy rejected the last rejected file; empty if it rejected none. */
  lastRejection: () => string;
}

export interface EnvoyLine {
  /** Empty for a line without Envoy's format, such as the second line of a message. */
  level: string;
  /** Absent with the level. */
  time?: Date;
  component: string;
  message: string;
  /** `2026-01-31 10:00:00.000 warning wasm message`, or a line without Envoy's format. */
  text: string;
}

/**
 * Between two writes of access log lines, which a crash of Envoy loses: what budgets have charged with them. 12,000 requests take as
 * much processor time as with 1,000.
 */
const FLUSH_MS = 200;
/** Level, component and message in one line; `lastError` and `onLine` rely on it. */
const LOG_FORMAT = "%Y-%m-%d %T.%e\t%l\t%n\t%v";
const KEPT_LINES = 40;
const REJECTION = /Filesystem config update (?:rejected|failure): (.*)$/;

/** Variables that Envoy or a library in it reads itself; keys are passed only if the configuration refers to them. */
const PASSED_VARIABLES = ["PATH", "HOME", "TZ", "TMPDIR", "LANG", "LD_LIBRARY_PATH"] as const;

/** Returns the variables that Envoy gets, of the environment and .env: those that it and its configuration need. */
export function envoyEnvironment(all: Environment, needed: readonly string[]): Environment {
  const names = [...PASSED_VARIABLES, ...needed].filter((name) => all[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/**
 * Returns the log arguments. Envoy's own level is never below info: at debug it writes whole request heads, and with
 * them API keys. `debug` and `trace` apply to the filter, the upstream connections and name resolution instead.
 */
export function logArguments(level: LogLevel): string[] {
  if (level === "debug" || level === "trace") {
    const components = `wasm:${level},upstream:debug,dns:debug`;
    return ["--log-level", "info", "--component-log-level", components];
  }
  // Envoy reports why it rejects a file only in a warning of this component.
  const isSilent = level !== "info" && level !== "warning";
  return ["--log-level", level, ...(isSilent ? ["--component-log-level", "config:warning"] : [])];
}

/**
 * Starts Envoy, which ends with this process. It has its own process group: a Ctrl-C in the terminal stops the gateway,
 * which drains Envoy first.
 */
export function startEnvoy(command: EnvoyCommand, onLine: (line: EnvoyLine) => void): EnvoyRun {
  const child = spawnWithLifeline(
    command.file,
    ["--config-path", command.configurationFile, "--disable-hot-restart"].concat(
      [
        "--concurrency",
        String(command.concurrency),
        "--file-flush-interval-msec",
        String(FLUSH_MS),
      ],
      // A changed listener closes its connections with their next response, not at a random time.
      [
        "--drain-time-s",
        String(Math.ceil(command.listenerDrainMs / 1000)),
        "--drain-strategy",
        "immediate",
      ],
      ["--reject-unknown-dynamic-fields"],
      [...logArguments(command.logLevel), "--log-format", LOG_FORMAT],
    ),
    { stdout: command.passesStdout ? "inherit" : "pipe", stderr: "pipe" },
    { env: { ...command.environment }, detached: true },
  );
  const kept: EnvoyLine[] = [];
  let rejection = "";
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (text) => {
      const line = readLine(text);
      kept.push(line);
      if (kept.length > KEPT_LINES) kept.shift();
      rejection = REJECTION.exec(text)?.[1] ?? rejection;
      onLine(line);
    });
  }
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => {
      hasEnded = true;
      resolve(`it could not be started: ${error.message}`);
    });
    // Not "exit": the last lines must have been read.
    child.once("close", (code, name) => {
      hasEnded = true;
      resolve(name === null ? `exit code ${String(code)}` : `signal ${name}`);
    });
  });
  return {
    identity: identityOf(child.pid ?? 0),
    ended,
    hasEnded: () => hasEnded,
    signal: (name) => child.kill(name),
    lastError: () => lastError(kept),
    lastRejection: () => rejection,
  };
}

function readLine(line: string): EnvoyLine {
  const parts = line.split("\t");
  const [time, level, component] = parts;
  if (parts.length < 4 || time === undefined || level === undefined || component === undefined) {
    return { level: "", component: "", message: line, text: line };
  }
  const message = parts.slice(3).join("\t");
  const text = `${time} ${level} ${component} ${message}`;
  return { level, time: new Date(time.replace(" ", "T")), component, message, text };
}

/** Returns Envoy's last critical or error lines; if there are none (a crash), the last lines of any level. */
function lastError(lines: readonly EnvoyLine[]): string {
  const grave = lines.filter(({ level }) => level === "critical" || level === "error");
  return (grave.length > 0 ? grave : lines)
    .slice(-3)
    .map(({ text }) => text)
    .join("\n");
}
