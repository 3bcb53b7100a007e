// `npm run example [-- <gateway.yaml>] [options of gateway up]`: starts the API and a gateway in front of it, until Ctrl-C.
import { join } from "node:path";
import { runCommand } from "../../control-plane/cli.ts";
import { readConfiguration } from "../../control-plane/supervisor/configuration-file.ts";
import { findConfiguration } from "../../control-plane/cli/find-configuration.ts";
import { startExampleApi } from "./api.ts";

const words = process.argv.slice(2);
const [first = "-"] = words;
/** The example's configuration, or the changed copy given as the argument. */
const file = first.startsWith("-") ? join(import.meta.dirname, "gateway.yaml") : first;

try {
  const stop = await startExampleApi(portOfApi());
  try {
    await runCommand(["up", file, ...words.filter((word) => word !== file)]);
  } finally {
    stop();
  }
} catch (error) {
  console.error(
    `The example cannot start: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}

/** Returns the API's port, from `endpoints` of the configuration. */
function portOfApi(): number {
  const { model } = readConfiguration(findConfiguration(file, process.cwd()), process.env);
  const endpoint = model.prompt?.endpoints.find(({ name }) => name === "example_api");
  if (endpoint === undefined) throw new Error(`${file} has no endpoint called example_api.`);
  return endpoint.address.port;
}
