// Fetches Envoy's rate limit service (a Go module) and Debian's redis-server into the user's cache, for the tests of limits
// that several gateways share. Nothing is installed into the system, and no service of the system is started.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";
import type { Environment } from "../control-plane/report/environment.ts";
import { GatewayError } from "../control-plane/report/gateway-error.ts";

/** The module has no releases; Go's checksum database vouches for it. */
const MODULE = "github.com/envoyproxy/ratelimit/src/service_cmd";
const MODULE_VERSION = "v1.4.1-0.20260122083618-3fb702589d36";
/** Debian's redis and the libraries that a machine without it lacks. apt checks their signatures. */
const PACKAGES = ["redis-server", "redis-tools", "liblzf1", "libjemalloc2"];
/** Where the Go installer puts it, which is on few people's PATH. */
const USUAL_GO = "/usr/local/go/bin";

export interface RateLimitServicePrograms {
  service: string;
  redis: string;
  /** Directory of the libraries that redis needs, for LD_LIBRARY_PATH. */
  libraries: string;
}

/** Why they cannot be had on this machine at all; undefined when they can. */
export function missingForRateLimitService(environment: Environment): string | undefined {
  if (existsSync(placeOf(environment))) return undefined;
  if (!works("go", ["version"], environment)) return "Go is not installed";
  if (!works("apt-get", ["--version"], environment)) return "this is no Debian";
  return undefined;
}

/** The programs, fetched and compiled when they are not there (about a minute). Throws a GatewayError with what went wrong. */
export function ensureRateLimitService(
  environment: Environment,
  progress: (line: string) => void,
): RateLimitServicePrograms {
  const place = placeOf(environment);
  if (!existsSync(place)) {
    progress("Fetching Envoy's rate limit service and redis (about a minute)");
    make(place, environment);
  }
  return {
    service: join(place, basename(MODULE)),
    redis: join(place, "redis-server"),
    libraries: place,
  };
}

function placeOf(environment: Environment): string {
  const home = environment["HOME"] ?? homedir();
  const cache = environment["XDG_CACHE_HOME"] ?? join(home, ".cache");
  return join(cache, "gateway", `rate-limit-service-${MODULE_VERSION}`);
}

function make(place: string, environment: Environment): void {
  const cache = join(place, "..");
  mkdirSync(cache, { recursive: true });
  // Of this process alone, and moved at the end: two runs at once do not disturb each other.
  const work = mkdtempSync(join(cache, "making-"));
  try {
    const made = join(work, "made");
    mkdirSync(made);
    run("go", ["install", `${MODULE}@${MODULE_VERSION}`], work, { ...environment, GOBIN: made });
    run("apt-get", ["download", ...PACKAGES], work, environment);
    for (const file of globSync("*.deb", { cwd: work }))
      run("dpkg", ["-x", file, "tree"], work, environment);
    const found = globSync(["tree/usr/bin/redis-check-rdb", "tree/usr/lib/*/*.so.*"], {
      cwd: work,
    });
    // redis-server is a link to this program, which acts by the name that it is called by.
    for (const file of found) {
      copyFileSync(
        join(work, file),
        join(made, basename(file).replace("redis-check-rdb", "redis-server")),
      );
    }
    if (!existsSync(place)) renameSync(made, place);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(program: string, words: string[], directory: string, environment: Environment): void {
  const result = spawnSync(program, words, {
    cwd: directory,
    encoding: "utf8",
    env: withGo(environment),
  });
  if (result.status === 0) return;
  const said = result.error?.message ?? `${result.stdout}${result.stderr}`;
  throw new GatewayError(
    `${program} ${words.join(" ")} failed: ${said.trim().split("\n").at(-1) ?? ""}`,
    {
      hint: "Check the network and its proxies (Go: GOPROXY), run apt-get update, and try again.",
    },
  );
}

function works(program: string, words: string[], environment: Environment): boolean {
  return spawnSync(program, words, { env: withGo(environment) }).status === 0;
}

function withGo(environment: Environment): NodeJS.ProcessEnv {
  const path = [environment["PATH"] ?? "", USUAL_GO].join(delimiter);
  return { ...environment, PATH: path };
}
