// Reports that the user has no configuration, and what the built-in one offers instead.
import { CONFIGURATION_NAMES } from "../find-configuration.ts";
import { commandFor } from "../../report/command-name.ts";
import type { ConfigurationFile } from "../../config/diagnostics/configuration-problems.ts";
import { STARTERS } from "../../providers/starters.ts";
import { foundKeys } from "../../config/starter/found-keys.ts";
import { directoryOf, readEnvironment } from "../../supervisor/configuration-file.ts";

/** To standard error, so that the command's own output stays clean. */
export function noteBuiltIn(file: ConfigurationFile): void {
  if (!file.isBuiltIn) return;
  const found = foundKeys(readEnvironment(directoryOf(file), process.env));
  console.error(`No ${CONFIGURATION_NAMES.join(", ")} here: using the keys in the environment.`);
  for (const { title, variable, provider, model } of found)
    console.error(`  $${variable}: ${title}, every model, such as ${provider}/${model}`);
  if (found.length === 0) {
    const [first, second] = STARTERS.map(({ variables }) => variables[0] ?? "");
    console.error(`  There is no key, such as $${first ?? ""} or $${second ?? ""}.`);
  }
  console.error("  The demonstration model needs no key: demo/gateway-demo");
  console.error(`${commandFor("init")} writes this configuration to a file.`);
}
