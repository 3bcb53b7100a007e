// The directory that a running gateway owns: its lock, the record that `status` and `down` read, Envoy's configuration.
import { createHash } from "node:crypto";
import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, parse } from "node:path";
import { commandFor } from "../config/diagnostics/command-name.ts";
import type { ConfigurationFile } from "../config/diagnostics/configuration-problems.ts";
import type { Environment } from "../config/environment.ts";
import { GatewayError } from "../config/diagnostics/gateway-error.ts";
import type { Listener } from "../ir/model.ts";
import { makeDirectory } from "./make-directory.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";

/** What a running gateway writes down about itself. Holds no secret. */
export interface RunningRecord {
  gateway: ProcessIdentity;
  /** Absent while Envoy is being started again. */
  envoy?: ProcessIdentity;
  /** Replaced Envoys with open requests, and one that is starting. */
  otherEnvoys: ProcessIdentity[];
  version: string;
  /** Absolute path of the configuration file. */
  configuration: string;
  /** ISO 8601. */
  startedAt: string;
  logDirectory: string;
  /** Why it is not ready, beside Envoy itself. */
  missing?: string | undefined;
  /** Why access log lines are being lost; absent while they are written. */
  accessLogProblem?: string;
  /** How long it waits for open requests when it is stopped. */
  drainMs: number;
  adminSocket: string;
  controlSocket: string;
  /** Where the egress listener's requests come in without a key; nobody listens there where there are no prompts. */
  egressSocket: string;
  listeners: Pick<Listener, "name" | "address" | "port" | "tls">[];
  models: string[];
  /** Of the configuration, as `gateway validate` prints them. */
  warnings: string[];
  /** With the clusters that lead to each, and what its attempts have as authority in the log. */
  providers: { name: string; clusters: string[]; authorities: string[] }[];
}

/** A unix socket's path must fit into 107 bytes; Envoy refuses a longer one. */
const MAX_SOCKET_PATH = 107;
/** Of Envoys and model servers in one run of the gateway: more than anybody restarts. */
const MAX_NUMBER = 99_999;
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

/** The sockets of a running gateway, which only its user can open. */
const SOCKETS = {
  /** Envoy's admin interface. */
  admin: "admin.sock",
  /** The gateway itself: commands such as `gateway reload`. */
  control: "control.sock",
  /** What the egress listener serves, for the model server alone. A later Envoy takes it over. */
  egress: "egress.sock",
  modelServer: "model-server.sock",
  demonstration: "demonstration.sock",
} as const;

/** @param number of the Envoy or the model server, as `numbered` has it: two may overlap */
export function socketPath(directory: string, name: keyof typeof SOCKETS, number = 1): string {
  return join(socketDirectory(directory), numbered(SOCKETS[name], number));
}

/** Directory of the files that name the listeners' certificates for Envoy. */
export function secretsDirectory(directory: string): string {
  return join(directory, "certificates");
}

/** The state directory, or one of the user's for temporary files when paths in it are too long. */
function socketDirectory(directory: string): string {
  const longest = Math.max(
    ...Object.values(SOCKETS).map((name) => numbered(name, MAX_NUMBER).length),
  );
  const fits = (candidate: string) =>
    Buffer.byteLength(candidate) + "/".length + longest <= MAX_SOCKET_PATH;
  if (fits(directory)) return directory;
  const shorter = join(
    tmpdir(),
    `gateway-${String(process.getuid?.() ?? 0)}-${shortHash(directory)}`,
  );
  if (fits(shorter)) return shorter;
  throw new GatewayError(
    `The paths of unix sockets have at most ${String(MAX_SOCKET_PATH)} bytes, but paths in ${directory} and ${shorter} are longer.`,
    { hint: "Set XDG_STATE_HOME or TMPDIR to a shorter path." },
  );
}

/** `envoy.yaml` of the first Envoy of a gateway, `envoy-2.yaml` of the second, which may overlap. */
export function numbered(file: string, number: number): string {
  const { name, ext } = parse(file);
  return number === 1 ? file : `${name}-${String(number)}${ext}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** Makes this process the only writer of the directory. Throws if another process is, naming it. */
export function takeState(directory: string): void {
  try {
    makePrivate(directory);
    makePrivate(socketDirectory(directory));
  } catch (error) {
    if (error instanceof GatewayError) throw error;
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
      const owner = ownerOf(directory);
      if (owner !== undefined) throw runsAlready(owner, directory);
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Throws when somebody else has made it: the owner of a directory could replace the sockets in it. */
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

/** The process that has the directory, as long as it lives. The record may still be that of a killed process. */
export function ownerOf(directory: string): ProcessIdentity | undefined {
  const owner = readJson(join(directory, LOCK)) as ProcessIdentity | undefined;
  return owner !== undefined && isAlive(owner) ? owner : undefined;
}

function runsAlready(owner: ProcessIdentity, directory: string): GatewayError {
  const record = readRecord(directory);
  const since = record === undefined ? "" : `, since ${record.startedAt}`;
  const what = record === undefined ? "This configuration" : record.configuration;
  return new GatewayError(`${what} is already running (process ${String(owner.pid)}${since}).`, {
    hint: `Show it: ${commandFor("status")}. Stop it: ${commandFor("down")}.`,
  });
}

/** Removes the sockets of a gateway that has ended: not every process can do so itself. */
export function removeSockets(directory: string): void {
  for (const path of pathsIn(socketDirectory(directory))) {
    if (path.endsWith(".sock")) rmSync(path, { force: true });
  }
}

/** Gives the directory back; what is left in it serves to look at the last run. */
export function leaveState(directory: string): void {
  removeSockets(directory);
  const place = socketDirectory(directory);
  if (place !== directory) rmSync(place, { recursive: true, force: true });
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

/** Records of all gateways of this user that run, start or end: a process has the directory, or an Envoy is alive. */
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

/** All of this user's, of running gateways and of others. */
export function stateDirectories(environment: Environment): string[] {
  return pathsIn(stateRoot(environment));
}

/** Every Envoy that the record knows. */
export function envoysOf({ envoy, otherEnvoys }: RunningRecord): ProcessIdentity[] {
  return envoy === undefined ? otherEnvoys : [envoy, ...otherEnvoys];
}

/** Returns an empty list without the directory. */
function pathsIn(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
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
