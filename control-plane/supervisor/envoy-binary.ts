// Selects the Envoy binary: ENVOY_BIN, else one on PATH of the right version, else the downloaded one.
import { spawnSync } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { commandFor } from "../report/command-name.ts";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";

/** The version that is downloaded; any patch release of the same minor version is accepted. */
export const ENVOY_VERSION = "1.40.0";
const RIGHT_VERSION = /\/1\.40\.\d+\//;

/** The downloaded binaries, by platform and architecture as in `process`. */
const BINARIES: Readonly<Record<string, { bytes: number; sha256: string }>> = {
  "linux-x64": {
    bytes: 106_905_560,
    sha256: "8aa137a7d00994ce43f613556f5a120709229f63bedb86eedde5ccbc402c2b80",
  },
  "linux-arm64": {
    bytes: 103_837_096,
    sha256: "03cacc952561635c0b7d2a829291f341dadbebc32050475efbe7321b1bbe18c2",
  },
  "darwin-arm64": {
    bytes: 83_184_792,
    sha256: "1a03e0e6c6cdd723787baac24fc069874a455b566c43aee491caf94d87f76110",
  },
};
/** The binary that is downloaded to this machine; undefined if there is none for it. */
export const DOWNLOADED_ENVOY = BINARIES[`${process.platform}-${process.arch}`];

export interface EnvoyBinary {
  file: string;
  source: "ENVOY_BIN" | "PATH" | "cache";
}

/** Returns the path of a downloaded Envoy. */
export function cachedEnvoyFile(environment: Environment): string {
  const home = environment["HOME"] ?? homedir();
  const cache = environment["XDG_CACHE_HOME"] || join(home, ".cache");
  return join(cache, "gateway", `envoy-${ENVOY_VERSION}`, "envoy");
}

/** Returns the Envoy to run, or undefined if it has to be downloaded. Throws if ENVOY_BIN is not a program. */
export function findEnvoy(environment: Environment): EnvoyBinary | undefined {
  const named = environment["ENVOY_BIN"];
  if (named) {
    if (isProgram(named)) return { file: resolve(named), source: "ENVOY_BIN" };
    throw new GatewayError(`ENVOY_BIN is ${named}, which is not an executable file.`, {
      hint: `Set it to an Envoy ${ENVOY_VERSION} binary, or unset it to download Envoy.`,
    });
  }
  for (const folder of (environment["PATH"] ?? "").split(delimiter)) {
    const file = join(folder, "envoy");
    if (folder !== "" && isProgram(file) && !isScript(file) && hasRightVersion(file)) {
      return { file, source: "PATH" };
    }
  }
  const cached = cachedEnvoyFile(environment);
  return isWhole(cached) ? { file: cached, source: "cache" } : undefined;
}

/** Whether a downloaded Envoy has its size. `gateway fetch` and `gateway doctor` verify its checksum, which takes 0.3 s. */
function isWhole(file: string): boolean {
  return isProgram(file) && statSync(file).size === (DOWNLOADED_ENVOY?.bytes ?? NaN);
}

/** Returns the Envoy to run. Throws if it is not found. */
export function requireEnvoy(environment: Environment): EnvoyBinary {
  const envoy = findEnvoy(environment);
  if (envoy) return envoy;
  throw new GatewayError(`Envoy ${ENVOY_VERSION} is not installed.`, {
    hint: `Run '${commandFor("fetch")}' to download it, or set ENVOY_BIN to an Envoy 1.40 binary.`,
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether the file is a script: a wrapper such as pip's `envoy` script does not pass signals on to Envoy. */
function isScript(file: string): boolean {
  const start = Buffer.alloc(2);
  try {
    const descriptor = openSync(file, "r");
    readSync(descriptor, start, 0, 2, 0);
    closeSync(descriptor);
  } catch {
    return true;
  }
  return start.toString("latin1") === "#!";
}

function hasRightVersion(file: string): boolean {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: 5000 });
  return RIGHT_VERSION.test(stdout);
}
