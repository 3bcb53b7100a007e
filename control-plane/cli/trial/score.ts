// How well targets are chosen over a list of cases: accuracy for each target, and what was taken for what.
import type { Trial } from "./try-prompt.ts";

export interface Case {
  prompt: string;
  /** Name of a target, or `none`. */
  target: string;
  /** Values that have to be found; others may be found too. */
  parameters?: Record<string, unknown> | undefined;
}

export interface Score {
  cases: number;
  /** Cases whose target was the expected one. */
  right: number;
  /** Of the cases with `parameters`, how many there are, and how many of them had all values. */
  withParameters: number;
  rightParameters: number;
  /** Expected target → chosen target → number of cases. `jailbreak` is what the guard refused. */
  confusion: Record<string, Record<string, number>>;
  wrong: { prompt: string; expected: string; chosen: string }[];
  /** The target was right, and a value was not. */
  wrongParameters: { prompt: string; expected: string; found: string }[];
}

export const NONE = "none";
/** What the guard refuses. */
export const REFUSED = "jailbreak";

export function score(results: readonly { expected: Case; trial: Trial }[]): Score {
  const total: Score = {
    cases: results.length,
    right: 0,
    withParameters: 0,
    rightParameters: 0,
    confusion: {},
    wrong: [],
    wrongParameters: [],
  };
  for (const { expected, trial } of results) {
    const chosen = trial.guard?.refuses === true ? REFUSED : (trial.target ?? NONE);
    const row = (total.confusion[expected.target] ??= {});
    row[chosen] = (row[chosen] ?? 0) + 1;
    if (chosen === expected.target) total.right++;
    else total.wrong.push({ prompt: expected.prompt, expected: expected.target, chosen });
    if (expected.parameters === undefined) continue;
    total.withParameters++;
    const found = chosen === expected.target ? (trial.arguments ?? {}) : {};
    if (holdsAll(found, expected.parameters)) total.rightParameters++;
    else if (chosen === expected.target) {
      total.wrongParameters.push({
        prompt: expected.prompt,
        expected: JSON.stringify(expected.parameters),
        found: trial.question === undefined ? JSON.stringify(found) : "asks for more",
      });
    }
  }
  return total;
}

function holdsAll(found: Record<string, unknown>, wanted: Record<string, unknown>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(found[name]) === JSON.stringify(value),
  );
}
