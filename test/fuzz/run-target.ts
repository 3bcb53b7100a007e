// Runs one target by fast-check, which makes a failing input small, and keeps it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { FuzzTarget } from "./targets.ts";

const SEEDS = join(import.meta.dirname, "seeds");

export interface Failure {
  /** Where the input is kept. */
  file: string;
  message: string;
}

/** @returns undefined when everything held */
export function fuzz(target: FuzzTarget, runs: number, seed: number): Failure | undefined {
  const property = fc.property(target.inputs, (input) => {
    target.check(input);
  });
  // Every run starts from what was found before.
  const examples = keptSeeds(target.name).map(([, input]): [unknown] => [input]);
  const found = fc.check(property, { numRuns: runs, seed, examples, endOnFailure: false });
  if (!found.failed) return undefined;
  const [input] = found.counterexample ?? [];
  const text = JSON.stringify(input, null, 2);
  const name = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const file = join(SEEDS, `${target.name}-${name}.json`);
  mkdirSync(SEEDS, { recursive: true });
  writeFileSync(file, `${text}\n`);
  const error = found.errorInstance;
  return { file, message: error instanceof Error ? error.message : String(error) };
}

/** Inputs that once failed, by file name. */
export function keptSeeds(target: string): [string, unknown][] {
  // The folder comes with the first input that is kept.
  const names = existsSync(SEEDS) ? readdirSync(SEEDS) : [];
  return names
    .filter((name) => name.startsWith(`${target}-`))
    .sort()
    .map((name) => [name, JSON.parse(readFileSync(join(SEEDS, name), "utf8"))]);
}
