// Trains the jailbreak guard's head on our own sentences: `node scripts/train-guard.ts`, and `--measure` for held-out rates.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbedder } from "../control-plane/model-server/embeddings.ts";
import { headProbability } from "../control-plane/model-server/guard.ts";
import { RunQueue } from "../control-plane/model-server/run-queue.ts";

const DIRECTORY = join(import.meta.dirname, "../control-plane/model-server");
const THRESHOLD = 0.7;
const FOLDS = 10;
const STEPS = 3000;
const RATE = 1;
/** The vectors are short in every direction: their slopes are a tenth of the bias's. */
const VECTOR_RATE = 10;
/** Against weights that only remember the sentences. */
const DECAY = 2e-4;

interface Sample {
  kind: "jailbreak" | "hard-benign" | "ordinary";
  vector: Float32Array;
}

interface Head {
  weights: number[];
  bias: number;
}

async function samples(): Promise<Sample[]> {
  const embedder = await openEmbedder({ kind: "embedded" }, process.env, new RunQueue());
  const result: Sample[] = [];
  for (const kind of ["jailbreak", "hard-benign", "ordinary"] as const) {
    const text = readFileSync(join(DIRECTORY, "training", `${kind}.txt`), "utf8");
    const found = await embedder.embed(text.trim().split("\n"));
    result.push(...found.map(({ vector }) => ({ kind, vector })));
  }
  await embedder.close();
  return result;
}

/** Logistic regression by gradient descent over all samples; both classes weigh the same. Deterministic. */
function train(all: readonly Sample[]): Head {
  const width = all[0]?.vector.length ?? 0;
  const head: Head = { weights: new Array<number>(width).fill(0), bias: 0 };
  const positive = all.filter(({ kind }) => kind === "jailbreak").length;
  const share = { yes: 0.5 / positive, no: 0.5 / (all.length - positive) };
  for (let step = 0; step < STEPS; step++) {
    const slope = new Float64Array(width);
    let biasSlope = 0;
    for (const { kind, vector } of all) {
      const isJailbreak = kind === "jailbreak";
      const error = headProbability(vector, head.weights, head.bias) - (isJailbreak ? 1 : 0);
      const weighed = error * (isJailbreak ? share.yes : share.no);
      for (let index = 0; index < width; index++) {
        slope[index] = (slope[index] ?? 0) + weighed * (vector[index] ?? 0);
      }
      biasSlope += weighed;
    }
    head.weights = head.weights.map(
      (weight, index) => weight - VECTOR_RATE * ((slope[index] ?? 0) + DECAY * weight),
    );
    head.bias -= RATE * biasSlope;
  }
  return head;
}

/** Each sentence judged by a head that has not seen it. */
function measure(all: readonly Sample[]): void {
  const hits = new Map<string, { caught: number; of: number }>();
  for (let fold = 0; fold < FOLDS; fold++) {
    const head = train(all.filter((_, index) => index % FOLDS !== fold));
    for (const { kind, vector } of all.filter((_, index) => index % FOLDS === fold)) {
      const count = hits.get(kind) ?? { caught: 0, of: 0 };
      if (headProbability(vector, head.weights, head.bias) >= THRESHOLD) count.caught++;
      count.of++;
      hits.set(kind, count);
    }
  }
  for (const [kind, { caught, of }] of hits) console.log(`${kind}: ${caught} of ${of} caught`);
}

const all = await samples();
if (process.argv[2] === "--measure") {
  measure(all);
} else {
  const { weights, bias } = train(all);
  const rounded = { weights: weights.map(round), bias: round(bias) };
  writeFileSync(join(DIRECTORY, "guard-head.json"), `${JSON.stringify(rounded)}\n`);
  console.log(`Trained on ${all.length} sentences.`);
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
