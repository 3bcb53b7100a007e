// Verifies the checksums of what was downloaded: a file in the cache may be damaged or replaced later.
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../report/environment.ts";
import {
  EMBEDDED_MODEL,
  embeddedModelDirectory,
  MODEL_SHA256,
  TOKENIZER_SHA256,
} from "../model-server/embedded-model.ts";
import {
  cachedEnvoyFile,
  DOWNLOADED_ENVOY,
  ENVOY_VERSION,
  findEnvoy,
} from "../supervisor/envoy-binary.ts";
import { type Finding, findingsOf } from "./finding.ts";

export interface Download {
  what: string;
  /** The file or directory that a new download replaces. */
  place: string;
  isDamaged: boolean;
}

/** Returns what the gateway uses of the cache, as far as it is there. */
export async function verifyDownloads(environment: Environment): Promise<Download[]> {
  const own = findEnvoy(environment);
  const envoy = cachedEnvoyFile(environment);
  const usesCache = own === undefined || own.source === "cache";
  const model = embeddedModelDirectory(environment);
  const downloads = [
    ...(usesCache
      ? [{ what: `Envoy ${ENVOY_VERSION}`, place: envoy, hashes: { "": DOWNLOADED_ENVOY?.sha256 } }]
      : []),
    {
      what: `the model ${EMBEDDED_MODEL}`,
      place: model,
      hashes: { "model.onnx": MODEL_SHA256, "tokenizer.json": TOKENIZER_SHA256 },
    },
  ].filter(({ place }) => existsSync(place));
  return Promise.all(
    downloads.map(async ({ what, place, hashes }) => {
      const files = Object.entries(hashes).map(async ([name, hash]) => {
        return (await hashOf(join(place, name))) === hash;
      });
      return { what, place, isDamaged: (await Promise.all(files)).includes(false) };
    }),
  );
}

/** The checksums of what was downloaded. */
export async function checkDownloads(environment: Environment): Promise<Finding[]> {
  const { ok, problem } = findingsOf("downloads");
  const found = await verifyDownloads(environment);
  const damaged = found.filter(({ isDamaged }) => isDamaged);
  if (damaged.length > 0) {
    return damaged.map(({ what, place }) =>
      problem(
        `${place} is damaged or was replaced: it has not the checksum of ${what}`,
        "download it again: gateway fetch",
      ),
    );
  }
  if (found.length === 0) return [ok("nothing was downloaded yet, or ENVOY_BIN or PATH has Envoy")];
  const names = found.map(({ what }) => what).join(" and ");
  const checksums = found.length === 1 ? "has its checksum" : "have their checksums";
  return [ok(`${names} in ${dirname(dirname(cachedEnvoyFile(environment)))} ${checksums}`)];
}

/** Returns the SHA-256; undefined if the file cannot be read. */
async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 }))
      hash.update(piece as Buffer);
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}
