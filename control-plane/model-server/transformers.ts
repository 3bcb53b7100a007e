// Models of @huggingface/transformers, an optional package that is installed beside the gateway.
import { StartError } from "./start-error.ts";
import type { Embedder } from "./embedder.ts";
import { harmOf, HYPOTHESIS, type LabelScore, requireHarm } from "./labels.ts";
import type { RunQueue } from "./run-queue.ts";
import { unitVector } from "./vector.ts";

const PACKAGE = "@huggingface/transformers";

/** The part of a text that the models read, about 256 tokens. Characters. */
const MAX_TEXT = 1200;
/** As for the ONNX models: more threads are slower, because Envoy needs the processors too. */
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1 };

/** The part of the package that is used; its own types exist only if it is installed. */
interface Transformers {
  pipeline: (task: string, model: string, options: object) => Promise<Pipeline>;
}
type Pipeline = ((...words: unknown[]) => Promise<unknown>) & { dispose: () => Promise<unknown> };

async function open(task: string, model: string): Promise<Pipeline> {
  // In a variable, so that neither the compiler nor a bundler resolves it.
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

/** Loads a model from a directory or by its name in the hub. Rejects with a StartError, as do the functions below. */
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

/**
 * Returns a function that scores from 0 to 1 how well each label matches the text, by a natural-language-inference
 * model.
 */
export async function transformersZeroshot(model: string, queue: RunQueue) {
  const run = await open("zero-shot-classification", model);
  const options = { multi_label: true, hypothesis_template: HYPOTHESIS };
  return (text: string, labels: readonly string[]): Promise<number[]> =>
    queue.runAll(labels, async (label) => {
      const result = await run(text.slice(0, MAX_TEXT), [label], options);
      return (result as { scores: number[] }).scores[0] ?? 0;
    });
}

/**
 * Returns a function that scores from 0 to 1 how likely each text is a jailbreak, by a text-classification model with
 * such a label.
 */
export async function transformersGuard(model: string, queue: RunQueue) {
  const run = await open("text-classification", model);
  const classify = (text: string) =>
    run(text.slice(0, MAX_TEXT), { top_k: null }) as Promise<LabelScore[]>;
  const labels = (await classify("ready")).map(({ label }) => label);
  requireHarm(labels, `The model ${model}`);
  return (texts: readonly string[]): Promise<number[]> =>
    queue.runAll(texts, async (text) => harmOf(await classify(text)));
}
