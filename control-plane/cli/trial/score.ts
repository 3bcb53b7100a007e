// How well prompts are understood over a list of cases: targets, values, what fires by mistake, and how long it takes.
import type { Trial } from "./try-prompt.ts";

export interface Case {
  prompt: string;
  /** Name of a target, or `none`. */
  target: string;
  /** Values that have to be found; others may be found too. */
  parameters?: Record<string, unknown> | undefined;
}

export interface Result {
  expected: Case;
  trial: Trial;
  milliseconds: number;
}

export interface Score {
  cases: number;
  /** Cases whose target was the expected one. */
  right: number;
  /** Of the cases with `parameters`, how many there are, and how many of them had all values. */
  withParameters: number;
  rightParameters: number;
  /** Single values: expected in the cases, and found for them, right or not. Those of a question count, too. */
  values: { expected: number; found: number; right: number };
  /** Cases of a target that ended with a question for more. */
  questions: number;
  /** Cases with the target `none`, and how many of them selected a target. */
  none: number;
  falseFires: number;
  /** Expected target → chosen target → number of cases. `jailbreak` is what the guard refused. */
  confusion: Record<string, Record<string, number>>;
  /** Of a prompt through all steps, without the API. */
  milliseconds: { p50: number; p99: number };
  wrong: { prompt: string; expected: string; chosen: string }[];
  /** The target was right, and a value was not. */
  wrongParameters: { prompt: string; expected: string; found: string }[];
}

export const NONE = "none";
/** What the guard refuses. */
export const REFUSED = "jailbreak";

export function score(results: readonly Result[]): Score {
  const total: Score = {
    cases: results.length,
    right: 0,
    withParameters: 0,
    rightParameters: 0,
    values: { expected: 0, found: 0, right: 0 },
    questions: 0,
    none: 0,
    falseFires: 0,
    confusion: {},
    milliseconds: percentiles(results.map(({ milliseconds }) => milliseconds)),
    wrong: [],
    wrongParameters: [],
  };
  for (const { expected, trial } of results) {
    const chosen = trial.guard?.refuses === true ? REFUSED : (trial.target ?? NONE);
    const row = (total.confusion[expected.target] ??= {});
    row[chosen] = (row[chosen] ?? 0) + 1;
    if (chosen === expected.target) total.right++;
    else total.wrong.push({ prompt: expected.prompt, expected: expected.target, chosen });
    if (expected.target === NONE) {
      total.none++;
      if (chosen !== NONE && chosen !== REFUSED) total.falseFires++;
    } else if (trial.question !== undefined) total.questions++;
    addValues(total, expected, trial, chosen);
  }
  return total;
}

function addValues(total: Score, expected: Case, trial: Trial, chosen: string): void {
  const { parameters } = expected;
  if (parameters === undefined) return;
  const found = chosen === expected.target ? (trial.arguments ?? {}) : {};
  const wanted = Object.entries(parameters);
  const right = wanted.filter(([name, value]) => isSame(found[name], value));
  total.withParameters++;
  total.values.expected += wanted.length;
  total.values.found += wanted.filter(([name]) => Object.hasOwn(found, name)).length;
  total.values.right += right.length;
  if (right.length === wanted.length) total.rightParameters++;
  else if (chosen === expected.target) {
    total.wrongParameters.push({
      prompt: expected.prompt,
      expected: JSON.stringify(parameters),
      found: `${JSON.stringify(found)}${trial.question === undefined ? "" : ", asks for more"}`,
    });
  }
}

/** Texts are compared in any case: people write `berlin`. */
function isSame(found: unknown, wanted: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(value ?? null).toLowerCase();
  return text(found) === text(wanted);
}

function percentiles(times: readonly number[]): { p50: number; p99: number } {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) =>
    Math.round(10 * (sorted[Math.floor(sorted.length * share)] ?? 0)) / 10;
  return { p50: at(0.5), p99: at(0.99) };
}
