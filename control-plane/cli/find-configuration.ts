// Which configuration file a command means. Apart from the loading, which takes a while to import.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandFor } from "../report/command-name.ts";
import type { ConfigurationFile } from "../config/diagnostics/configuration-problems.ts";
import { GatewayError } from "../report/gateway-error.ts";

/** What a configuration is called when the user names none, in this order. */
export const CONFIGURATION_NAMES = ["gateway.yaml", "config.yaml", "arch_config.yaml"] as const;

/** Identifies the built-in configuration, for `up`, `render` and `models` where the user has none; no file has this path. */
const BUILT_IN = join(import.meta.dirname, "../../built-in.yaml");

/** The file that `argument` names, else the first of the usual names in `directory`. Throws (exit 2) when there is none. */
export function findConfiguration(
  argument: string | undefined,
  directory: string,
): ConfigurationFile {
  const found = lookUp(argument, directory);
  if (found) return found;
  const names = CONFIGURATION_NAMES.join(", ");
  throw new GatewayError(`There is no configuration in ${directory} (${names}).`, {
    hint: `Specify the file: ${commandFor("validate path/to/gateway.yaml")}`,
    exitCode: 2,
  });
}

/** As `findConfiguration`, with the built-in configuration where the user has none, or where the argument is its path. */
export function findConfigurationOrBuiltIn(
  argument: string | undefined,
  directory: string,
): ConfigurationFile {
  const builtIn = { name: "the built-in configuration", path: BUILT_IN, isBuiltIn: true };
  return (argument === BUILT_IN ? undefined : lookUp(argument, directory)) ?? builtIn;
}

function lookUp(argument: string | undefined, directory: string): ConfigurationFile | undefined {
  if (argument !== undefined) {
    const path = resolve(directory, argument);
    return { name: argument, path, isBuiltIn: false };
  }
  const name = CONFIGURATION_NAMES.find((name) => existsSync(join(directory, name)));
  return name === undefined ? undefined : { name, path: join(directory, name), isBuiltIn: false };
}
