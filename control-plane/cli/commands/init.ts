// `gateway init`: writes a gateway.yaml for the keys that are in the environment.
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { loadConfiguration } from "../../config/load.ts";
import { ConfigurationProblems } from "../../config/diagnostics/configuration-problems.ts";
import { commandFor } from "../../report/command-name.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { starterConfiguration } from "../../config/starter/configuration.ts";
import { foundKeys } from "../../config/starter/found-keys.ts";
import { readEnvironment } from "../../supervisor/configuration-file.ts";
import { CONFIGURATION_NAMES } from "../find-configuration.ts";

export interface InitOptions {
  force?: boolean;
  stdout?: boolean;
}

/** Writes the file, or prints it. Throws if the file exists, unless `--force` is given. */
export function init(config: string | undefined, options: InitOptions): void {
  const name = config ?? CONFIGURATION_NAMES[0];
  const path = resolve(process.cwd(), name);
  const environment = readEnvironment(dirname(path), process.env);
  const text = schemaLine(dirname(path)) + starterConfiguration(environment);
  check(name, path, text, environment);
  if (options.stdout === true) {
    process.stdout.write(text);
    return;
  }
  write(name, path, text, options.force === true);
  const found = foundKeys(environment);
  console.log(`Wrote ${name}.`);
  for (const { title, provider, variable } of found)
    console.log(`  ${title}: ${provider}/* with $${variable}`);
  if (found.length === 0) {
    console.log("  No key of a known provider is set: it has the demonstration model.");
    console.log("  Set one, such as OPENAI_API_KEY, and run this again with --force.");
  }
  console.log(`Start it: ${commandFor(config === undefined ? "up" : `up ${name}`)}`);
}

/** In a checkout, and in the npm package, whose programs are in build/compiled; the image has none. */
const SCHEMAS = ["../../..", "../../../../.."].map((up) =>
  join(import.meta.dirname, up, "gateway.schema.json"),
);

/** Returns the line by which editors with the YAML language server find the schema: as a path that works from the file. */
function schemaLine(directory: string): string {
  const schema = SCHEMAS.find((file) => existsSync(file));
  if (schema === undefined) return "";
  const path = relative(directory, schema);
  return `# yaml-language-server: $schema=${path.startsWith("..") ? schema : `./${path}`}\n`;
}

/** The text is always valid; a mistake in this program must not become a file of the user. */
function check(
  name: string,
  path: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const result = loadConfiguration({ file: name, text }, environment);
  if (!result.ok)
    throw new ConfigurationProblems({ name, path, isBuiltIn: false }, result.problems);
}

function write(name: string, path: string, text: string, mayReplace: boolean): void {
  if (existsSync(path) && !mayReplace) {
    throw new GatewayError(`${name} exists already, and was not changed.`, {
      hint: `${commandFor("init --force")} replaces it; ${commandFor("init --stdout")} prints what it would write.`,
    });
  }
  try {
    writeFileSync(path, text, { flag: mayReplace ? "w" : "wx" });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new GatewayError(`${name} cannot be written (${code}).`);
  }
}
