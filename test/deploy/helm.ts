// The real helm: the one on PATH, else built once by Go into the user's cache.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const VERSION = "v3.17.0";
const MODULE = `helm.sh/helm/v3/cmd/helm@${VERSION}`;

/** The program, or why there is none. */
export function findHelm(): { file: string } | { missing: string } {
  const { status, stdout } = spawnSync("helm", ["version", "--short"], { encoding: "utf8" });
  if (status === 0 && stdout.startsWith("v3.")) return { file: "helm" };
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const file = join(cache, `helm-${VERSION}`);
  return existsSync(file) ? { file } : buildHelm(cache, file);
}

/** A minute or two. */
function buildHelm(cache: string, file: string): { file: string } | { missing: string } {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "helm-"));
  try {
    const environment = { ...process.env, GOBIN: work };
    const go = spawnSync("go", ["install", MODULE], { encoding: "utf8", env: environment });
    if (go.error !== undefined) return { missing: "neither helm nor Go is installed" };
    if (go.status !== 0) {
      return { missing: `Go cannot build helm: ${go.stderr.trim().split("\n").at(-1) ?? ""}` };
    }
    renameSync(join(work, "helm"), file);
    return { file };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
