// Prometheus and its promtool, for the tests of the metrics: those on PATH, else Debian's package, unpacked into the user's
// cache. Nothing is installed into the system, and no service is started. apt checks the package's signature.
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** 2.x and 3.x read the same rules and the same page. */
const VERSION = /version [23]\./;

const run = promisify(execFile);

/** Both programs, or in a few words why there are none. */
export type Prometheus = { promtool: string; server: string } | { missing: string };

export async function ensurePrometheus(progress: (line: string) => void): Promise<Prometheus> {
  const onPath = { promtool: "promtool", server: "prometheus" };
  if ((await works(onPath.promtool)) && (await works(onPath.server))) return onPath;
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const place = join(cache, "prometheus-debian");
  const programs = { promtool: join(place, "promtool"), server: join(place, "prometheus") };
  if (existsSync(place)) return programs;
  mkdirSync(cache, { recursive: true });
  progress("Fetching Debian's package of Prometheus (19 MB, once)");
  const reason = await unpack(cache, place);
  return reason === undefined ? programs : { missing: reason };
}

/** Prometheus writes its version to standard output, some releases to standard error. */
async function works(program: string): Promise<boolean> {
  const said = await run(program, ["--version"]).catch(() => ({ stdout: "", stderr: "" }));
  return VERSION.test(said.stdout + said.stderr);
}

/** Returns why it failed. */
async function unpack(cache: string, place: string): Promise<string | undefined> {
  // Of this process alone, and moved at the end: two runs at once do not disturb each other.
  const work = mkdtempSync(join(cache, "prometheus-"));
  try {
    await run("apt-get", ["download", "prometheus"], { cwd: work });
    const [file = ""] = globSync("*.deb", { cwd: work });
    await run("dpkg", ["-x", file, "tree"], { cwd: work });
    if (!existsSync(place)) renameSync(join(work, "tree/usr/bin"), place);
    return undefined;
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: string | number; stderr?: string };
    if (code === "ENOENT") return "Prometheus is not installed, and this is no Debian";
    const said = (stderr || message).trim().split("\n").at(-1) ?? "";
    return `Debian's package of Prometheus cannot be fetched (network? apt-get update?): ${said}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
