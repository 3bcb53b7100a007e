// Programs in Go that only tests need: the one on PATH, else built once by Go into the user's cache. No registry of packages
// has them. Go's checksum database vouches for the modules.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

export interface GoProgram {
  name: string;
  version: string;
  module: string;
  /** Build tags. */
  tags?: string;
  /** How to ask one on PATH for its version, and how the answer begins. */
  ask: string[];
  answer: RegExp;
  /** Seconds of processor time that building takes. */
  seconds: number;
}

/** For the tests of the chart. */
export const HELM: GoProgram = {
  name: "helm",
  version: "v3.17.0",
  module: "helm.sh/helm/v3/cmd/helm",
  ask: ["version", "--short"],
  answer: /^v3\./,
  seconds: 80,
};

/** For the tests of the alert rules. The module of Prometheus 3.16 has the version 0.316. */
export const PROMTOOL: GoProgram = {
  name: "promtool",
  version: "v0.316.0",
  module: "github.com/prometheus/prometheus/cmd/promtool",
  // Without the plugins that find servers to scrape, which no rule needs.
  tags: "remove_all_sd",
  ask: ["--version"],
  answer: /^promtool, version 3\./,
  seconds: 300,
};

/** Where the Go installer puts it, which is on few people's PATH. */
const USUAL_GO = "/usr/local/go/bin";

const run = promisify(execFile);

/** The program, or in a few words why there is none. */
export type Found = { file: string } | { missing: string };

export async function ensureGoProgram(
  program: GoProgram,
  progress: (line: string) => void,
): Promise<Found> {
  const { name, version, ask, answer } = program;
  const { stdout } = await run(name, ask).catch(() => ({ stdout: "" }));
  if (answer.test(stdout)) return { file: name };
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const file = join(cache, `${name}-${version}`);
  if (existsSync(file)) return { file };
  mkdirSync(cache, { recursive: true });
  return build(program, cache, file, progress);
}

async function build(
  { name, version, module, tags = "", seconds }: GoProgram,
  cache: string,
  file: string,
  progress: (line: string) => void,
): Promise<Found> {
  const path = [process.env["PATH"] ?? "", USUAL_GO].join(delimiter);
  // Of this process alone, and moved at the end: two builds at once do not disturb each other.
  const work = mkdtempSync(join(cache, `${name}-`));
  const env = { ...process.env, PATH: path, GOBIN: work };
  try {
    await run("go", ["version"], { env });
    progress(`Building ${name} ${version} (${String(seconds)} s of processor time, once)`);
    await run("go", ["install", "-tags", tags, `${module}@${version}`], { env });
    renameSync(join(work, name), file);
    return { file };
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: string | number; stderr?: string };
    if (code === "ENOENT") return { missing: `neither ${name} nor Go is installed` };
    const said = (stderr || message).trim().replace(/^.*\n/s, "");
    return { missing: `Go cannot build ${name} (network? GOPROXY?): ${said}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
