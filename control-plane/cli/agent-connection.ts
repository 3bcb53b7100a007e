// What an agent needs of a running gateway: its address, a client key that it accepts, and a model that it lists.
import { type Connection, KEY_VARIABLE } from "../agents/agent.ts";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { suggest, suggestion } from "../report/suggest.ts";
import { readConfiguration } from "../supervisor/configuration-file.ts";
import type { RunningRecord } from "../supervisor/state.ts";
import { findKey } from "./commands/find-key.ts";
import type { ConnectionOptions } from "./command-options.ts";
import { findConfigurationOrBuiltIn } from "./find-configuration.ts";
import { get, originOf } from "./use-gateway.ts";

/** For a gateway that requires none: SDKs want one. */
const ANY_KEY = "gateway";

/** Throws a GatewayError if the gateway does not answer, or rejects the key, or if the model is a mistake in writing. */
export async function connectionTo(
  record: RunningRecord,
  options: ConnectionOptions,
  environment: Environment,
): Promise<Omit<Connection, "writeFile">> {
  const origin = originOf(record);
  const key = keyOf(options.key, record, environment);
  const models = await listModels(origin, key);
  return {
    origin,
    key,
    model: options.model === undefined ? undefined : checkModel(options.model, models),
    firstModel: () => firstOf(models),
  };
}

function keyOf(name: string | undefined, record: RunningRecord, environment: Environment): string {
  if (name === undefined) return environment[KEY_VARIABLE] || ANY_KEY;
  const path = record.configuration;
  const file = findConfigurationOrBuiltIn(path, "/");
  const configuration = readConfiguration(file, environment);
  const { key } = findKey(configuration.model, name);
  return configuration.environment[key.variable] ?? "";
}

/** Returns the names of the models for a key. Throws if the gateway rejects the key. */
async function listModels(origin: string, key: string): Promise<string[]> {
  const response = await get(origin, "/v1/models", key);
  if (response?.ok === true) {
    const { data } = (await response.json()) as { data?: { id: string }[] };
    return (data ?? []).map(({ id }) => id);
  }
  if (response?.status === 401 || response?.status === 403) {
    throw new GatewayError(`The gateway at ${origin} rejects the key.`, {
      hint: `Set ${KEY_VARIABLE} to a key, or name one of the configuration with --key.`,
    });
  }
  const what = response === undefined ? "does not answer" : `answers ${String(response.status)}`;
  throw new GatewayError(`The gateway at ${origin} ${what} to GET /v1/models.`);
}

/** Returns the model, which may also be one that a wildcard serves. Throws if a name of the list was meant. */
function checkModel(model: string, models: readonly string[]): string {
  const meant = models.includes(model) ? undefined : suggest(model, models);
  if (meant === undefined) return model;
  throw new GatewayError(`The gateway lists no model ${model}.`, {
    hint: suggestion(meant) ?? "",
    exitCode: 2,
  });
}

function firstOf(models: readonly string[]): string {
  const [first] = models.filter((name) => !name.includes("*"));
  if (first !== undefined) return first;
  throw new GatewayError("The gateway lists no model by name.", {
    hint: "Name one that it serves with --model.",
    exitCode: 2,
  });
}
