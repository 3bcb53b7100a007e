// Compares the int8 extractor in Node with the unrounded weights in Python: check.ts EXTRACTOR.onnx EXAMPLES.jsonl (of dump.py)
import { readFileSync } from "node:fs";
import { requireEmbeddedModel } from "../../control-plane/model-server/embedded-model.ts";
import { Extractor } from "../../control-plane/model-server/extractor/extractor.ts";
import type { Candidate } from "../../control-plane/model-server/extractor/spans.ts";
import type { DescribedParameter } from "../../control-plane/model-server/extractor/target-text.ts";

interface Example {
  target: { name: string; description: string };
  parameters: DescribedParameter[];
  prompt: string;
  asked: string[];
  asks: number;
  /** Python's best candidate of each parameter. Places count code points there. */
  found: Candidate[];
}

const [model = "", file = ""] = process.argv.slice(2);
const extractor = await Extractor.open(readFileSync(model), requireEmbeddedModel(process.env));
let values = 0;
let sameStated = 0;
let sameSpan = 0;
let stated = 0;
let decisions = 0;
let furthest = 0;
const times: number[] = [];
const examples = readFileSync(file, "utf8").trim().split("\n");
for (const line of examples) {
  const example = JSON.parse(line) as Example;
  const began = performance.now();
  const { candidates, asks } = await extractor.run(example);
  times.push(performance.now() - began);
  furthest = Math.max(furthest, Math.abs(asks - example.asks));
  decisions += Number(asks > 0 === example.asks > 0);
  example.found.forEach((wanted, index) => {
    const found = candidates[index]?.[0];
    values++;
    if (found === undefined) return;
    sameStated += Number(found.odds > 0 === wanted.odds > 0);
    if (wanted.odds <= 0) return;
    stated++;
    const text = Array.from(example.prompt).slice(wanted.start, wanted.end).join("");
    sameSpan += Number(example.prompt.slice(found.start, found.end) === text);
  });
}
times.sort((one, other) => one - other);
const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
process.stdout.write(
  [
    `${examples.length} examples`,
    `stated or not alike ${sameStated}/${values}, spans alike ${sameSpan}/${stated}`,
    `asks alike ${decisions}/${examples.length}, furthest ${furthest.toFixed(2)}`,
    `ms for a target: p50 ${at(0.5)}, p99 ${at(0.99)}`,
    "",
  ].join("\n"),
);
