// `gateway down`: stops a gateway and waits until it has gone. Nothing to stop is no error.
import { setTimeout as sleep } from "node:timers/promises";
import { commandFor } from "../../report/command-name.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import {
  endProcess,
  isAlive,
  type ProcessIdentity,
  signal,
} from "../../processes/process-identity.ts";
import { envoysOf, leaveState, ownerOf, readRecord, takeState } from "../../supervisor/state.ts";
import {
  chooseContainer,
  chooseRunning,
  notRunning,
  type RunningGateway,
} from "../find-running.ts";

/** What a stop may take besides the time that open requests get. */
const PATIENCE_MS = 10_000;

export async function down(config: string | undefined): Promise<void> {
  const container = chooseContainer(config, process.env);
  if (container !== undefined) {
    const { stopContainer } = await import("./up-in-container.ts");
    stopContainer(container.record.name, container.directory);
    console.log("The gateway has stopped.");
    return;
  }
  const running = chooseRunning(config, process.env);
  if (running === undefined) {
    console.log(notRunning(config));
    return;
  }
  await stop(running);
  console.log("The gateway has stopped.");
}

/** Ends whoever has the directory: also one that is about to replace a gateway that was killed. */
async function stop({ directory, record }: RunningGateway): Promise<void> {
  for (let owner = ownerOf(directory); owner !== undefined; owner = ownerOf(directory)) {
    await stopProcess(owner, record.drainMs);
  }
  const left = readRecord(directory);
  if (left === undefined) return;
  // The gateway was killed, and its Envoys are about to end. Nobody can start in the directory meanwhile.
  takeState(directory);
  try {
    for (const envoy of envoysOf(left)) await endProcess(envoy);
  } finally {
    leaveState(directory);
  }
}

async function stopProcess(gateway: ProcessIdentity, drainMs: number): Promise<void> {
  signal(gateway, "SIGTERM");
  const end = performance.now() + drainMs + PATIENCE_MS;
  while (isAlive(gateway) && performance.now() < end) await sleep(50);
  if (!isAlive(gateway)) return;
  throw new GatewayError(`The gateway (process ${String(gateway.pid)}) did not stop.`, {
    hint: `Run ${commandFor("down")} again: the second time it does not wait for open requests.`,
  });
}
