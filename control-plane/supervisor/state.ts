// The directory that a running gateway owns: its lock, the record that `status` and `down` read, Envoy's configuration.
import { createHash } from "node:crypto";
import {
  chmodSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { basename, dirname, join, parse } from "node:path";
import type { ConfigurationFile } from "../configuration-problems.ts";
import type { Environment } from "../envoy-binary.ts";
import { GatewayError } from "../errors.ts";
import type { Listener } from "../model.ts";
import { makeDirectory } from "./make-directory.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";

/** What a running gateway writes down about itself. Holds no secret. */
export interface RunningRecord {
  gateway: ProcessIdentity;
  /** Absent while Envoy is being started again. */
  envoy?: ProcessIdentity;
  /** Those that another one has replaced, as long as they have open requests, and one that is to replace it. */
  otherEnvoys: ProcessIdentity[];
  version: string;
  /** Absolute path of the configuration file. */
  configuration: string;
  /** ISO 8601. */
  startedAt: string;
  logDirectory: string;
  /** Why access log lines are being lost; absent while they are written. */
  accessLogProblem?: string;
  /** How long it waits for open requests when it is stopped. */
  drainMs: number;
  adminSocket: string;
  controlSocket: string;
  listeners: Pick<Listener, "name" | "address" | "port" | "tls">[];
  models: string[];
  /** Of the configuration, as `gateway validate` prints them. */
  warnings: string[];
  /** With the clusters that lead to each, and what its attempts have as authority in the log. */
  providers: { name: string; clusters: string[]; authorities: string[] }[];
}

/** A unix socket's path must fit into 107 bytes; Envoy refuses a longer one. */
const LONGEST_SOCKET_PATH = 107;
const LOCK = "gateway.pid";
const RECORD = "gateway.json";

/** Parent of all state directories of this user. */
export function stateRoot(environment: Environment): string {
  const home = environment["HOME"] ?? homedir();
  return join(environment["XDG_STATE_HOME"] || join(home, ".local/state"), "gateway");
}

/** One directory per configuration file: `<folder of the file>-<hash of its path>`. */
export function stateDirectory(file: ConfigurationFile, environment: Environment): string {
  const folder = basename(dirname(file.path)).replace(/[^\w.-]/g, "_");
  const name = file.isBuiltIn ? "built-in" : `${folder}-${shortHash(file.path)}`;
  return join(stateRoot(environment), name);
}

/** Where Envoy's admin interface listens. @param number of the Envoy, as `numbered` has it */
export function adminSocketPath(directory: string, number = 1): string {
  return join(socketDirectory(directory), numbered("admin.sock", number));
}

/** Where the model server reaches the language models when clients need a key or TLS. A later Envoy takes it over. */
export function ownEgressSocketPath(directory: string): string {
  return join(socketDirectory(directory), "model.sock");
}

/** Where Envoy is told of the listeners' certificates. */
export function secretsDirectory(directory: string): string {
  return join(directory, "certificates");
}

/** Where the gateway itself listens to commands such as `gateway reload`. */
export function controlSocketPath(directory: string): string {
  return join(socketDirectory(directory), "control.sock");
}

/** The state directory, or a private temporary one when paths in it are too long. */
function socketDirectory(directory: string): string {
  const longest = join(directory, numbered("control.sock", 99));
  if (Buffer.byteLength(longest) <= LONGEST_SOCKET_PATH) return directory;

  const user = String(userInfo().uid);
  return join(tmpdir(), `gateway-${user}-${shortHash(directory)}`);
}

/** `envoy.yaml` of the first Envoy of a gateway, `envoy-2.yaml` of the second, which may overlap. */
export function numbered(file: string, number: number): string {
  const { name, ext } = parse(file);
  return number === 1 ? file : `${name}-${String(number)}${ext}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** Makes this process the one writer of the directory. Throws when another one is, naming it. */
export function takeState(directory: string): void {
  try {
    makeDirectory(directory, 0o700);
    chmodSync(directory, 0o700);
    makeDirectory(socketDirectory(directory), 0o700);
  } catch (error) {
    throw new GatewayError(`${directory} cannot be written (${String(error)}).`, {
      hint: "Set XDG_STATE_HOME to a directory that you can write to.",
    });
  }
  const lock = join(directory, LOCK);
  const own = `${lock}.${String(process.pid)}`;
  writeFileSync(own, JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
  try {
    // A link appears with its content, and only one of two processes gets it.
    while (!tryLink(own, lock)) {
      const owner = readJson(lock) as ProcessIdentity | undefined;
      if (owner !== undefined && isAlive(owner)) throw runsAlready(owner, directory);
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

function runsAlready(owner: ProcessIdentity, directory: string): GatewayError {
  const record = readRecord(directory);
  const since = record === undefined ? "" : `, since ${record.startedAt}`;
  const what = record === undefined ? "This configuration" : record.configuration;
  return new GatewayError(`${what} is running already (process ${String(owner.pid)}${since}).`, {
    hint: "`gateway status` shows it, `gateway down` stops it.",
  });
}

/** Gives the directory back; what is left in it serves to look at the last run. */
export function leaveState(directory: string): void {
  rmSync(join(directory, RECORD), { force: true });
  rmSync(join(directory, LOCK), { force: true });
}

/** Replaces the record as a whole. */
export function writeRecord(directory: string, record: RunningRecord): void {
  writePrivately(join(directory, RECORD), JSON.stringify(record, null, 2));
}

/** Writes a file that only its user can read, by a rename. */
export function writePrivately(file: string, content: string | Uint8Array): void {
  const fresh = `${file}.${String(process.pid)}`;
  writeFileSync(fresh, content, { mode: 0o600 });
  renameSync(fresh, file);
}

/** The record of the gateway that owns the directory; it may have died without taking it away. */
export function readRecord(directory: string): RunningRecord | undefined {
  return readJson(join(directory, RECORD)) as RunningRecord | undefined;
}

/** Records of all gateways of this user whose process, or whose Envoy, is alive. */
export function findRunning(
  environment: Environment,
): { directory: string; record: RunningRecord }[] {
  return stateDirectories(environment).flatMap((directory) => {
    const record = readRecord(directory);
    return record !== undefined && isRunning(record) ? [{ directory, record }] : [];
  });
}

/** All of this user's, of running gateways and of others. */
export function stateDirectories(environment: Environment): string[] {
  return listDirectories(stateRoot(environment));
}

export function isRunning({ gateway, envoy }: RunningRecord): boolean {
  return isAlive(gateway) || (envoy !== undefined && isAlive(envoy));
}

/** Every Envoy that the record knows. */
export function envoysOf({ envoy, otherEnvoys }: RunningRecord): ProcessIdentity[] {
  return envoy === undefined ? otherEnvoys : [envoy, ...otherEnvoys];
}

function listDirectories(root: string): string[] {
  try {
    return readdirSync(root).map((name) => join(root, name));
  } catch {
    return [];
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
