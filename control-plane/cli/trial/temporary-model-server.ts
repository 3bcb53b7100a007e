// A model server for one command, which ends with it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Prompt } from "../../../model/prompts.ts";
import { fetchPromptModel } from "../../download/first-use.ts";
import { progressOn } from "../../download/progress.ts";
import { callListener } from "../../supervisor/admin.ts";
import type { Configuration } from "../../supervisor/configuration-file.ts";
import { modelServerEnvironment, superviseModelServer } from "../../supervisor/model-server.ts";
import { type Egress, modelServerInput } from "../../supervisor/model-server-input.ts";
import { urlOf } from "../../../model/listener-url.ts";
import { findRunning } from "../../supervisor/state.ts";

/**
 * Runs `work` beside a model server.
 * @param work gets the path of its socket
 */
export async function withModelServer(
  configuration: Configuration,
  prompt: Prompt,
  work: (socketPath: string) => Promise<void>,
): Promise<void> {
  const { model, environment } = configuration;
  await fetchPromptModel(model, environment, progressOn(process.stderr));
  const directory = mkdtempSync(join(tmpdir(), "gateway-targets-")); // which its user alone can enter
  const socketPath = join(directory, "model-server.sock");
  const server = await superviseModelServer({
    socketPath,
    input: modelServerInput(model, prompt, await runningEgress(configuration)),
    environment: modelServerEnvironment(environment, prompt.modelServer.environment),
    report: (line) => {
      console.error(`· ${line}`);
    },
  });
  try {
    await work(socketPath);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}

/** A language model can be asked only where the gateway itself is running. */
async function runningEgress({
  model,
  file,
  environment,
}: Configuration): Promise<Egress | undefined> {
  const own = findRunning(environment).find(({ record }) => record.configuration === file.path);
  const socketPath = own?.record.egressSocket;
  try {
    const { status } = await callListener(model.egress, "/healthz");
    return status === 200 ? { url: urlOf(model.egress), socketPath } : undefined;
  } catch {
    return undefined;
  }
}
