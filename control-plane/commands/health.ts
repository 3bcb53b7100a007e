// `gateway health`: whether the gateway is ready, for a container's probe, which asks every few seconds: it imports little.
import { reasonNotReady } from "../supervisor/readiness.ts";
import { chooseRunning, notRunning } from "./find-running.ts";

/** Prints `ready`, or what is missing, with exit code 1. */
export async function health(config: string | undefined): Promise<void> {
  const running = chooseRunning(config, process.env);
  const missing = running === undefined ? notRunning(config) : await reasonNotReady(running.record);
  console.log(missing ?? "ready");
  process.exitCode = missing === undefined ? 0 : 1;
}
