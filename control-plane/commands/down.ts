// `gateway down`: stops a gateway and waits until it has gone. Nothing to stop is no error.
import { setTimeout as sleep } from "node:timers/promises";
import { stopContainer } from "../container/up.ts";
import { GatewayError } from "../errors.ts";
import { endProcess, isAlive, signal } from "../supervisor/process-identity.ts";
import { envoysOf, leaveState } from "../supervisor/state.ts";
import { chooseContainer, chooseRunning, notRunning } from "./find-running.ts";

/** What a stop may take besides the time that open requests get. */
const PATIENCE_MS = 10_000;

export async function down(config: string | undefined): Promise<void> {
  const container = chooseContainer(config, process.env);
  if (container !== undefined) {
    stopContainer(container.record.name, container.directory);
    console.log("The gateway has stopped.");
    return;
  }
  const running = chooseRunning(config, process.env);
  if (running === undefined) {
    console.log(notRunning(config));
    return;
  }
  const { gateway, drainMs } = running.record;
  if (isAlive(gateway)) {
    signal(gateway, "SIGTERM");
    const end = performance.now() + drainMs + PATIENCE_MS;
    while (isAlive(gateway) && performance.now() < end) await sleep(50);
    if (isAlive(gateway)) {
      throw new GatewayError(`The gateway (process ${String(gateway.pid)}) does not end.`, {
        hint: "Call `gateway down` again: it does not wait for open requests the second time.",
      });
    }
  } else {
    // The gateway was killed, and its Envoys are about to end.
    for (const envoy of envoysOf(running.record)) await endProcess(envoy);
    leaveState(running.directory);
  }
  console.log("The gateway has stopped.");
}
