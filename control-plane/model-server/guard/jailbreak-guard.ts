// The jailbreak guard: a logistic head on the embeddings and words of a text's windows, trained by scripts/train-guard.ts.
import type { Embedder } from "../embedder.ts";
import { headProbability, SHIPPED } from "./guard-head.ts";
import { windowsOf } from "./windows.ts";

export interface GuardResult {
  /** From 0 to 1. */
  probability: number;
  /** The window with that probability. */
  window: string;
}

const MIN_COST_OF_A_LONG_TEXT = 5000;

/** Returns the most suspicious window of the text. `score` returns the scores of the windows. */
export async function guardText(
  text: string,
  score: (windows: readonly string[]) => Promise<readonly number[]>,
): Promise<GuardResult> {
  const windows = windowsOf(text);
  const probabilities = await score(windows);
  let worst: GuardResult = { probability: 0, window: "" };
  windows.forEach((window, index) => {
    const probability = probabilities[index] ?? 0;
    if (probability > worst.probability) worst = { probability, window };
  });
  return worst;
}

/** Returns the minimum cost of the runs for a text's windows. Characters. */
export function leastCost(text: string): number {
  return Math.min(text.length, MIN_COST_OF_A_LONG_TEXT);
}

/** Returns the shipped head's probability for each window. */
export async function embeddedGuardScores(
  embedder: Embedder,
  windows: readonly string[],
): Promise<number[]> {
  const found = await embedder.embed(windows);
  return found.map(({ vector }, index) => headProbability(SHIPPED, vector, windows[index] ?? ""));
}
