// The scenarios of the Python SDKs, and how they are run.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pythonPackages } from "../packages/pip.ts";

const HERE = import.meta.dirname;

/** Returns the directory of the SDKs, for PYTHONPATH. */
export const pythonSdks = (): Promise<string> => pythonPackages(join(HERE, "requirements.txt"));

/** The names of a file's scenarios: its functions that begin with `test_`. */
export function scenariosIn(file: string): string[] {
  const source = readFileSync(join(HERE, "python", file), "utf8");
  return [...source.matchAll(/^def test_(\w+)\(/gm)].map(([, name = ""]) => name);
}

/**
 * Runs all scenarios of a file in one process, for each of the models. By name, or by model and name if there are models: an
 * empty text, or what went wrong.
 */
export async function runScenarios(
  file: string,
  environment: Record<string, string>,
  models: readonly string[] = [],
): Promise<Map<string, string>> {
  const python = spawn("python3", ["-u", join(HERE, "python", "run.py"), file], {
    env: {
      PATH: process.env["PATH"],
      PYTHONPATH: await pythonSdks(),
      PYTHONDONTWRITEBYTECODE: "1",
      MODELS: models.join(),
      ...environment,
    },
  });
  let output = "";
  let errors = "";
  python.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  python.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
  await new Promise((resolve) => python.on("close", resolve));
  const results = new Map<string, string>();
  for (const line of output.split("\n").filter((text) => text.startsWith("{"))) {
    const { model, name, problem } = JSON.parse(line) as Record<string, string>;
    results.set(model === "" ? (name ?? "") : `${model ?? ""} ${name ?? ""}`, problem ?? "");
  }
  if (results.size === 0) throw new Error(`no scenario ran: ${errors}`);
  return results;
}
