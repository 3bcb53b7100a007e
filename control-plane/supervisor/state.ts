// The directory that a running gateway owns: its lock, the record that `status` and `down` read, Envoy's configuration.
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, parse } from "node:path";
import { commandFor } from "../report/command-name.ts";
import type { ConfigurationFile } from "../config/diagnostics/configuration-problems.ts";
import type { CredentialReport } from "../credentials/report.ts";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { Listener } from "../../model/model.ts";
import { holderOf, takeLock } from "../processes/lock-file.ts";
import { makeDirectory } from "./make-directory.ts";
import { isAlive, type ProcessIdentity } from "../processes/process-identity.ts";

/** The record of a running gateway. Contains no secret. */
export interface RunningRecord {
  gateway: ProcessIdentity;
  /** Absent while Envoy is being restarted. */
  envoy?: ProcessIdentity;
  /** Replaced Envoys with open requests, and one that is starting. */
  otherEnvoys: ProcessIdentity[];
  version: string;
  /** Absolute path of the configuration file. */
  configuration: string;
  /** ISO 8601. */
  startedAt: string;
  logDirectory: string;
  /** Why it is not ready, if the reason is not Envoy itself. */
  missing?: string | undefined;
  /** Why access log lines are being lost; absent while they are written. */
  accessLogProblem?: string;
  /** Directory of the audit log. */
  auditDirectory?: string;
  /** Why lines of the audit log are being lost; absent while they are written. */
  auditProblem?: string | undefined;
  /** URL of the live page and the metrics; absent if they are not configured. */
  page?: string | undefined;
  /** Why they are not served; absent while they are. */
  pageProblem?: string | undefined;
  /** Drain timeout for open requests when it is stopped. */
  drainMs: number;
  /** Whether it ends after the last command that uses it. */
  endsUnused?: boolean;
  adminSocket: string;
  /** How many requests of that Envoy's listeners were the gateway's own probes. */
  probes?: Record<string, number>;
  controlSocket: string;
  /**
   * Socket of the egress listener for requests without an API key; nothing listens there if no prompts are configured.
   */
  egressSocket: string;
  listeners: Pick<Listener, "name" | "address" | "port" | "tls">[];
  models: string[];
  /** The credentials that Envoy attaches; absent if there are none. */
  credentials?: CredentialReport[];
  /** Warnings of the configuration, as `gateway validate` prints them. */
  warnings: string[];
  /** The providers, with the clusters that lead to each, and the authorities of their attempts in the log. */
  providers: { name: string; clusters: string[]; authorities: string[] }[];
}

/** A unix socket's path must fit into 107 bytes (macOS: 103); Envoy rejects a longer one. */
const MAX_SOCKET_PATH = process.platform === "linux" ? 107 : 103;
/** Maximum number of Envoys and model servers in one run of the gateway: more than any realistic number of restarts. */
const MAX_NUMBER = 99_999;
/** The mode of files that only their user can read. */
const PRIVATE = 0o600;
const LOCK = "gateway.pid";
const RECORD = "gateway.json";

/** Returns the parent of all state directories of this user. */
export function stateRoot(environment: Environment): string {
  const home = environment["HOME"] ?? homedir();
  return join(environment["XDG_STATE_HOME"] || join(home, ".local/state"), "gateway");
}

/** Returns one directory per configuration file: `<folder of the file>-<hash of its path>`. */
export function stateDirectory(file: ConfigurationFile, environment: Environment): string {
  const folder = basename(dirname(file.path)).replace(/[^\w.-]/g, "_");
  const name = file.isBuiltIn ? "built-in" : `${folder}-${shortHash(file.path)}`;
  return join(stateRoot(environment), name);
}

/** The sockets of a running gateway, which only its user can open. */
const SOCKETS = {
  /** Envoy's admin interface. */
  admin: "admin.sock",
  /** Envoy's listener for the limits of budgets. */
  budgets: "budgets.sock",
  /** The gateway itself: commands such as `gateway reload`. */
  control: "control.sock",
  /** Serves the same as the egress listener, to the model server alone. A new Envoy takes it over. */
  egress: "egress.sock",
  modelServer: "model-server.sock",
  demonstration: "demonstration.sock",
  /** Serves the login of coding agents to Envoy. */
  login: "login.sock",
} as const;

/** Returns the path of a socket. @param number of the Envoy or the model server, as for `numbered`: two may overlap */
export function socketPath(directory: string, name: keyof typeof SOCKETS, number = 1): string {
  return join(socketDirectory(directory), numbered(SOCKETS[name], number));
}

/** Variable with the directory of what has to end with the process; not set: the state directory. */
const RUN_DIRECTORY = "GATEWAY_RUN_DIR";

/**
 * Returns the directory of sockets, access tokens and Envoy's files: the state directory, or one in GATEWAY_RUN_DIR, if the
 * state is on a volume that is backed up, or that has no sockets.
 */
export function runDirectory(directory: string): string {
  const top = process.env[RUN_DIRECTORY] ?? "";
  return top === "" ? directory : join(top, basename(directory));
}

/** Returns the directory of the files that give Envoy the paths of the listeners' certificates. */
export function secretsDirectory(directory: string): string {
  return join(runDirectory(directory), "certificates");
}

/** Returns the directory of the files that give Envoy the access tokens of providers. */
export function tokensDirectory(directory: string): string {
  return join(runDirectory(directory), "tokens");
}

/** Returns the state directory, or one in the user's temporary directory if paths in it are too long. */
function socketDirectory(directory: string): string {
  const longest = Math.max(
    ...Object.values(SOCKETS).map((name) => numbered(name, MAX_NUMBER).length),
  );
  const fits = (candidate: string) =>
    Buffer.byteLength(candidate) + "/".length + longest <= MAX_SOCKET_PATH;
  const place = runDirectory(directory);
  if (fits(place)) return place;
  const shorter = join(
    tmpdir(),
    `gateway-${String(process.getuid?.() ?? 0)}-${shortHash(directory)}`,
  );
  if (fits(shorter)) return shorter;
  throw new GatewayError(
    `The paths of unix sockets have at most ${String(MAX_SOCKET_PATH)} bytes, but paths in ${place} and ${shorter} are longer.`,
    { hint: "Set XDG_STATE_HOME or TMPDIR to a shorter path." },
  );
}

/**
 * Returns `envoy.yaml` for the first Envoy of a gateway, `envoy-2.yaml` for the second, which may overlap with the
 * first.
 */
export function numbered(file: string, number: number): string {
  const { name, ext } = parse(file);
  return number === 1 ? file : `${name}-${String(number)}${ext}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** Makes this process the only writer of the directory. Throws if it is locked by a different process, and names it. */
export function takeState(directory: string): void {
  try {
    makePrivate(directory);
    makePrivate(runDirectory(directory));
    makePrivate(socketDirectory(directory));
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(`${directory} cannot be written (${String(error)}).`, {
      hint: "Set XDG_STATE_HOME to a directory that you can write to.",
    });
  }
  const owner = takeLock(join(directory, LOCK));
  if (owner !== undefined) throw runsAlready(owner, directory);
}

/**
 * Creates the directory. Throws if a different user owns it: the owner of a directory could replace the sockets in it.
 */
function makePrivate(directory: string): void {
  makeDirectory(directory, 0o700);
  const { uid } = lstatSync(directory);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw new GatewayError(`${directory} belongs to another user (uid ${String(uid)}).`, {
      hint: "Remove it, or set XDG_STATE_HOME or TMPDIR to a directory that you own.",
    });
  }
  chmodSync(directory, 0o700);
}

/** Returns the running process that owns the directory. The record may still be that of a killed process. */
export function ownerOf(directory: string): ProcessIdentity | undefined {
  return holderOf(join(directory, LOCK));
}

function runsAlready(owner: ProcessIdentity, directory: string): GatewayError {
  const record = readRecord(directory);
  const since = record === undefined ? "" : `, since ${record.startedAt}`;
  const what = record === undefined ? "This configuration" : record.configuration;
  return new GatewayError(`${what} is already running (process ${String(owner.pid)}${since}).`, {
    hint: `Show it: ${commandFor("status")}. Stop it: ${commandFor("down")}.`,
  });
}

/** Removes the sockets of a gateway that has ended: a killed process cannot do so itself. */
export function removeSockets(directory: string): void {
  for (const path of pathsIn(socketDirectory(directory))) {
    if (path.endsWith(".sock")) rmSync(path, { force: true });
  }
}

/** Releases the directory; its remaining files document the last run. */
export function leaveState(directory: string): void {
  removeSockets(directory);
  for (const place of [socketDirectory(directory), runDirectory(directory)]) {
    if (place !== directory) rmSync(place, { recursive: true, force: true });
  }
  rmSync(join(directory, RECORD), { force: true });
  rmSync(join(directory, LOCK), { force: true });
}

/** Replaces the whole record. */
export function writeRecord(directory: string, record: RunningRecord): void {
  writePrivately(join(directory, RECORD), JSON.stringify(record, null, 2));
}

/** Writes a file that only its user can read, and renames it into place. */
export function writePrivately(file: string, content: string | Uint8Array): void {
  const fresh = `${file}.${String(process.pid)}`;
  try {
    writeFileSync(fresh, content, { mode: PRIVATE });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** As `writePrivately`, for a file of the user, which keeps its mode. */
export function replaceFile(file: string, content: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? PRIVATE;
  writePrivately(file, content);
  chmodSync(file, mode & 0o777);
}

/** Returns the record of the gateway that owns the directory; a killed gateway leaves its record behind. */
export function readRecord(directory: string): RunningRecord | undefined {
  return readJson(join(directory, RECORD)) as RunningRecord | undefined;
}

/**
 * Returns the records of all gateways of this user that run, start or stop: a process owns the directory, or an Envoy
 * is alive.
 */
export function findRunning(
  environment: Environment,
): { directory: string; record: RunningRecord }[] {
  return stateDirectories(environment).flatMap((directory) => {
    const record = readRecord(directory);
    if (record === undefined) return [];
    const isRunning = ownerOf(directory) !== undefined || envoysOf(record).some(isAlive);
    return isRunning ? [{ directory, record }] : [];
  });
}

/** Returns all state directories of this user, of running and of stopped gateways. */
export function stateDirectories(environment: Environment): string[] {
  return pathsIn(stateRoot(environment));
}

/** Returns every Envoy in the record. */
export function envoysOf({ envoy, otherEnvoys }: RunningRecord): ProcessIdentity[] {
  return envoy === undefined ? otherEnvoys : [envoy, ...otherEnvoys];
}

/** Returns the paths in a directory; empty if it does not exist. */
export function pathsIn(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** Returns the content of a file that the gateway has written; undefined if it cannot be read. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
