// What `up --docker` writes down for `down`, `status` and `logs`: which container runs which configuration.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../report/environment.ts";
import { makeDirectory } from "../../supervisor/make-directory.ts";
import { readJson, stateDirectories, writePrivately } from "../../supervisor/state.ts";
import { docker } from "./docker.ts";

export interface ContainerRecord {
  /** Of the container. */
  name: string;
  /** Absolute path of the configuration file. */
  configuration: string;
  /** On this machine, and in the container. */
  logDirectory: string;
  drainMs: number;
}

const RECORD = "container.json";

export function writeContainerRecord(directory: string, record: ContainerRecord): void {
  makeDirectory(directory, 0o700);
  writePrivately(join(directory, RECORD), JSON.stringify(record, null, 2));
}

export function removeContainerRecord(directory: string): void {
  rmSync(join(directory, RECORD), { force: true });
}

/** Returns the gateways whose container runs; docker is called only if there is a record. */
export function runningContainers(
  environment: Environment,
): { directory: string; record: ContainerRecord }[] {
  return stateDirectories(environment).flatMap((directory) => {
    const record = readContainerRecord(directory);
    return record !== undefined && isRunning(record.name, environment)
      ? [{ directory, record }]
      : [];
  });
}

function isRunning(name: string, environment: Environment): boolean {
  const words = ["inspect", "--type", "container", "--format", "{{.State.Running}}", name];
  try {
    return docker(words, environment).stdout.trim() === "true";
  } catch {
    return false; // without docker there is no container
  }
}

function readContainerRecord(directory: string): ContainerRecord | undefined {
  return readJson(join(directory, RECORD)) as ContainerRecord | undefined;
}
