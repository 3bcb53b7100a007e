// One run of Envoy: its arguments, environment and output.
import { createInterface } from "node:readline";
import type { Environment } from "../config/environment.ts";
import type { LogLevel } from "../ir/names.ts";
import { spawnWithLifeline } from "./lifeline.ts";
import { identityOf, type ProcessIdentity } from "./process-identity.ts";

export interface EnvoyCommand {
  file: string;
  configurationFile: string;
  logLevel: LogLevel;
  concurrency: number;
  /** Access log lines, which are all that Envoy writes there, go to this process's standard output. */
  passesStdout: boolean;
  /** How long connections of a listener that changed may go on. Milliseconds. */
  listenerDrainMs: number;
  environment: Environment;
}

export interface EnvoyRun {
  identity: ProcessIdentity;
  /** How it ended, in words: `exit code 1`, `signal SIGSEGV`. */
  ended: Promise<string>;
  hasEnded: () => boolean;
  signal: (name: NodeJS.Signals) => void;
  /** The reason that Envoy itself gave in its last lines; empty when it gave none. */
  lastError: () => string;
  /** Why Envoy rejected the last file that it did; empty when it refused none. */
  lastRejection: () => string;
}

export interface EnvoyLine {
  level: string;
  /** `2026-01-31 10:00:00.000 warning wasm message`, or a line that is not Envoy's own. */
  text: string;
}

/** Level, component and message in one line; `lastError` and `onLine` rely on it. */
const LOG_FORMAT = "%Y-%m-%d %T.%e\t%l\t%n\t%v";
const KEPT_LINES = 40;
const REJECTION = /Filesystem config update (?:rejected|failure): (.*)$/;

/** What Envoy or a library in it reads for itself; keys come only as far as the configuration refers to them. */
const PASSED_VARIABLES = ["PATH", "HOME", "TZ", "TMPDIR", "LANG", "LD_LIBRARY_PATH"] as const;

/** The variables that Envoy gets: of all that stand in the environment and in .env, those that it needs. */
export function envoyEnvironment(
  all: Environment,
  filterVariables: readonly string[],
): Environment {
  const names = [...PASSED_VARIABLES, ...filterVariables].filter((name) => all[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/**
 * Envoy's own level stays at info at the most: on debug it writes whole request heads, and so the keys in them.
 * `debug` and `trace` raise the filter, the upstream connections and name resolution instead.
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
 * Starts Envoy, which ends with this process. In its own process group: a Ctrl-C in the terminal is for the gateway, which
 * drains Envoy first.
 */
export function startEnvoy(command: EnvoyCommand, onLine: (line: EnvoyLine) => void): EnvoyRun {
  const child = spawnWithLifeline(
    command.file,
    ["--config-path", command.configurationFile, "--disable-hot-restart"].concat(
      ["--concurrency", String(command.concurrency), "--file-flush-interval-msec", "1000"],
      // A listener that changed lets its connections go with their next answer, not some time.
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

function readLine(text: string): EnvoyLine {
  const parts = text.split("\t");
  const [time, level, component] = parts;
  if (parts.length < 4 || time === undefined || level === undefined || component === undefined) {
    return { level: "", text };
  }
  const message = parts.slice(3).join("\t");
  return { level, text: `${time} ${level} ${component} ${message}` };
}

/** Envoy's last critical or error lines; where there are none (a crash), the last lines whatever they are. */
function lastError(lines: readonly EnvoyLine[]): string {
  const grave = lines.filter(({ level }) => level === "critical" || level === "error");
  return (grave.length > 0 ? grave : lines)
    .slice(-3)
    .map(({ text }) => text)
    .join("\n");
}
