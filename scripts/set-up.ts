// The part of the set-up that runs on Node 24: the Envoy binary, the embedded model and the compiled filter. Called by scripts/run.sh.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GatewayError } from "../control-plane/config/diagnostics/gateway-error.ts";
import { buildFilter } from "./build-filter.ts";
import { ensureEmbeddedModel } from "./embedded-model.ts";
import { ensureEnvoy } from "./envoy.ts";

function setUp(root: string, progress: (line: string) => void, always: boolean): void {
  const started = new Date();
  const envoy = ensureEnvoy(process.env, progress);
  if (always) progress(`Envoy is ${envoy.file}`);
  const model = embeddedModel(progress);
  if (always && model !== undefined) progress(`The embedded model is ${model}`);
  const filter = buildFilter(root);
  if (always || filter.compiled) {
    const size = `${String(Math.ceil(filter.bytes / 1024))} KB`;
    progress(filter.compiled ? `Compiled the filter (${size})` : `The filter is current (${size})`);
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

/** Prompt targets and the jailbreak guard need it; who uses neither is not kept from starting. */
function embeddedModel(progress: (line: string) => void): string | undefined {
  try {
    return ensureEmbeddedModel(process.env, progress);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    progress(
      `${error.message} Prompt targets and the jailbreak guard are off. ${error.hint ?? ""}`,
    );
    return undefined;
  }
}

try {
  setUp(
    join(import.meta.dirname, ".."),
    (line) => {
      console.error(`· ${line}`);
    },
    process.argv[2] === "yes",
  );
} catch (error) {
  if (!(error instanceof GatewayError)) throw error;
  console.error(`gateway: ${error.message} ${error.hint ?? ""}`.trimEnd());
  process.exitCode = 1;
}
