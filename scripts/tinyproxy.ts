// Proxies for the tests of outgoing proxies: tinyproxy, the one on PATH, else Debian's package in the user's cache.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cachePlace, unpackDebianPackage } from "./debian-packages.ts";

/** Returns the program, or in a few words why there is none. */
export async function ensureTinyproxy(): Promise<{ program: string } | { missing: string }> {
  const isInstalled = spawnSync("tinyproxy", ["-v"], { stdio: "ignore" }).status === 0;
  if (isInstalled) return { program: "tinyproxy" };
  const place = cachePlace("tinyproxy-debian");
  if (!existsSync(place)) {
    const missing = await unpackDebianPackage("tinyproxy-bin", "usr", place);
    if (missing !== undefined) return { missing };
  }
  return { program: join(place, "bin/tinyproxy") };
}
