// The gateway that a command uses while it runs: the one that runs already, or one that it starts and that ends after it.
import { setTimeout as sleep } from "node:timers/promises";
import { urlOf } from "../../model/listener-url.ts";
import { DEFAULT_DRAIN_MS, DEFAULT_RELOAD_DRAIN_MS } from "../../model/names.ts";
import { commandFor } from "../report/command-name.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { readConfiguration } from "../supervisor/configuration-file.ts";
import { makeDirectory } from "../supervisor/make-directory.ts";
import { ownerOf, readRecord, type RunningRecord, stateDirectory } from "../supervisor/state.ts";
import { addUser, type GatewayUser } from "../supervisor/users.ts";
import { startInBackground } from "./commands/up.ts";
import { findConfigurationOrBuiltIn } from "./find-configuration.ts";
import {
  chooseContainer,
  chooseRunning,
  ownConfiguration,
  type RunningGateway,
} from "./find-running.ts";

/** How long a gateway that another command starts may take until it answers, and one that ends until it has ended. */
const PATIENCE_MS = 60_000;
/** How long a response may take. */
const ANSWER_MS = 10_000;
const POLL_MS = 100;

/** A gateway that answers, and this command as its user. */
export interface UsedGateway {
  record: RunningRecord;
  user: GatewayUser;
}

/** Returns the running gateway that is meant; starts one for this command if there is none. */
export async function useGateway(config: string | undefined): Promise<UsedGateway> {
  if (chooseContainer(ownConfiguration(config), process.env) !== undefined) {
    throw new GatewayError("The gateway runs in a container, whose address is not known here.", {
      hint: "Set the base URL of the program yourself: see docs/clients.md.",
    });
  }
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const running = chooseRunning(ownConfiguration(config), process.env);
    const used = running === undefined ? await start(config) : await join(running, config);
    if (used !== undefined) return used;
    await sleep(POLL_MS);
  }
  throw new GatewayError("The gateway neither answers nor ends.", {
    hint: `See ${commandFor("status")} and ${commandFor("logs")}.`,
  });
}

/** Returns undefined if the gateway does not answer yet, or is about to end. */
async function join(
  { directory, record }: RunningGateway,
  config: string | undefined,
): Promise<UsedGateway | undefined> {
  const user = addUser(directory, { endsUnused: record.endsUnused === true });
  if (user === undefined) return undefined;
  try {
    const response = await get(originOf(record), "/healthz");
    if (response !== undefined) {
      const { path } = findConfigurationOrBuiltIn(config, process.cwd());
      if (record.configuration !== path)
        console.error(`· Using the gateway of ${record.configuration}.`);
      return { record, user };
    }
  } catch (error) {
    user.remove();
    throw error;
  }
  user.remove();
  return undefined;
}

/** Returns undefined if another command starts the same gateway. */
async function start(config: string | undefined): Promise<UsedGateway | undefined> {
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  const configuration = readConfiguration(file, process.env);
  const directory = stateDirectory(file, configuration.environment);
  makeDirectory(directory, 0o700);
  const user = addUser(directory, { endsUnused: false });
  try {
    const { pid } = await startInBackground(config, configuration, {
      accessLog: "file",
      logLevel: "warning",
      drainTime: DEFAULT_DRAIN_MS,
      reloadDrainTime: DEFAULT_RELOAD_DRAIN_MS,
      endsUnused: true,
    });
    const record = readRecord(directory);
    if (user === undefined || record === undefined) throw new GatewayError("The gateway ended.");
    console.error(`· Started a gateway (process ${String(pid)}), which ends with this command.`);
    return { record, user };
  } catch (error) {
    user?.remove();
    if (ownerOf(directory) !== undefined) return undefined;
    throw error;
  }
}

/** Returns the URL of the listener for models, such as `http://127.0.0.1:12000`. */
export function originOf({ listeners }: RunningRecord): string {
  const egress = listeners.find(({ name }) => name === "egress");
  if (egress !== undefined) return urlOf(egress);
  throw new GatewayError("The gateway has no listener for models.");
}

/** Returns undefined if nothing listens there yet. */
export async function get(
  origin: string,
  path: string,
  key?: string,
): Promise<Response | undefined> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  try {
    return await fetch(origin + path, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED" || code === "ECONNRESET") return undefined;
    throw new GatewayError(`The gateway at ${origin} cannot be reached: ${message}.`, {
      ...(origin.startsWith("https:")
        ? { hint: "NODE_EXTRA_CA_CERTS names the file of a certificate authority of your own." }
        : {}),
    });
  }
}
