// The part of the set-up that runs on Node 24: the Envoy binary, the embedded model and the compiled filter. Called by scripts/run.sh.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import { ensureEmbeddedModel } from "../control-plane/download/embedded-model-download.ts";
import { ensureEnvoy } from "../control-plane/download/envoy.ts";
import { type Progress, progressOn } from "../control-plane/download/progress.ts";
import { buildFilter } from "./build-filter.ts";

async function setUp(root: string, progress: Progress, always: boolean): Promise<void> {
  const started = new Date();
  const envoy = await ensureEnvoy(process.env, progress);
  if (always) progress.line(`Envoy is ${envoy.file}`);
  const model = await embeddedModel(progress);
  if (always && model !== undefined) progress.line(`The embedded model is ${model}`);
  const filter = buildFilter(root);
  if (always || filter.compiled) {
    const size = `${String(Math.ceil(filter.bytes / 1024))} KB`;
    progress.line(
      filter.compiled ? `Compiled the filter (${size})` : `The filter is current (${size})`,
    );
  }
  // Without the model nearly everything works, and the next set-up tries again.
  if (model === undefined) return;
  // What changes from here on is newer than the stamp, so that the next run looks again. The stamp names the
  // Envoy that is there without ENVOY_BIN, and the model, so that run.sh sees when one is needed and gone.
  const stamp = join(root, "build/set-up.stamp");
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, `${envoy.source === "ENVOY_BIN" ? "" : envoy.file}\n${model}\n`);
  utimesSync(stamp, started, started);
}

/** Prompt targets and the jailbreak guard need it; a gateway without either starts. */
async function embeddedModel(progress: Progress): Promise<string | undefined> {
  try {
    return await ensureEmbeddedModel(process.env, progress);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    progress.line(
      `${error.message} Prompt targets and the jailbreak guard are off. ${error.hint ?? ""}`,
    );
    return undefined;
  }
}

try {
  const root = join(import.meta.dirname, "..");
  await setUp(root, progressOn(process.stderr), process.argv[2] === "yes");
} catch (error) {
  if (!(error instanceof GatewayError)) throw error;
  console.error(`gateway: ${error.message} ${error.hint ?? ""}`.trimEnd());
  process.exitCode = 1;
}
