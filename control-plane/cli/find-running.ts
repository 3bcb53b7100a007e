// Which running gateway `down`, `status` and `logs` mean.
import { basename } from "node:path";
import { runningContainers } from "./container/record.ts";
import { findConfigurationOrBuiltIn } from "./find-configuration.ts";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { findRunning, type RunningRecord } from "../supervisor/state.ts";

export interface RunningGateway {
  directory: string;
  record: RunningRecord;
}

/**
 * The one of the named configuration; without a name the one of this directory's configuration, else the only one
 * there is. Undefined when it does not run. Throws when several run and none is meant.
 */
export function chooseRunning(
  config: string | undefined,
  environment: Environment,
): RunningGateway | undefined {
  const running = findRunning(environment);
  const { path } = findConfigurationOrBuiltIn(config, process.cwd());
  const meant = running.find(({ record }) => record.configuration === path);
  if (meant !== undefined || config !== undefined) return meant;
  if (running.length <= 1) return running[0];
  const list = running.map(({ record }) => `  ${record.configuration}`).join("\n");
  throw new GatewayError(`${String(running.length)} gateways are running.`, {
    hint: `Specify the configuration file:\n${list}`,
  });
}

/**
 * Returns the configuration that a command means which sends requests: where this directory has one, the gateway of no other
 * is meant. Undefined: any.
 */
export function ownConfiguration(config: string | undefined): string | undefined {
  const { path, isBuiltIn } = findConfigurationOrBuiltIn(config, process.cwd());
  return config ?? (isBuiltIn ? undefined : path);
}

/** As `chooseRunning`, of those that run in a container of `up --docker`. */
export function chooseContainer(config: string | undefined, environment: Environment) {
  const running = runningContainers(environment);
  if (running.length === 0) return undefined;
  const { path } = findConfigurationOrBuiltIn(config, process.cwd());
  const meant = running.find(({ record }) => record.configuration === path);
  if (meant !== undefined || config !== undefined) return meant;
  return running.length === 1 && findRunning(environment).length === 0 ? running[0] : undefined;
}

/** `nothing` in a sentence: which gateway was looked for. */
export function notRunning(config: string | undefined): string {
  return config === undefined ? "No gateway is running." : `No gateway runs ${basename(config)}.`;
}
