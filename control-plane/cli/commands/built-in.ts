// Says that the user has no configuration and the built-in one is used.
import { CONFIGURATION_NAMES } from "../find-configuration.ts";
import type { ConfigurationFile } from "../../config/diagnostics/configuration-problems.ts";

/** To standard error, so that the command's own output stays clean. */
export function noteBuiltIn(file: ConfigurationFile): void {
  if (!file.isBuiltIn) return;
  console.error(
    `No ${CONFIGURATION_NAMES.join(", ")} here: using the built-in configuration with the demonstration model.`,
  );
}
