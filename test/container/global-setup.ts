// Once for all tests of the image: finds or starts docker, and stops it again when it was started here.
import type { TestProject } from "vitest/node";
import { isDockerRunning, runningContainers, startDocker, stopDocker } from "./docker.ts";

declare module "vitest" {
  interface ProvidedContext {
    canRunContainers: boolean;
  }
}

/** `.ci/run` sets it: there, a machine without containers fails. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

let wasRunning = true;

export function setup(project: TestProject): void {
  wasRunning = isDockerRunning();
  const problem = startDocker();
  if (problem !== undefined && !isRequired) {
    console.log(`· The tests of the image are skipped: ${problem}`);
  }
  project.provide("canRunContainers", problem === undefined || isRequired);
}

export function teardown(): void {
  // Somebody else may have come to use it meanwhile.
  if (!wasRunning && runningContainers() === 0) stopDocker();
}
