// Measures an extractor on a configuration and its cases, beside today's rules: evaluate.ts EXTRACTOR.onnx CONFIG.yaml CASES.yaml [YYYY-MM-DD]
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { requireEmbeddedModel } from "../../control-plane/model-server/embedded-model.ts";
import { extractEmbedded } from "../../control-plane/model-server/extraction/embedded.ts";
import {
  fromDescription,
  kindOf,
  type Parameter,
} from "../../control-plane/model-server/extraction/parameter.ts";
import type { ParameterDescription } from "../../control-plane/model-server/options.ts";
import { Extractor, settled } from "./extractor.ts";
import { readValue, wholeSpan } from "./read-value.ts";

interface Target {
  name: string;
  description: string;
  parameters?: ParameterDescription[];
}
interface Case {
  prompt: string;
  target: string;
  parameters?: Record<string, unknown>;
}

class Tally {
  stated = 0;
  given = 0;
  right = 0;
  /** Cases of which every stated value is right, and nothing else is given. */
  whole = 0;

  add(wanted: Record<string, unknown>, found: Record<string, unknown>): string[] {
    const right = Object.keys(wanted).filter((name) => isSame(wanted[name], found[name]));
    this.stated += Object.keys(wanted).length;
    this.given += Object.keys(found).length;
    this.right += right.length;
    if (right.length === Object.keys(wanted).length) this.whole++;
    return Object.keys(wanted).filter((name) => !right.includes(name));
  }

  toString(): string {
    const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
    return `recall ${percent(this.right / this.stated)} (${this.right} of ${this.stated}), of those given ${percent(this.right / this.given)} (${this.given}), all values of ${this.whole} cases`;
  }
}

function isSame(wanted: unknown, found: unknown): boolean {
  return String(wanted).toLowerCase() === String(found).toLowerCase();
}

const [model = "", config = "", file = "", day = "2026-11-22"] = process.argv.slice(2);
const targets = (parse(readFileSync(config, "utf8")) as { prompt_targets: Target[] })
  .prompt_targets;
const cases = parse(readFileSync(file, "utf8")) as Case[];
const now = new Date(`${day}T12:00:00`);
const extractor = await Extractor.open(model, requireEmbeddedModel(process.env));
const parametersOf = (target: Target | undefined): Parameter[] =>
  (target?.parameters ?? []).map((parameter) => fromDescription(parameter));

const rules = new Tally();
const trained = new Map([0, 1, 2, 4].map((margin) => [margin, new Tally()]));
const chosen: { wanted: string; best: string; asks: number }[] = [];
const times: number[] = [];
for (const { prompt, target: wanted, parameters: values = {} } of cases) {
  const began = performance.now();
  const scores = [];
  for (const target of targets) {
    const parameters = parametersOf(target).filter((parameter) => kindOf(parameter) !== "boolean");
    scores.push({ target, parameters, ...(await extractor.extract(target, parameters, prompt)) });
  }
  times.push(performance.now() - began);
  const best = scores.toSorted((one, other) => other.asks - one.asks)[0];
  chosen.push({ wanted, best: best?.target.name ?? "", asks: best?.asks ?? -99 });
  const own = scores.find(({ target }) => target.name === wanted);
  if (own === undefined) continue;
  rules.add(values, extractEmbedded(own.parameters, [{ text: prompt, asked: [] }], now));
  for (const [margin, tally] of trained) {
    const found: Record<string, unknown> = {};
    settled(own.candidates, margin).forEach((span, index) => {
      const parameter = own.parameters[index];
      if (span === undefined || parameter === undefined) return;
      const whole = wholeSpan(parameter, prompt, span);
      const value = readValue(parameter, prompt.slice(whole.start, whole.end), now);
      if (value !== undefined) found[parameter.name] = value;
    });
    const missed = tally.add(values, found);
    if (margin === 0 && missed.length > 0) {
      const words = missed.map(
        (name) => `${name}: ${String(found[name])}, not ${String(values[name])}`,
      );
      process.stdout.write(`  ${prompt} | ${words.join("; ")}\n`);
    }
  }
}
process.stdout.write(`values, the target given\n  rules today: ${String(rules)}\n`);
for (const [margin, tally] of trained) {
  process.stdout.write(`  extractor, margin ${margin}: ${String(tally)}\n`);
}
const asking = chosen.filter(({ wanted }) => wanted !== "none");
for (const limit of [-1, 0, 1, 2]) {
  const taken = asking.filter(({ asks }) => asks > limit);
  const right = taken.filter(({ wanted, best }) => wanted === best).length;
  const others = chosen.filter(({ wanted }) => wanted === "none");
  const fires = others.filter(({ asks }) => asks > limit).length;
  process.stdout.write(
    `choice, limit ${limit}: right ${right} of ${asking.length}, wrong ${taken.length - right}, false fires ${fires} of ${others.length}\n`,
  );
}
times.sort((one, other) => one - other);
process.stdout.write(
  `ms for all ${targets.length} targets: p50 ${(times[times.length >> 1] ?? 0).toFixed(1)}, p99 ${(times[Math.floor(times.length * 0.99)] ?? 0).toFixed(1)}\n`,
);
