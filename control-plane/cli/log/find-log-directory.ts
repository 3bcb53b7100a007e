// Where the logs are, and how a log that cannot be read is reported.
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { logDirectory } from "../../supervisor/log-directory.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { chooseContainer, chooseRunning } from "../find-running.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";

/** Returns the directory of the running gateway, the configured one, or the default. */
export function findLogDirectory(config: string | undefined, option: string | undefined): string {
  const container = option === undefined ? chooseContainer(config, process.env) : undefined;
  if (container !== undefined) return container.record.logDirectory;
  const running = option === undefined ? chooseRunning(config, process.env) : undefined;
  if (running !== undefined) return running.record.logDirectory;
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  return logDirectory(readConfiguration(file, process.env), option);
}

/** Runs `read`. Throws a GatewayError if the system does not allow it. */
export function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new GatewayError(`${file} cannot be read (${String(code)}).`, {
      hint: "Run this as the user that runs the gateway.",
    });
  }
}
