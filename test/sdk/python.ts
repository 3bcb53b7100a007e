// Python packages for the tests: fetched once, pinned with hashes, kept in the cache; and how the SDKs' scenarios are run.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const HERE = import.meta.dirname;
const REQUIREMENTS = join(HERE, "requirements.txt");

/**
 * Directory of the packages of a requirements file, by default the SDKs, for PYTHONPATH. Made when it is missing; two runs at
 * once do not disturb each other, because each installs beside the place and moves. Throws when pip cannot fetch them.
 */
export function pythonPackages(requirements = REQUIREMENTS): string {
  const version = spawnSync("python3", ["-c", "import sys; print(sys.version_info[:2])"], {
    encoding: "utf8",
  }).stdout;
  const key = createHash("sha256").update(readFileSync(requirements)).update(version);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const place = join(cache, `python-${key.digest("hex").slice(0, 16)}`);
  if (existsSync(place)) return place;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, "making-"));
  const options = [
    "--quiet",
    "--disable-pip-version-check",
    "--require-hashes",
    "--only-binary",
    ":all:",
  ];
  const pip = spawnSync(
    "python3",
    ["-m", "pip", "install", ...options, "--target", join(making, "packages"), "-r", requirements],
    { encoding: "utf8" },
  );
  try {
    if (pip.status !== 0) throw new Error(`pip could not install the packages: ${pip.stderr}`);
    if (!existsSync(place)) renameSync(join(making, "packages"), place);
  } catch (error) {
    // Another run was faster: its packages are as good.
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return place;
}

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
      PYTHONPATH: pythonPackages(),
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
