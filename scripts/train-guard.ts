// Trains the jailbreak guard's head on our own sentences: `node scripts/train-guard.ts`, and `--measure` for held-out rates.
// A line of the training files can have alternatives: `{Ignore|Forget} the {rules|instructions}`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbedder } from "../control-plane/model-server/embeddings.ts";
import {
  type GuardHead,
  headProbability,
  WORD_WEIGHTS,
  wordPlaces,
  wordShare,
} from "../control-plane/model-server/guard/guard-head.ts";
import { RunQueue } from "../control-plane/model-server/run-queue.ts";

const DIRECTORY = join(import.meta.dirname, "../control-plane/model-server/guard");
const KINDS = ["jailbreak", "hard-benign", "ordinary"] as const;
const SEED = 19;
/** Sentences that a line with alternatives becomes. */
const EXPANSIONS = 24;
const THRESHOLD = 0.7;
const FOLDS = 5;
const STEPS = 800;
const RATE = 0.05;
/** Against weights that only remember the sentences. */
const VECTOR_DECAY = 2e-4;
const WORD_DECAY = 6e-5;
/** Moves the log odds so that few harmless sentences with words of attacks reach the threshold (scripts/evaluate-guard.ts). */
const SHIFT = -0.9;

interface Sample {
  kind: (typeof KINDS)[number];
  /** The line that it came from. */
  line: number;
  text: string;
  vector: Float32Array;
  places: number[];
}

/** Returns numbers from 0 to 1: a linear congruential generator, the same on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function expanded(line: string, random: () => number): string[] {
  if (!line.includes("{")) return [line];
  const once = () =>
    line.replaceAll(/\{([^{}]*)\}/g, (_, alternatives: string) => {
      const all = alternatives.split("|");
      return all[Math.floor(random() * all.length)] ?? "";
    });
  return [...new Set(Array.from({ length: EXPANSIONS }, once))];
}

async function samples(): Promise<Sample[]> {
  const embedder = await openEmbedder({ kind: "embedded" }, process.env, new RunQueue());
  const random = randomNumbers(SEED);
  const result: Sample[] = [];
  let line = 0;
  for (const kind of KINDS) {
    const lines = readFileSync(join(DIRECTORY, "training", `${kind}.txt`), "utf8");
    for (const written of lines.trim().split("\n")) {
      line++;
      for (const text of expanded(written, random)) {
        const [found] = await embedder.embed([text]);
        if (found === undefined) throw new Error(`no vector for: ${text}`);
        result.push({ kind, line, text, vector: found.vector, places: wordPlaces(text) });
      }
    }
  }
  await embedder.close();
  return result;
}

/** Logistic regression by Adam over all samples; both classes weigh the same. Deterministic. */
function train(all: readonly Sample[]): GuardHead {
  const width = all[0]?.vector.length ?? 0;
  const weights = new Float64Array(1 + width + WORD_WEIGHTS);
  const moment = new Float64Array(weights.length);
  const square = new Float64Array(weights.length);
  const positive = all.filter(({ kind }) => kind === "jailbreak").length;
  const share = { yes: 0.5 / positive, no: 0.5 / (all.length - positive) };
  for (let step = 1; step <= STEPS; step++) {
    const slope = slopeOf(all, weights, width, share);
    const rate = (RATE * Math.sqrt(1 - 0.999 ** step)) / (1 - 0.9 ** step);
    const cooled = rate * (1 - step / (STEPS + 1));
    slope.forEach((own, index) => {
      moment[index] = 0.9 * (moment[index] ?? 0) + 0.1 * own;
      square[index] = 0.999 * (square[index] ?? 0) + 0.001 * own * own;
      weights[index] =
        (weights[index] ?? 0) -
        (cooled * (moment[index] ?? 0)) / (Math.sqrt(square[index] ?? 0) + 1e-8);
    });
  }
  return headOf(weights, width);
}

function slopeOf(
  all: readonly Sample[],
  weights: Float64Array,
  width: number,
  share: { yes: number; no: number },
): Float64Array {
  const head = headOf(weights, width);
  const slope = weights.map((weight, index) =>
    index === 0 ? 0 : weight * (index <= width ? VECTOR_DECAY : WORD_DECAY),
  );
  for (const { kind, vector, places, text } of all) {
    const isJailbreak = kind === "jailbreak";
    const error = headProbability(head, vector, text, places) - (isJailbreak ? 1 : 0);
    const weighed = error * (isJailbreak ? share.yes : share.no);
    slope[0] = (slope[0] ?? 0) + weighed;
    for (let index = 0; index < width; index++) {
      slope[index + 1] = (slope[index + 1] ?? 0) + weighed * (vector[index] ?? 0);
    }
    const own = weighed * wordShare(places);
    for (const place of places) slope[1 + width + place] = (slope[1 + width + place] ?? 0) + own;
  }
  return slope;
}

function headOf(weights: Float64Array, width: number): GuardHead {
  return {
    bias: weights[0] ?? 0,
    vector: weights.subarray(1, 1 + width),
    words: weights.subarray(1 + width),
  };
}

/** Each sentence judged by a head that has not seen its line. */
function measure(all: readonly Sample[]): void {
  const hits = new Map<string, { caught: number; of: number }>();
  for (let fold = 0; fold < FOLDS; fold++) {
    const head = train(all.filter(({ line }) => line % FOLDS !== fold));
    head.bias += SHIFT;
    for (const { kind, vector, text } of all.filter(({ line }) => line % FOLDS === fold)) {
      const count = hits.get(kind) ?? { caught: 0, of: 0 };
      if (headProbability(head, vector, text) >= THRESHOLD) count.caught++;
      count.of++;
      hits.set(kind, count);
    }
  }
  for (const [kind, { caught, of }] of hits) {
    console.log(`${kind}: ${String(caught)} of ${String(of)} caught`);
  }
}

const all = await samples();
if (process.argv[2] === "--measure") {
  measure(all);
} else {
  const { bias, vector, words } = train(all);
  const scale = Math.max(...Array.from(words, Math.abs)) / 127;
  const bytes = Int8Array.from(words, (weight) => Math.round(weight / scale));
  const file = {
    bias: round(bias + SHIFT),
    vector: Array.from(vector, round),
    word_scale: scale,
    words: Buffer.from(bytes.buffer).toString("base64"),
  };
  writeFileSync(join(DIRECTORY, "head.json"), `${JSON.stringify(file)}\n`);
  console.log(`Trained on ${String(all.length)} sentences.`);
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
