// Opens the configured models: embeddings, zero-shot scores, jailbreak scores.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Environment } from "./options.ts";
import type { Embedder } from "./embedder.ts";
import { EMBEDDED_MODEL } from "./embedded-model.ts";
import { openEmbedder } from "./embeddings.ts";
import {
  embeddedGuardScores,
  type GuardResult,
  guardText,
  leastCost,
} from "./guard/jailbreak-guard.ts";
import { MAX_GUARDED, tooLong } from "./guard/windows.ts";
import { glossOf } from "./language/language.ts";
import { onnxGuard, onnxZeroshot } from "./onnx-classifier.ts";
import type { ClassifierBackend, EmbeddingBackend, ModelServerOptions } from "./options.ts";
import { postJson } from "./post-json.ts";
import { RunQueue } from "./run-queue.ts";
import { ServerError } from "./server-error.ts";
import { requestScores } from "./choice.ts";
import { openExtractor, type RunningExtractor } from "./extractor/open-extractor.ts";
import { type Label, similarities, words } from "./similarity.ts";
import { transformersGuard, transformersZeroshot } from "./transformers.ts";

export interface Models {
  embedder: Embedder;
  /** Returns a score from 0 to 1 for each label, in their order. */
  scoreLabels: (text: string, labels: readonly Label[]) => Promise<number[]>;
  /** Undefined if the embedded model, whose words it uses, is not installed. */
  extractor: RunningExtractor | undefined;
  /** Undefined if no guard is configured. */
  guard: ((text: string) => Promise<GuardResult>) | undefined;
  /** Names for GET /models. */
  names: string[];
  close: () => Promise<void>;
}

const TIMEOUT_MS = 4000;
const zeroshotAnswer = z.object({ scores: z.record(z.string(), z.number().min(0).max(1)) });
const guardAnswer = z.object({ jailbreak_prob: z.number().min(0).max(1) });

/** Loads all configured models, and the labels' vectors. Rejects with a StartError if one is missing. */
export async function openModels(
  options: ModelServerOptions,
  environment: Environment,
): Promise<Models> {
  const queue = new RunQueue();
  const opened: Embedder[] = [];
  const open = async (backend: EmbeddingBackend) => {
    const embedder = await openEmbedder(backend, environment, queue);
    opened.push(embedder);
    return embedder;
  };
  let extractor: RunningExtractor | undefined;
  const close = async () => {
    await Promise.all(
      [...opened, ...(extractor === undefined ? [] : [extractor])].map((model) => model.close()),
    );
  };
  try {
    const embedder = await open(options.embeddings);
    // The shipped head was trained on the embedded model's vectors.
    const isOther = options.guard?.backend.kind === "embedded" && embedder.model !== EMBEDDED_MODEL;
    const guardEmbedder = isOther ? await open({ kind: "embedded" }) : embedder;
    extractor = options.targets.length > 0 ? await openExtractor(environment, queue) : undefined;
    const backends = [options.zeroshot, ...(options.guard ? [options.guard.backend] : [])];
    return {
      embedder,
      scoreLabels: remembered(
        await labelScores(options, { embedder, extractor }, environment, queue),
      ),
      extractor,
      guard:
        options.guard &&
        (await guardScores(options.guard.backend, guardEmbedder, environment, queue)),
      names: [...new Set([...opened.map(({ model }) => model), ...backends.flatMap(modelName)])],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const REMEMBERED = 100;

/** Returns the same function with a cache: the choice and the extraction of a prompt need the same scores. */
function remembered(score: Models["scoreLabels"]): Models["scoreLabels"] {
  const known = new Map<string, Promise<number[]>>();
  return (text, labels) => {
    const key = createHash("sha256")
      .update(JSON.stringify([text, labels]))
      .digest("base64");
    const found = known.get(key) ?? score(text, labels);
    known.delete(key);
    known.set(key, found);
    // The caller gets the error; the cache only removes the entry.
    found.catch(() => known.delete(key));
    const oldest = known.keys().next();
    if (known.size > REMEMBERED && oldest.done !== true) known.delete(oldest.value);
    return found;
  };
}

async function labelScores(
  { zeroshot, extraction, targets }: ModelServerOptions,
  { embedder, extractor }: { embedder: Embedder; extractor: RunningExtractor | undefined },
  environment: Environment,
  queue: RunQueue,
): Promise<Models["scoreLabels"]> {
  switch (zeroshot.kind) {
    case "embedded": {
      const asksModel = extraction.mode !== "embedded" && extraction.egress !== undefined;
      return async (text, labels) => {
        const read = embedder.model === EMBEDDED_MODEL ? (glossOf(text)?.text ?? text) : text;
        const similar = await similarities(embedder, read, labels, asksModel);
        if (extractor === undefined) return similar;
        return requestScores(extractor, targets, text, labels, similar);
      };
    }
    case "address":
      return async (text, labels) => {
        const body = {
          model: zeroshot.model,
          input: text,
          labels: labels.map(({ name }) => name),
          descriptions: Object.fromEntries(labels.map((label) => [label.name, label.description])),
        };
        const { scores } = checked(zeroshotAnswer, await post(zeroshot, body, environment));
        return labels.map(({ name }) => scores[name] ?? 0);
      };
    case "onnx":
      return described(await onnxZeroshot(zeroshot.directory, queue));
    case "transformers":
      return described(await transformersZeroshot(zeroshot.model, queue));
  }
}

/** Returns the guard for a score function. It checks the queue before it computes windows, which itself takes long. */
function windowed(
  score: (windows: readonly string[]) => Promise<readonly number[]>,
  queue: RunQueue,
): Models["guard"] {
  return async (text) => {
    queue.requireRoom(leastCost(text));
    return guardText(text, score);
  };
}

async function guardScores(
  backend: ClassifierBackend,
  embedder: Embedder,
  environment: Environment,
  queue: RunQueue,
): Promise<Models["guard"]> {
  switch (backend.kind) {
    case "embedded":
      return windowed((windows) => embeddedGuardScores(embedder, windows), queue);
    case "address":
      return async (text) => {
        if (text.length > MAX_GUARDED) throw tooLong();
        const body = { model: backend.model, input: text, task: "jailbreak" };
        const answer = checked(guardAnswer, await post(backend, body, environment));
        return { probability: answer.jailbreak_prob, window: text.slice(0, 200) };
      };
    case "onnx":
      return windowed(await onnxGuard(backend.directory, queue), queue);
    case "transformers":
      return windowed(await transformersGuard(backend.model, queue), queue);
  }
}

/** Returns label scores of an NLI model. It scores a target's description, which contains more than the name. */
function described(
  score: (text: string, labels: readonly string[]) => Promise<number[]>,
): Models["scoreLabels"] {
  return (text, labels) =>
    score(
      text,
      labels.map(({ name, description }) => description || words(name)),
    );
}

function post(
  { url, access_key_variable }: Extract<ClassifierBackend, { kind: "address" }>,
  body: object,
  environment: Environment,
): Promise<unknown> {
  const key = access_key_variable === undefined ? undefined : environment[access_key_variable];
  return postJson({ url, body, key, timeoutMs: TIMEOUT_MS });
}

function checked<Answer>(schema: z.ZodType<Answer>, answer: unknown): Answer {
  const parsed = schema.safeParse(answer);
  if (!parsed.success)
    throw new ServerError(502, "The classification model's answer has another shape.");
  return parsed.data;
}

function modelName(backend: ClassifierBackend): string[] {
  if (backend.kind === "embedded") return [];
  if (backend.kind === "onnx") return [backend.directory];
  return backend.model === undefined ? [] : [backend.model];
}
