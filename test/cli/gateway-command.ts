// Runs bin/gateway as a user does, in a directory of its own with nothing of the developer's environment.
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { requireEnvoy } from "../../control-plane/supervisor/envoy-binary.ts";
import { embeddedModelDirectory } from "../../control-plane/model-server/embedded-model.ts";
import { freePort } from "../free-port.ts";
import {
  endProcess,
  type ProcessIdentity,
} from "../../control-plane/processes/process-identity.ts";
import { ownerOf, stateDirectory, stateRoot } from "../../control-plane/supervisor/state.ts";

const RUN = join(import.meta.dirname, "../../scripts/run.sh");
export const BINARY = join(import.meta.dirname, "../../bin/gateway");

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  process: ChildProcess;
  /** All of standard output or standard error so far. */
  stdout: () => string;
  stderr: () => string;
  ended: Promise<Outcome>;
}

export interface Desk {
  /** Where commands run; HOME and the state directories are in it too. */
  directory: string;
  /** Where the gateway of the directory's gateway.yaml writes its logs. */
  logs: string;
  /** Additions to the environment of every command. */
  environment: Record<string, string>;
  start: (...words: string[]) => Running;
  /** A line of sh, in which "$0" is the command: for what the shell sets, such as the umask. */
  runInShell: (line: string) => Promise<Outcome>;
  /** A program of the repository, as its npm script runs it. */
  startProgram: (file: string, ...words: string[]) => Running;
  run: (...words: string[]) => Promise<Outcome>;
  /** Stops what still runs, and removes the directory. */
  clear: () => Promise<void>;
}

/** A new directory with these files. */
export function openDesk(files: Record<string, string> = {}): Desk {
  const top = mkdtempSync(join(tmpdir(), "gateway-desk-"));
  const directory = join(top, "work");
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const environment: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: top,
    // What was fetched once, or every directory would fetch it anew.
    XDG_CACHE_HOME: dirname(dirname(embeddedModelDirectory(process.env))),
    ENVOY_BIN: requireEnvoy(process.env).file,
  };
  const children: ChildProcess[] = [];
  const remembered = (running: Running): Running => {
    children.push(running.process);
    return running;
  };
  const start = (...words: string[]): Running =>
    remembered(startCommand(BINARY, words, directory, environment));
  const startProgram = (file: string, ...words: string[]): Running =>
    remembered(startCommand("bash", [RUN, file, ...words], directory, environment));
  return {
    directory,
    logs: defaultLogs(join(directory, "gateway.yaml"), environment),
    environment,
    start,
    startProgram,
    run: (...words) => start(...words).ended,
    runInShell: (line) =>
      remembered(startCommand("sh", ["-c", line, BINARY], directory, environment)).ended,
    clear: async () => {
      await Promise.all(ownersOf(environment).map(endProcess));
      for (const child of children) child.kill("SIGKILL");
      // A process that was killed may still be writing.
      rmSync(top, { recursive: true, maxRetries: 20 });
    },
  };
}

/** Returns the default log directory of a configuration file. */
export function defaultLogs(path: string, environment: Record<string, string>): string {
  const file = { name: path, path, isBuiltIn: false };
  const name = basename(stateDirectory(file, environment));
  return join(environment["HOME"] ?? "", "gateway_logs", name);
}

/** Gateways that run, of any configuration file. */
function ownersOf(environment: Record<string, string>): ProcessIdentity[] {
  const root = stateRoot(environment);
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((name) => ownerOf(join(root, name)) ?? []);
}

function startCommand(
  program: string,
  words: string[],
  cwd: string,
  env: Record<string, string>,
): Running {
  const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Outcome>((resolve) => {
    child.once("close", (code) => {
      resolve({ code, stdout, stderr });
    });
  });
  return { process: child, stdout: () => stdout, stderr: () => stderr, ended };
}

export interface Ports {
  ingress: number;
  egress: number;
}

export async function freePorts(): Promise<Ports> {
  return { ingress: await freePort(), egress: await freePort() };
}

/** gateway.yaml on these ports of 127.0.0.1, with the demonstration model unless `rest` says otherwise. */
export function configurationOn(
  { ingress, egress }: Ports,
  rest = "llm_providers:\n  - model: demo/gateway-demo\n",
): string {
  return [
    "listeners:",
    `  ingress: {address: 127.0.0.1, port: ${ingress}}`,
    `  egress: {address: 127.0.0.1, port: ${egress}}`,
    rest,
  ].join("\n");
}

/** Process ids of the model servers that a gateway has started. */
export function modelServersOf(gateway: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        return Number(parent) === gateway && command.includes("model-server-child");
      } catch {
        return false;
      }
    })
    .map(Number);
}
