// Measures the jailbreak guard on sets of texts, on which it was not trained:
//   node scripts/evaluate-guard.ts [--record] FILE …
// A file is a JSON list of texts, or of objects with `prompt` or `text` and perhaps `label`, or JSON lines of such objects.
// It prints the share of texts that count as jailbreaks, by thresholds. docs/model-server.md names the sets that we measure;
// --record writes the shares at the default threshold to docs/model-rates.json.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { table } from "../control-plane/report/terminal.ts";
import { openEmbedder } from "../control-plane/model-server/embeddings.ts";
import {
  embeddedGuardScores,
  guardText,
} from "../control-plane/model-server/guard/jailbreak-guard.ts";
import { RunQueue } from "../control-plane/model-server/run-queue.ts";
import { GUARD_SETS, recordRates } from "./model-rates.ts";

/** The default of `model_server.guard.threshold`. */
const DEFAULT_THRESHOLD = 0.7;
const THRESHOLDS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

const entry = z.union([
  z.string().transform((text) => ({ text, label: "" })),
  z
    .looseObject({
      prompt: z.string().optional(),
      text: z.string().optional(),
      label: z.union([z.string(), z.number()]).default(""),
    })
    .transform(({ prompt, text, label }) => ({ text: prompt ?? text ?? "", label: String(label) })),
]);

function textsOf(file: string): z.output<typeof entry>[] {
  const content = readFileSync(file, "utf8").trim();
  const entries: unknown = content.startsWith("[")
    ? JSON.parse(content)
    : content.split("\n").map((line) => JSON.parse(line) as unknown);
  return z.array(entry).parse(entries);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: "boolean", default: false } },
});
const embedder = await openEmbedder({ kind: "embedded" }, process.env, new RunQueue());
const oneByOne = async (windows: readonly string[]) => {
  const scores: number[] = [];
  for (const window of windows) scores.push(...(await embeddedGuardScores(embedder, [window])));
  return scores;
};
const probabilities = new Map<string, number[]>();
for (const file of positionals) {
  for (const { text, label } of textsOf(file)) {
    const { probability } = await guardText(text, oneByOne);
    const set = `${basename(file)} ${label}`.trim();
    const own = probabilities.get(set) ?? [];
    own.push(probability);
    probabilities.set(set, own);
  }
}
await embedder.close();

const rows = [...probabilities].map(([set, own]) => [
  set,
  String(own.length),
  ...THRESHOLDS.map((least) => (own.filter((one) => one >= least).length / own.length).toFixed(3)),
]);
console.log(table([["set", "texts", ...THRESHOLDS.map(String)], ...rows]).join("\n"));

if (values.record) {
  const rates = GUARD_SETS.flatMap(({ of, best }) => {
    const own = [...probabilities].flatMap(([set, all]) =>
      GUARD_SETS.find((one) => one.set.test(set))?.of === of ? all : [],
    );
    const share = own.filter((one) => one >= DEFAULT_THRESHOLD).length / own.length;
    return own.length === 0 ? [] : [{ of, cases: own.length, share, best }];
  });
  await recordRates("guard", rates);
}
