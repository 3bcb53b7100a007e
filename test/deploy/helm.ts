// The real helm: the one on PATH, else built once by Go into the user's cache.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const VERSION = "v3.17.0";
const MODULE = `helm.sh/helm/v3/cmd/helm@${VERSION}`;

/** Where Go's installer puts it, which is on few people's PATH. */
const USUAL_GO = "/usr/local/go/bin";

const execute = promisify(execFile);

/** The program, or why there is none. Building it takes a minute or two. */
export async function findHelm(): Promise<{ file: string } | { missing: string }> {
  const { stdout } = await execute("helm", ["version", "--short"]).catch(() => ({ stdout: "" }));
  if (stdout.startsWith("v3.")) return { file: "helm" };
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const file = join(cache, `helm-${VERSION}`);
  if (existsSync(file)) return { file };
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "helm-"));
  try {
    const path = [process.env["PATH"] ?? "", USUAL_GO].join(delimiter);
    const env = { ...process.env, PATH: path, GOBIN: work };
    await execute("go", ["install", MODULE], { env });
    renameSync(join(work, "helm"), file);
    return { file };
  } catch (error) {
    const { code, stderr = "" } = error as NodeJS.ErrnoException & { stderr?: string };
    const last = stderr.trim().split("\n").at(-1) ?? "";
    const missing = "neither helm nor Go is installed";
    return { missing: code === "ENOENT" ? missing : `Go cannot build helm: ${last}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
