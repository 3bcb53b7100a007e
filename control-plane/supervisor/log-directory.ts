// The directory of the logs: one for each configuration, and one gateway that writes it.
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { commandFor } from "../report/command-name.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { Environment } from "../report/environment.ts";
import type { Configuration } from "./configuration-file.ts";
import { holderOf, takeLock } from "../processes/lock-file.ts";
import { makeDirectory } from "./make-directory.ts";
import type { Report } from "./own-log.ts";
import type { ProcessIdentity } from "../processes/process-identity.ts";
import { findRunning, ownerOf, stateDirectories, stateDirectory } from "./state.ts";

/** Readable by the user only: lines contain paths and addresses of clients. An existing directory keeps its mode. */
export const LOG_DIRECTORY_MODE = 0o700;
const LOCK = ".gateway.lock";
/** Several users may write a directory of `access_log.directory`. The lock has a process id and a start time. */
const LOCK_MODE = 0o644;
/** The files of Envoy and of the gateway, and rotated ones. */
const LOG_FILE = /^(?:access_\w+|gateway)\.log(?:\.\d+)?$/;

type Configured = Pick<Configuration, "model" | "file" | "environment">;

/** Returns an absolute path: `--log-dir`, else the configuration's, else a directory in `~/gateway_logs`. */
export function logDirectory(configured: Configured, option: string | undefined): string {
  if (option !== undefined) return resolve(option);
  return configured.model.accessLog.directory ?? defaultLogDirectory(configured);
}

/** Returns `~/gateway_logs/<name>`, with the name of the configuration's state directory. */
function defaultLogDirectory({ file, environment }: Omit<Configured, "model">): string {
  return join(parentOfDefaults(environment), basename(stateDirectory(file, environment)));
}

function parentOfDefaults(environment: Environment): string {
  return join(environment["HOME"] ?? homedir(), "gateway_logs");
}

/** Creates the log directory. Throws if it is not writable. */
export function prepareLogDirectory(directory: string): void {
  try {
    makeDirectory(directory, LOG_DIRECTORY_MODE);
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new GatewayError(`The log directory ${directory} cannot be written (${String(code)}).`, {
      hint: "Choose another directory with --log-dir or access_log.directory.",
    });
  }
}

/**
 * The directories that this process writes. No other gateway may: both would count the other's requests in metrics,
 * spend and budgets.
 */
export class LogDirectories {
  readonly #locked = new Set<string>();

  /** Creates the directory and locks it until `close`. Throws if it is not writable, or another gateway writes it. */
  lock(directory: string, environment: Environment): void {
    prepareLogDirectory(directory);
    const holder = lockLogs(directory);
    if (holder !== undefined) throw inUse(directory, holder, environment);
    this.#locked.add(directory);
  }

  close(): void {
    for (const directory of this.#locked) {
      const lock = join(directory, LOCK);
      if (holderOf(lock)?.pid === process.pid) rmSync(lock, { force: true });
    }
  }
}

/**
 * Locks the directory for this process. Returns the process that has locked it already, if it is another one. Where no lock can
 * be written (a full disk, a file system without links) the directory is used without one: logs must not keep a gateway from
 * starting.
 */
export function lockLogs(directory: string): ProcessIdentity | undefined {
  try {
    const holder = takeLock(join(directory, LOCK), LOCK_MODE);
    return holder?.pid === process.pid ? undefined : holder;
  } catch {
    return undefined;
  }
}

/** Throws if another gateway than that of the configuration writes to the directory. */
export function checkLogs(directory: string, { file, environment }: Omit<Configured, "model">) {
  const holder = holderOf(join(directory, LOCK));
  if (holder === undefined) return;
  const own = ownerOf(stateDirectory(file, environment));
  if (own?.pid !== holder.pid) throw inUse(directory, holder, environment);
}

function inUse(directory: string, { pid }: ProcessIdentity, environment: Environment) {
  const other = findRunning(environment).find(({ record }) => record.gateway.pid === pid);
  const path = other?.record.configuration;
  const whose = path === undefined ? "" : `${path}, `;
  const stop = path === undefined ? "" : `, or stop that gateway: ${commandFor(`down ${path}`)}`;
  return new GatewayError(
    `Another gateway writes its logs to ${directory} (${whose}process ${String(pid)}).`,
    { hint: `Choose another directory with --log-dir or access_log.directory${stop}.` },
  );
}

/**
 * Moves the logs of a version that had one directory for all configurations, `~/gateway_logs`, to the directory of this
 * configuration: once, and only if no other configuration of this user was ever started. Otherwise they stay, and that is
 * reported.
 */
export function adoptSharedLogs(
  configured: Omit<Configured, "model">,
  directory: string,
  report: Report,
): void {
  const shared = parentOfDefaults(configured.environment);
  if (directory !== defaultLogDirectory(configured) || logsIn(directory).some(isAccessLog)) return;
  const files = logsIn(shared);
  if (!files.some(isAccessLog)) return;
  const own = stateDirectory(configured.file, configured.environment);
  const isOnly = stateDirectories(configured.environment).every((one) => one === own);
  if (!isOnly || !hasWrittenTo(own, shared)) {
    report(
      `The logs of an earlier version stay in ${shared}: configurations shared it. New ones are in ${directory}`,
    );
    return;
  }
  try {
    for (const name of files) {
      // This process may be writing its gateway.log already.
      const target = join(directory, name === "gateway.log" ? "gateway.log.1" : name);
      if (!existsSync(target)) renameSync(join(shared, name), target);
    }
    report(
      `The logs in ${shared} were moved to ${directory}, the directory of this configuration.`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    report(`The logs in ${shared} cannot be moved to ${directory} (${String(code)}).`, "warning");
  }
}

const isAccessLog = (name: string): boolean => name.startsWith("access_");

function logsIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => LOG_FILE.test(name));
  } catch {
    return [];
  }
}

/** Whether an Envoy of this state directory had its logs there: its last configuration names them. */
function hasWrittenTo(state: string, logs: string): boolean {
  try {
    return readdirSync(state, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ya?ml|json)$/.test(entry.name))
      .some((entry) =>
        readFileSync(join(entry.parentPath, entry.name), "utf8").includes(`${logs}/access_`),
      );
  } catch {
    return false;
  }
}
