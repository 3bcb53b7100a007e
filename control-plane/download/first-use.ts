// What a gateway needs and the package does not contain: downloaded before the first start, nothing afterwards.
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { GatewayModel } from "../../model/model.ts";
import { ensureEmbeddedModel } from "./embedded-model-download.ts";
import { ensureEnvoy } from "./envoy.ts";
import { ensureOnnxRuntime } from "./onnx-runtime-download.ts";
import type { Progress } from "./progress.ts";

/** Downloads everything, for a later use without a network. Rejects with a GatewayError. */
export async function fetchAll(environment: Environment, progress: Progress): Promise<void> {
  await ensureEnvoy(environment, progress);
  await fetchModel(environment, progress);
}

/** Downloads what the configuration needs. Rejects with a GatewayError if Envoy cannot be downloaded. */
export async function fetchMissing(
  model: Pick<GatewayModel, "prompt">,
  environment: Environment,
  progress: Progress,
): Promise<void> {
  await ensureEnvoy(environment, progress);
  await fetchPromptModel(model, environment, progress);
}

/** Downloads the embedded model if prompts need it. A failure is reported: whoever opens the model decides. */
export async function fetchPromptModel(
  { prompt }: Pick<GatewayModel, "prompt">,
  environment: Environment,
  progress: Progress,
): Promise<void> {
  if (prompt === undefined) return;
  try {
    await fetchModel(environment, progress);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    progress.line([error.message, error.hint ?? ""].join(" ").trimEnd());
  }
}

/** Downloads the embedded model and its runtime. Rejects with a GatewayError. */
async function fetchModel(environment: Environment, progress: Progress): Promise<void> {
  await ensureOnnxRuntime(environment, progress);
  await ensureEmbeddedModel(environment, progress);
}
