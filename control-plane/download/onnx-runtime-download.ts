// Downloads ONNX Runtime with the user's npm, which knows the user's registry, credentials, proxy and cache, and unpacks
// what this platform needs. The checksums are those of package-lock.json.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import {
  findOnnxRuntime,
  ONNX_RUNTIME_VERSION,
  onnxRuntimeDirectory,
} from "../model-server/onnx-runtime.ts";
import { alone } from "./alone.ts";
import { CHECKSUM, failure } from "./failure.ts";
import type { Wanted } from "./pinned-file.ts";
import type { Progress } from "./progress.ts";

/** SHA-512 in base64, as npm writes it. */
export const RUNTIME_PACKAGES = {
  "onnxruntime-common":
    "sha512-7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==",
  "onnxruntime-node":
    "sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==",
} as const;
/** What is unpacked of each package. */
const MEMBERS: Readonly<Record<keyof typeof RUNTIME_PACKAGES, readonly string[]>> = {
  "onnxruntime-common": ["package/package.json", "package/dist"],
  "onnxruntime-node": [
    "package/package.json",
    "package/dist",
    `package/bin/napi-v6/${process.platform}/${process.arch}`,
  ],
};
const WANTED: Wanted = {
  what: `ONNX Runtime ${ONNX_RUNTIME_VERSION}`,
  otherwise: "check 'npm config get registry'",
};

/** Downloads the runtime if it is not there. Rejects with a GatewayError that states what to do. */
export async function ensureOnnxRuntime(
  environment: Environment,
  progress: Progress,
): Promise<void> {
  const isThere = () => findOnnxRuntime(environment) !== undefined;
  if (isThere()) return;
  const directory = onnxRuntimeDirectory(environment);
  try {
    const wait = () => {
      progress.line(`Waiting for a different process that downloads ${WANTED.what}`);
    };
    await alone(`${directory}.lock`, wait, async () => {
      if (isThere()) return;
      progress.line(`Downloading ${WANTED.what} from the npm registry (114 MB)`);
      const work = mkdtempSync(join(dirname(directory), "unpack-"));
      try {
        await unpackInto(work, environment);
        rmSync(directory, { recursive: true, force: true });
        renameSync(join(work, "result"), directory);
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    });
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw failure(error, WANTED);
  }
}

async function unpackInto(work: string, environment: Environment): Promise<void> {
  const names = Object.keys(RUNTIME_PACKAGES) as (keyof typeof RUNTIME_PACKAGES)[];
  const specifiers = names.map((name) => `${name}@${ONNX_RUNTIME_VERSION}`);
  await run("npm", ["pack", "--silent", "--pack-destination", work, ...specifiers], environment);
  for (const name of names) {
    const archive = join(work, `${name}-${ONNX_RUNTIME_VERSION}.tgz`);
    const hash = createHash("sha512").update(readFileSync(archive)).digest("base64");
    if (`sha512-${hash}` !== RUNTIME_PACKAGES[name]) throw new Error(CHECKSUM);
    const place = join(work, "result/node_modules", name);
    mkdirSync(place, { recursive: true });
    const words = ["-xzf", archive, "-C", place, "--strip-components=1", ...MEMBERS[name]];
    await run("tar", words, environment);
  }
}

async function run(
  program: string,
  words: readonly string[],
  environment: Environment,
): Promise<void> {
  const child = spawn(program, words, {
    env: { ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [output, code] = await Promise.all([text(child.stderr), ended]);
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${output.trim()}`);
}
