// `gateway fetch`: everything that is downloaded on first use, for a machine that will be offline.
import { rmSync } from "node:fs";
import { verifyDownloads } from "../../doctor/downloads.ts";
import { fetchAll } from "../../download/first-use.ts";
import { progressOn } from "../../download/progress.ts";
import { requireEnvoy } from "../../supervisor/envoy-binary.ts";
import { requireEmbeddedModel } from "../../model-server/embedded-model.ts";

/** Downloads what is missing, and again what has not its checksum. */
export async function fetchEverything(): Promise<void> {
  const progress = progressOn(process.stderr);
  for (const { what, place, isDamaged } of await verifyDownloads(process.env)) {
    if (!isDamaged) continue;
    progress.line(`${place} is damaged or was replaced: it has not the checksum of ${what}`);
    rmSync(place, { recursive: true });
  }
  await fetchAll(process.env, progress);
  console.log(`Envoy: ${requireEnvoy(process.env).file}`);
  console.log(`Embedded model: ${requireEmbeddedModel(process.env)}`);
}
