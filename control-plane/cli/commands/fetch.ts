// `gateway fetch`: everything that is downloaded on first use, for a machine that will be offline.
import { fetchAll } from "../../download/first-use.ts";
import { progressOn } from "../../download/progress.ts";
import { requireEnvoy } from "../../supervisor/envoy-binary.ts";
import { requireEmbeddedModel } from "../../model-server/embedded-model.ts";

export async function fetchEverything(): Promise<void> {
  await fetchAll(process.env, progressOn(process.stderr));
  console.log(`Envoy: ${requireEnvoy(process.env).file}`);
  console.log(`Embedded model: ${requireEmbeddedModel(process.env)}`);
}
