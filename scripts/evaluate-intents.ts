// How well targets are chosen and parameters found without a language model, over our own cases and public sets on this machine:
//   node scripts/evaluate-intents.ts [--verbose] [--record] [--cases cases.json | --clinc data_full.json | --bfcl questions.json answers.json]
// --record writes the shares of our own cases to docs/model-rates.json.
// CLINC150's JSON: https://github.com/clinc/oos-eval; BFCL's: https://github.com/ShishirPatil/gorilla
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbedder } from "../control-plane/model-server/embeddings.ts";
import type { Embedder } from "../control-plane/model-server/embedder.ts";
import { requestScores } from "../control-plane/model-server/choice.ts";
import { extractEmbedded } from "../control-plane/model-server/extraction/embedded.ts";
import {
  asTarget,
  spanFinder,
  type Values,
} from "../control-plane/model-server/extraction/stated.ts";
import { openExtractor } from "../control-plane/model-server/extractor/open-extractor.ts";
import { RunQueue } from "../control-plane/model-server/run-queue.ts";
import {
  modelServerOptions,
  type TargetDescription,
  targetDescription,
} from "../control-plane/model-server/options.ts";
import { type Rate, recordRates } from "./model-rates.ts";
import { type Label, similarities, words } from "../control-plane/model-server/similarity.ts";

const OWN_CASES = join(import.meta.dirname, "../control-plane/model-server/evaluation/cases.json");
const THRESHOLD = 0.5;
/** The cases name days of the year that they were written in. */
const NOW = new Date("2026-11-21T12:00:00");

interface Case {
  prompt: string;
  /** null: none of the targets. */
  target: string | null;
}

/** Shares of the cases with a target, and of those without one. */
class Table {
  #inScope = { all: 0, top: 0, right: 0, wrong: 0 };
  #outOfScope = { all: 0, fires: 0 };

  add(wanted: string | null, best: string | undefined, score: number): void {
    const taken = score >= THRESHOLD ? best : undefined;
    if (wanted === null) {
      this.#outOfScope.all++;
      if (taken !== undefined) this.#outOfScope.fires++;
      return;
    }
    this.#inScope.all++;
    if (best === wanted) this.#inScope.top++;
    if (taken === wanted) this.#inScope.right++;
    else if (taken !== undefined) this.#inScope.wrong++;
  }

  /** Returns the shares of the cases. @param title what the cases are */
  rates(title: string): Rate[] {
    const { all, right, wrong } = this.#inScope;
    const { all: others, fires } = this.#outOfScope;
    return [
      { of: `${title}: right target`, cases: all, share: right / all, best: 1 },
      { of: `${title}: wrong target`, cases: all, share: wrong / all, best: 0 },
      {
        of: `${title}: a target for a prompt without one`,
        cases: others,
        share: fires / others,
        best: 0,
      },
    ];
  }

  print(title: string): void {
    const { all, top, right, wrong } = this.#inScope;
    const { all: others, fires } = this.#outOfScope;
    console.log(
      `${title}: top-1 ${share(top, all)}, right above the threshold ${share(right, all)}, ` +
        `wrong target ${share(wrong, all)}; out of scope fires ${share(fires, others)} ` +
        `(${all} and ${others} prompts)`,
    );
  }
}

function share(part: number, all: number): string {
  return all === 0 ? "-" : (part / all).toFixed(3);
}

/** @param targets the labels with their parameters; without them the labels alone are judged */
async function choose(
  embedder: Embedder,
  prompt: string,
  labels: readonly Label[],
  targets: readonly TargetDescription[] = [],
) {
  const similar = await similarities(embedder, prompt, labels, false);
  const scores =
    extractor === undefined
      ? similar
      : await requestScores(extractor, targets, prompt, labels, similar);
  const score = Math.max(...scores);
  return { best: labels[scores.indexOf(score)]?.name, score };
}

interface OwnCases {
  targets: unknown;
  cases: (Case & { arguments?: Values })[];
}

async function evaluateOwn(embedder: Embedder, file: string): Promise<void> {
  const { targets, cases } = readJson(file) as OwnCases;
  const described = modelServerOptions.shape.targets.parse(targets);
  const table = new Table();
  const extraction = new ExtractionTable();
  for (const { prompt, target, arguments: wanted } of cases) {
    const { best, score } = await choose(embedder, prompt, described, described);
    table.add(target, best, score);
    const isRight = target === null ? score < THRESHOLD : best === target && score >= THRESHOLD;
    if (!isRight) {
      console.log(
        `  "${prompt}": ${target ?? "none"}, not ${best ?? "none"} (${score.toFixed(2)})`,
      );
    }
    const found = described.find(({ name }) => name === target);
    if (found !== undefined && wanted !== undefined) {
      await extraction.add(prompt, found, Object.keys(wanted), (name, value) =>
        same(value, wanted[name]),
      );
    }
  }
  table.print("own cases");
  extraction.print("own cases, parameters");
  if (isRecorded)
    await recordRates("targets", [
      ...table.rates("our own cases"),
      ...extraction.rates("our own cases"),
    ]);
}

/** What the embedded extractor finds, against what is right. */
class ExtractionTable {
  #prompts = 0;
  #complete = 0;
  #stated = 0;
  #found = 0;
  #right = 0;

  /** @param stated the names of the values that the prompt states */
  async add(
    text: string,
    described: TargetDescription,
    stated: readonly string[],
    isRight: (name: string, value: unknown) => boolean,
  ): Promise<void> {
    const target = asTarget(described);
    const find = extractor === undefined ? undefined : spanFinder(extractor);
    const { values } = await extractEmbedded(target, [{ text, asked: [] }], find, NOW);
    this.#prompts++;
    this.#stated += stated.length;
    const isComplete = target.parameters.every(
      (parameter) => !parameter.required || Object.hasOwn(values, parameter.name),
    );
    const found = Object.entries(values);
    const right = found.filter(([key, value]) => isRight(key, value));
    this.#found += found.length;
    this.#right += right.length;
    if (isComplete && right.length === found.length) this.#complete++;
    if (!isVerbose) return;
    for (const [key, value] of found.filter((one) => !right.includes(one))) {
      console.log(`  ${JSON.stringify(text)}: ${key} is not ${JSON.stringify(value)}`);
    }
  }

  rates(title: string): Rate[] {
    const [found, stated] = [this.#found, this.#stated];
    return [
      { of: `${title}: values found`, cases: stated, share: this.#right / stated, best: 1 },
      { of: `${title}: found values right`, cases: found, share: this.#right / found, best: 1 },
    ];
  }

  print(title: string): void {
    console.log(
      `${title}: complete and right ${share(this.#complete, this.#prompts)}; values: recall ` +
        `${share(this.#right, this.#stated)} of ${String(this.#stated)}, precision ` +
        `${share(this.#right, this.#found)} of ${String(this.#found)}`,
    );
  }
}

function same(left: unknown, right: unknown): boolean {
  return String(left).toLowerCase() === String(right).toLowerCase();
}

type ClincSet = Record<"train" | "test" | "oos_test", [string, string][]>;

/** Ten draws of 12 intents each, described by nothing but their names, without and with 5 examples each. */
async function evaluateClinc(embedder: Embedder, file: string): Promise<void> {
  const data = readJson(file) as ClincSet;
  const intents = [...new Set(data.test.map(([, intent]) => intent))].sort();
  for (const exampleCount of [0, 5]) {
    const table = new Table();
    for (let draw = 0; draw < 10; draw++) {
      const labels = intents
        .filter((_, index) => (index * 7 + draw) % 150 < 12)
        .map((intent) => ({
          name: intent,
          description: words(intent),
          examples: data.train
            .filter(([, name]) => name === intent)
            .slice(0, exampleCount)
            .map(([text]) => text),
        }));
      const names = labels.map(({ name }) => name);
      for (const [prompt, intent] of data.test.filter(([, name]) => names.includes(name))) {
        const { best, score } = await choose(embedder, prompt, labels);
        table.add(intent, best, score);
      }
      for (const [prompt] of data.oos_test.filter((_, index) => index % 10 === draw)) {
        const { best, score } = await choose(embedder, prompt, labels);
        table.add(null, best, score);
      }
    }
    table.print(`CLINC150, 12 targets, ${exampleCount} examples each`);
  }
}

interface BfclQuestion {
  id: string;
  question: { role: string; content: string }[][];
  function: {
    name: string;
    description: string;
    parameters: {
      required?: string[];
      properties: Record<string, { type: string; description?: string; enum?: string[] }>;
    };
  }[];
}
interface BfclAnswer {
  id: string;
  ground_truth: Record<string, Record<string, unknown[]>>[];
}

/** Its function choice, and the values of the right function's parameters. */
async function evaluateBfcl(embedder: Embedder, questions: string, answers: string): Promise<void> {
  const truth = new Map(
    readLines<BfclAnswer>(answers).map(({ id, ground_truth }) => [id, ground_truth]),
  );
  const table = new Table();
  const extraction = new ExtractionTable();
  for (const { id, question, function: functions } of readLines<BfclQuestion>(questions)) {
    const prompt = question[0]?.findLast(({ role }) => role === "user")?.content ?? "";
    const [call] = truth.get(id) ?? [];
    const [target = null] = Object.keys(call ?? {});
    const values = call?.[target ?? ""] ?? {};
    const described = functions.map(targetOf);
    const { best, score } = await choose(embedder, prompt, described, described);
    table.add(target, best, score);
    const found = described.find(({ name }) => name === target);
    if (found === undefined) continue;
    // An empty text among the answers stands for a value that may be left out.
    const stated = Object.keys(values).filter((name) => !(values[name] ?? []).includes(""));
    await extraction.add(prompt, found, stated, (name, value) =>
      (values[name] ?? []).some((right) => same(value, right)),
    );
  }
  table.print("BFCL");
  extraction.print("BFCL, parameters");
}

function targetOf({ name, description, parameters }: BfclQuestion["function"][number]) {
  const described = Object.entries(parameters.properties).map(([key, property]) => ({
    name: key,
    description: property.description ?? "",
    required: parameters.required?.includes(key) === true,
    type: property.type,
    ...(property.enum === undefined ? {} : { enum: property.enum }),
  }));
  return targetDescription.parse({ name, description, parameters: described });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8")) as unknown;
}

function readLines<Line>(file: string): Line[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

const isVerbose = process.argv.includes("--verbose");
const isRecorded = process.argv.includes("--record");
const [option, ...files] = process.argv
  .slice(2)
  .filter((word) => !["--verbose", "--record"].includes(word));
const [first, second] = files;
const queue = new RunQueue();
const embedder = await openEmbedder({ kind: "embedded" }, process.env, queue);
const extractor = await openExtractor(process.env, queue);
if (option === "--clinc" && first !== undefined) await evaluateClinc(embedder, first);
else if (option === "--bfcl" && first !== undefined && second !== undefined) {
  await evaluateBfcl(embedder, first, second);
} else if (option === undefined || (option === "--cases" && first !== undefined)) {
  await evaluateOwn(embedder, first ?? OWN_CASES);
} else {
  console.error("Name one of --cases <file>, --clinc <file>, --bfcl <questions> <answers>.");
  process.exitCode = 2;
}
await embedder.close();
await extractor?.close();
