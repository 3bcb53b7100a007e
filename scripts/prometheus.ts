// Prometheus and its promtool, for the tests of the metrics: those on PATH, else Debian's package in the user's cache.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cachePlace, unpackDebianPackage } from "./debian-packages.ts";

/** 2.x and 3.x read the same rules and the same page. */
const VERSION = /version [23]\./;

const run = promisify(execFile);

/** Both programs, or in a few words why there are none. */
export type Prometheus = { promtool: string; server: string } | { missing: string };

export async function ensurePrometheus(progress: (line: string) => void): Promise<Prometheus> {
  const onPath = { promtool: "promtool", server: "prometheus" };
  if ((await works(onPath.promtool)) && (await works(onPath.server))) return onPath;
  const place = cachePlace("prometheus-debian");
  const programs = { promtool: join(place, "promtool"), server: join(place, "prometheus") };
  if (existsSync(place)) return programs;
  progress("Fetching Debian's package of Prometheus (19 MB, once)");
  const reason = await unpackDebianPackage("prometheus", "usr/bin", place);
  return reason === undefined ? programs : { missing: reason };
}

/** Prometheus writes its version to standard output, some releases to standard error. */
async function works(program: string): Promise<boolean> {
  const said = await run(program, ["--version"]).catch(() => ({ stdout: "", stderr: "" }));
  return VERSION.test(said.stdout + said.stderr);
}
