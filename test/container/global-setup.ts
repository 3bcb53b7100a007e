// Once for all tests of the image: finds or starts docker, builds the images, and stops docker again when it was started here.
import type { TestProject } from "vitest/node";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import {
  buildImage,
  EXAMPLE_API_IMAGE,
  isDockerRunning,
  runningContainers,
  startDocker,
  stopDocker,
} from "./docker.ts";
import { buildLimits } from "./limits/build.ts";

declare module "vitest" {
  interface ProvidedContext {
    canRunContainers: boolean;
    /** Why an image could not be built; empty when all are there. */
    imageProblem: string;
  }
}

/** `.ci/run` sets it: there, a machine without containers fails. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

let wasRunning = true;

export async function setup(project: TestProject): Promise<void> {
  wasRunning = isDockerRunning();
  const problem = startDocker();
  if (problem !== undefined && !isRequired) {
    console.log(`· The tests of the image are skipped: ${problem}`);
  }
  project.provide("canRunContainers", problem === undefined || isRequired);
  // The tests of the other rings run all the same, so nothing is thrown here.
  project.provide("imageProblem", problem ?? (await buildProblem()));
}

/** Minutes the first time, seconds when nothing has changed. */
async function buildProblem(): Promise<string> {
  console.log("· Building the image for the tests (two minutes the first time)");
  try {
    await buildImage();
    await buildImage(EXAMPLE_API_IMAGE, "example-api");
    if (missingForRateLimitService(process.env) === undefined) await buildLimits();
    return "";
  } catch (error) {
    return String(error);
  }
}

export function teardown(): void {
  // Somebody else may have come to use it meanwhile.
  if (!wasRunning && runningContainers() === 0) stopDocker();
}
