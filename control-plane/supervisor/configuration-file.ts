// Reads the user's configuration file and the `.env` next to it, and converts both to the model.
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import { parse } from "dotenv";
import { loadConfiguration } from "../config/load.ts";
import type { Problem } from "../report/problem.ts";
import {
  type ConfigurationFile,
  ConfigurationProblems,
} from "../config/diagnostics/configuration-problems.ts";
import type { Environment } from "../report/environment.ts";
import { starterConfiguration } from "../config/starter/configuration.ts";
import { readRefreshed, refreshedFile } from "../model-facts/refreshed-facts.ts";
import { stateDirectory } from "./state.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { GatewayModel } from "../../model/model.ts";
import { fingerprintOf, readVariableFiles, variablesDirectory } from "./variable-files.ts";

/** Variable with the address of listeners whose configuration sets none. */
export const DEFAULT_ADDRESS_VARIABLE = "GATEWAY_DEFAULT_ADDRESS";

/** The usual cause if the configuration file turns out to be a directory. */
const DIRECTORY_HINT =
  "Docker makes a directory where a file that is to be mounted does not exist: check the path before the colon of -v, and remove the directory.";

/** A loaded configuration. The process environment takes precedence over variables in files, and these over `.env`. */
export interface Configuration {
  file: ConfigurationFile;
  model: GatewayModel;
  warnings: Problem[];
  environment: Environment;
  /** The variables of the filter that come from files; Envoy gets them with the filter's configuration. */
  fileValues: Record<string, string>;
  /** SHA-256 of the file's text, in hexadecimal digits. */
  sha256: string;
}

/**
 * Reads and loads the configuration. Throws ConfigurationProblems with every problem, or a GatewayError if it cannot be
 * read.
 */
export function readConfiguration(
  file: ConfigurationFile,
  processEnvironment: Environment,
): Configuration {
  const directory = directoryOf(file);
  const inFiles = variablesInFiles(processEnvironment);
  const environment = { ...readDotEnv(directory), ...inFiles, ...processEnvironment };
  const text = textOf(file, environment);
  const refreshedFacts = readRefreshed(refreshedFile(stateDirectory(file, processEnvironment)));
  const result = loadConfiguration({ file: file.name, text }, environment, {
    directory,
    readFile: (path) => readFileSync(path, "utf8"),
    now: new Date(),
    ...(refreshedFacts === undefined ? {} : { refreshedFacts }),
    ...defaultAddress(processEnvironment),
  });
  if (!result.ok) throw new ConfigurationProblems(file, result.problems);
  const { warnings } = result;
  const fileValues = fileValuesOf(result.model, inFiles, processEnvironment);
  const model = withValuesVersion(result.model, fileValues);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { file, model, warnings, environment, fileValues, sha256 };
}

function fileValuesOf(
  { filterEnvironment }: GatewayModel,
  inFiles: Record<string, string>,
  processEnvironment: Environment,
): Record<string, string> {
  return Object.fromEntries(
    filterEnvironment.flatMap((name) => {
      const value = processEnvironment[name] === undefined ? inFiles[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function withValuesVersion(model: GatewayModel, fileValues: Record<string, string>): GatewayModel {
  if (Object.keys(fileValues).length === 0) return model;
  return { ...model, valuesVersion: fingerprintOf(fileValues) };
}

/** Returns the directory whose `.env` is read: that of the file, or the current one for the built-in configuration. */
export function directoryOf(file: ConfigurationFile): string {
  return file.isBuiltIn ? process.cwd() : dirname(file.path);
}

/** Returns the process environment, and what variables in files and the `.env` of a directory add to it. */
export function readEnvironment(directory: string, processEnvironment: Environment): Environment {
  const inFiles = variablesInFiles(processEnvironment);
  return { ...readDotEnv(directory), ...inFiles, ...processEnvironment };
}

function variablesInFiles(processEnvironment: Environment): Record<string, string> {
  const directory = variablesDirectory(processEnvironment);
  return directory === undefined ? {} : readVariableFiles(directory);
}

/** Returns the text of a file; the built-in configuration is made from the keys in the environment. */
export function textOf(file: ConfigurationFile, environment: Environment): string {
  return file.isBuiltIn
    ? starterConfiguration(environment, { withDemonstration: true })
    : readText(file);
}

/**
 * Returns the default address. The image sets it, because no client can reach a container's loopback interface. Throws
 * unless it is an IP address.
 */
function defaultAddress(environment: Environment): { defaultAddress?: string } {
  const address = environment[DEFAULT_ADDRESS_VARIABLE];
  if (address === undefined || address === "") return {};
  if (isIP(address) !== 0) return { defaultAddress: address };
  throw new GatewayError(`${DEFAULT_ADDRESS_VARIABLE} is not an IP address: ${address}`, {
    hint: "Write 0.0.0.0 for every interface, 127.0.0.1 for this machine only.",
    exitCode: 2,
  });
}

function readText(file: ConfigurationFile): string {
  try {
    return readFileSync(file.path, "utf8");
  } catch (error) {
    const hint = (error as NodeJS.ErrnoException).code === "EISDIR" ? { hint: DIRECTORY_HINT } : {};
    throw new GatewayError(`${file.name} cannot be read: ${reasonOf(error, file.path)}.`, {
      exitCode: 2,
      ...hint,
    });
  }
}

function reasonOf(error: unknown, path: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return `there is no ${path}`;
  if (code === "EISDIR") return "it is a directory";
  if (code === "EACCES") return "you have no permission to read it";
  return String(code);
}

function readDotEnv(directory: string): Environment {
  const file = join(directory, ".env");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return {};
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new GatewayError(`${file} cannot be read: ${reasonOf(error, file)}.`, { exitCode: 2 });
  }
}
