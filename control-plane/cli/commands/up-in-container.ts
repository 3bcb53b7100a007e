// `gateway up --docker`: the image of this version in place of processes of this machine.
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { UpOptions } from "../command-options.ts";
import type { Status } from "./status.ts";
import { commandFor } from "../../report/command-name.ts";
import {
  type Configuration,
  DEFAULT_ADDRESS_VARIABLE,
} from "../../supervisor/configuration-file.ts";
import { parseReferences } from "../../config/reference.ts";
import type { Environment } from "../../report/environment.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { checkPorts } from "../../supervisor/ports.ts";
import { stateDirectory } from "../../supervisor/state.ts";
import { VERSION } from "../../supervisor/package-version.ts";
import { docker, dockerHere } from "../container/docker.ts";
import {
  removeContainerRecord,
  runningContainers,
  writeContainerRecord,
} from "../container/record.ts";

export interface ContainerStart {
  configuration: Configuration;
  /** The text of the configuration file, for the variables that it refers to. */
  text: string;
  /** Absolute; it is there. */
  logDirectory: string;
  options: UpOptions;
}

const READY_MS = 30_000;
const POLL_MS = 200;
/** What a stop may take besides the time that open requests get. Seconds. */
const STOP_SECONDS = 10;

/** Runs until it is stopped; returns the exit code. */
export async function runContainer(start: ContainerStart): Promise<number> {
  const { directory, name, environment } = await prepare(start);
  try {
    return await dockerHere(
      ["run", "--rm", ...runArguments(start, name, environment)],
      clientEnvironment(start),
    );
  } finally {
    removeContainerRecord(directory);
  }
}

/** Returns the container's name, and why it serves no live page, when the gateway in it is ready. */
export async function startContainer(
  start: ContainerStart,
): Promise<{ name: string; pageProblem: string | undefined }> {
  const { directory, name, environment } = await prepare(start);
  const words = ["run", "--detach", ...runArguments(start, name, environment)];
  const { code, stderr } = docker(words, clientEnvironment(start));
  if (code !== 0) {
    removeContainerRecord(directory);
    throw new GatewayError(`The container did not start: ${stderr.trim()}`);
  }
  const { pageProblem } = await untilReady(name, process.env).catch((error: unknown) => {
    docker(["rm", "--force", "--volumes", name], process.env);
    removeContainerRecord(directory);
    throw error;
  });
  return { name, pageProblem: pageProblem ?? undefined };
}

/** The image is there, nothing is in the way, and the record is written. */
async function prepare(start: ContainerStart) {
  const { configuration, logDirectory, options } = start;
  const { file, model } = configuration;
  const running = runningContainers(process.env);
  const same = running.find(({ record }) => record.configuration === file.path);
  if (same !== undefined) {
    throw new GatewayError(`${file.path} is already running (container ${same.record.name}).`, {
      hint: `Show it: ${commandFor("status")}. Stop it: ${commandFor("down")}.`,
    });
  }
  requireImage();
  await checkPorts([model.ingress, model.egress], configuration.environment);
  const directory = stateDirectory(file, configuration.environment);
  const name = `gateway-${basename(directory)}`;
  // One that ended by itself was left for a look at its output.
  docker(["rm", "--force", "--volumes", name], process.env);
  const drainMs = options.drainTime;
  writeContainerRecord(directory, { name, configuration: file.path, logDirectory, drainMs });
  return { directory, name, environment: variables(start) };
}

function image(): string {
  return process.env["GATEWAY_IMAGE"] || `gateway:${VERSION}`;
}

function requireImage(): void {
  if (docker(["image", "inspect", image()], process.env).code === 0) return;
  if (docker(["pull", "--quiet", image()], process.env).code === 0) return;
  throw new GatewayError(`There is no image ${image()}.`, {
    hint: "Build it with scripts/container/build-image.sh, or set GATEWAY_IMAGE.",
  });
}

/** Uses the host's network: listeners get the configured ports, and providers on this machine are reachable. */
function runArguments(
  { configuration: { file }, logDirectory, options }: ContainerStart,
  name: string,
  environment: readonly string[],
): string[] {
  const folder = dirname(file.path);
  const stopSeconds = Math.ceil(options.drainTime / 1000) + STOP_SECONDS;
  // The same paths inside as outside, so that everything that names a file means the same one.
  const own = file.isBuiltIn ? [] : ["--volume", `${folder}:${folder}:ro`, "--workdir", folder];
  return [
    ...["--name", name, "--network", "host", "--stop-timeout", String(stopSeconds)],
    ...["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"],
    ...["--security-opt", "no-new-privileges", "--user", userOfThisProcess()],
    ...["--volume", `${logDirectory}:${logDirectory}`, ...own],
    // Names alone: the values are in the environment of the docker command line.
    ...environment.flatMap((variable) => ["--env", variable]),
    ...[image(), "up", ...(file.isBuiltIn ? [] : [file.path])],
  ];
}

function userOfThisProcess(): string {
  return `${String(process.getuid?.() ?? 10_001)}:${String(process.getgid?.() ?? 10_001)}`;
}

/** The options of `up`, as the image takes them. */
function optionVariables({ logDirectory, options }: ContainerStart): Environment {
  return {
    // The container is on the host's network, where the image's own default would be open to everybody.
    [DEFAULT_ADDRESS_VARIABLE]: process.env[DEFAULT_ADDRESS_VARIABLE] || "127.0.0.1",
    GATEWAY_LOG_DIR: logDirectory,
    GATEWAY_ACCESS_LOG: options.accessLog,
    GATEWAY_LOG_LEVEL: options.logLevel,
    GATEWAY_DRAIN_TIME: `${String(options.drainTime)}ms`,
    ...(options.concurrency === undefined
      ? {}
      : { GATEWAY_CONCURRENCY: String(options.concurrency) }),
  };
}

/** Names of what the container gets: the options, and the variables that the configuration refers to. */
function variables(start: ContainerStart): string[] {
  const { environment } = start.configuration;
  const wanted = parseReferences(start.text).names.filter(
    (name) => environment[name] !== undefined,
  );
  return [...Object.keys(optionVariables(start)), ...wanted];
}

function clientEnvironment(start: ContainerStart): Environment {
  return { ...start.configuration.environment, ...optionVariables(start) };
}

/** Throws with the container's own words when it ends, or is not ready in time. */
async function untilReady(name: string, environment: Environment): Promise<Status> {
  const end = performance.now() + READY_MS;
  for (;;) {
    const status = docker(["exec", name, "gateway", "status", "--json"], environment);
    // As `up` without a container: prompts may do without a model server that does not start.
    if (status.stdout.includes('"live": true')) return JSON.parse(status.stdout) as Status;
    const format = "{{.State.Running}} {{.State.ExitCode}}";
    const state = docker(["inspect", "--format", format, name], environment).stdout.trim();
    if (!state.startsWith("true") || performance.now() > end) {
      const { stdout, stderr } = docker(["logs", name], environment);
      throw new GatewayError(`The container was not ready:\n${`${stderr}${stdout}`.trim()}`, {
        exitCode: state === "false 2" ? 2 : 1,
      });
    }
    await sleep(POLL_MS);
  }
}

/** Waits for open requests; removes the container. */
export function stopContainer(name: string, directory: string): void {
  docker(["stop", name], process.env);
  docker(["rm", "--force", "--volumes", name], process.env);
  removeContainerRecord(directory);
}
