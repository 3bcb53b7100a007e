// A classification or natural-language-inference model in ONNX: labels and their probabilities.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { StartError } from "./start-error.ts";
import { entailmentOf, harmOf, hypothesisOf, requireHarm } from "./labels.ts";
import type { LabelScore } from "./labels.ts";
import { type OnnxModel, openOnnxModel, pairIds, runModel, tokenIds } from "./onnx-model.ts";
import type { RunQueue } from "./run-queue.ts";

const FILES = ["model.onnx", "tokenizer.json", "config.json"];
const configuration = z.looseObject({ id2label: z.record(z.string(), z.string()) });

interface Classifier {
  model: OnnxModel;
  /** In the order of the model's outputs. */
  labels: string[];
}

/**
 * Returns a function that scores from 0 to 1 how well each label matches a text, by an NLI model. Rejects with a
 * StartError.
 */
export async function onnxZeroshot(directory: string, queue: RunQueue) {
  const { model, labels } = await open(directory);
  if (entailmentOf(labels) < 0) {
    throw new StartError(
      `The model in ${directory} has no label "entailment" but ${labels.join(", ")}.`,
      { hint: "Name a natural-language-inference model for model_server.zeroshot." },
    );
  }
  return (text: string, suggestions: readonly string[]): Promise<number[]> =>
    queue.runAll(
      suggestions.map((label) => hypothesisOf(label)),
      async (hypothesis) => {
        const { ids, types } = pairIds(model, text, hypothesis);
        const { data } = await runModel(model, ids, "logits", types);
        return entailment(data, labels);
      },
    );
}

/**
 * Returns a function that scores from 0 to 1 how likely each text is a jailbreak, by a classification model. Rejects
 * with a StartError.
 */
export async function onnxGuard(directory: string, queue: RunQueue) {
  const { model, labels } = await open(directory);
  requireHarm(labels, `The model in ${directory}`);
  return (texts: readonly string[]): Promise<number[]> =>
    queue.runAll(texts, async (text) => {
      const { data } = await runModel(model, tokenIds(model, text), "logits");
      return harmOf(scored(data, labels));
    });
}

function open(directory: string): Promise<Classifier> {
  return openOnnxModel(
    directory,
    async (model) => {
      const text = readFileSync(join(directory, "config.json"), "utf8");
      const { id2label } = configuration.parse(JSON.parse(text));
      const labels = Object.entries(id2label)
        .sort(([one], [other]) => Number(one) - Number(other))
        .map(([, label]) => label);
      const { data } = await runModel(model, tokenIds(model, "ready"), "logits");
      if (data.length === labels.length) return { model, labels };
      throw new StartError(
        `The model in ${directory} gives ${String(data.length)} numbers for ${String(labels.length)} labels.`,
        { hint: "Name a classification model, whose config.json has its id2label." },
      );
    },
    FILES,
  );
}

/** Returns the probability of entailment against contradiction: the neutral label is ignored. */
function entailment(logits: Float32Array, labels: readonly string[]): number {
  const yes = logits[entailmentOf(labels)] ?? 0;
  const contradiction = labels.findIndex((label) => /contradict|not_entail/i.test(label));
  const no = logits[contradiction] ?? Math.max(...without(logits, entailmentOf(labels)));
  return 1 / (1 + Math.exp(no - yes));
}

function without(logits: Float32Array, index: number): number[] {
  return [...logits].filter((_, at) => at !== index);
}

function scored(logits: Float32Array, labels: readonly string[]): LabelScore[] {
  const largest = Math.max(...logits);
  const shares = [...logits].map((logit) => Math.exp(logit - largest));
  const sum = shares.reduce((total, share) => total + share, 0);
  return labels.map((label, index) => ({ label, score: (shares[index] ?? 0) / sum }));
}
