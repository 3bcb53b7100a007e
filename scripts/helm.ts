// The real helm, for the tests of the chart: the one on PATH, else built once by Go into the user's cache. No registry of
// packages has it. Go's checksum database vouches for the module.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const VERSION = "v3.17.0";
const MODULE = `helm.sh/helm/v3/cmd/helm@${VERSION}`;
/** Where the Go installer puts it, which is on few people's PATH. */
const USUAL_GO = "/usr/local/go/bin";

const run = promisify(execFile);

/** The program, or in a few words why there is none. */
export type Helm = { file: string } | { missing: string };

export async function ensureHelm(progress: (line: string) => void): Promise<Helm> {
  const { stdout } = await run("helm", ["version", "--short"]).catch(() => ({ stdout: "" }));
  if (stdout.startsWith("v3.")) return { file: "helm" };
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const file = join(cache, `helm-${VERSION}`);
  if (existsSync(file)) return { file };
  mkdirSync(cache, { recursive: true });
  return buildHelm(cache, file, progress);
}

async function buildHelm(
  cache: string,
  file: string,
  progress: (line: string) => void,
): Promise<Helm> {
  const path = [process.env["PATH"] ?? "", USUAL_GO].join(delimiter);
  // Of this process alone, and moved at the end: two builds at once do not disturb each other.
  const work = mkdtempSync(join(cache, "helm-"));
  const env = { ...process.env, PATH: path, GOBIN: work };
  try {
    await run("go", ["version"], { env });
    progress(`Building helm ${VERSION} (80 s of processor time, once)`);
    await run("go", ["install", MODULE], { env });
    renameSync(join(work, "helm"), file);
    return { file };
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: string | number; stderr?: string };
    if (code === "ENOENT") return { missing: "neither helm nor Go is installed" };
    const said = (stderr || message).trim().replace(/^.*\n/s, "");
    return { missing: `Go cannot build helm (network? GOPROXY?): ${said}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
