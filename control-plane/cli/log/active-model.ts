// The configuration by whose prices the logs are read.
import type { GatewayModel } from "../../../model/model.ts";
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { chooseRunning } from "../find-running.ts";

/** Returns the active configuration; undefined if it cannot be read now. */
export function activeModel(config: string | undefined): GatewayModel | undefined {
  try {
    const path = chooseRunning(config, process.env)?.record.configuration ?? config;
    return readConfiguration(findConfigurationOrBuiltIn(path, process.cwd()), process.env).model;
  } catch {
    return undefined;
  }
}
