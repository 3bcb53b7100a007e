// Models by @huggingface/transformers, which is not installed by default: who wants one installs it beside the gateway.
import { StartError } from "./start-error.ts";
import type { Embedder } from "./embedder.ts";
import { harmOf, HYPOTHESIS, type LabelScore, requireHarm } from "./labels.ts";
import type { RunQueue } from "./run-queue.ts";
import { unitVector } from "./vector.ts";

const PACKAGE = "@huggingface/transformers";

/** What the models read of a text, about 256 tokens. Characters. */
const MAX_TEXT = 1200;
/** As for our own runs: more threads are slower where Envoy needs them too. */
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1 };

/** The little that is used of the package, whose types are not there when it is not. */
interface Transformers {
  pipeline: (task: string, model: string, options: object) => Promise<Pipeline>;
}
type Pipeline = ((...words: unknown[]) => Promise<unknown>) & { dispose: () => Promise<unknown> };

async function open(task: string, model: string): Promise<Pipeline> {
  // In a variable, so that neither the compiler nor a bundler looks for it.
  const name = PACKAGE;
  let transformers: Transformers;
  try {
    transformers = (await import(name)) as Transformers;
  } catch {
    throw new StartError(`The model ${model} needs the package ${PACKAGE}.`, {
      hint: `Run 'npm install --no-save ${PACKAGE}' in the gateway's directory.`,
    });
  }
  try {
    return await transformers.pipeline(task, model, { session_options: SESSION });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`The model ${model} cannot be loaded: ${reason}`);
  }
}

/** From a directory or a name of the hub. Rejects with a StartError, as those below. */
export async function transformersEmbedder(model: string, queue: RunQueue): Promise<Embedder> {
  const run = await open("feature-extraction", model);
  const embedText = async (text: string) => {
    const options = { pooling: "mean", normalize: true };
    const { data } = (await run(text.slice(0, MAX_TEXT), options)) as { data: Float32Array };
    return { vector: unitVector(data), tokens: 0 };
  };
  return {
    model,
    embed: (texts) => queue.runAll(texts, embedText),
    close: async () => {
      await queue.idle();
      await run.dispose();
    },
  };
}

/** How well each label suits the text, 0 to 1, by a natural-language-inference model. */
export async function transformersZeroshot(model: string, queue: RunQueue) {
  const run = await open("zero-shot-classification", model);
  const options = { multi_label: true, hypothesis_template: HYPOTHESIS };
  return (text: string, labels: readonly string[]): Promise<number[]> =>
    queue.runAll(labels, async (label) => {
      const result = await run(text.slice(0, MAX_TEXT), [label], options);
      return (result as { scores: number[] }).scores[0] ?? 0;
    });
}

/** How likely each text is a jailbreak, 0 to 1, by a text-classification model with a label for it. */
export async function transformersGuard(model: string, queue: RunQueue) {
  const run = await open("text-classification", model);
  const classify = (text: string) =>
    run(text.slice(0, MAX_TEXT), { top_k: null }) as Promise<LabelScore[]>;
  const labels = (await classify("ready")).map(({ label }) => label);
  requireHarm(labels, `The model ${model}`);
  return (texts: readonly string[]): Promise<number[]> =>
    queue.runAll(texts, async (text) => harmOf(await classify(text)));
}
