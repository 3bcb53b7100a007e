// Measures the cases of control-plane/model-server/evaluation/languages.json over the whole path of a running model server.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type TargetDescription,
  targetDescription,
} from "../../../../control-plane/model-server/options.ts";
import type { Running, Zeroshot } from "./running.ts";

export interface LanguageCase {
  language: string;
  prompt: string;
  target: string | null;
  arguments?: Record<string, unknown>;
}

export interface LanguageCases {
  targets: TargetDescription[];
  cases: LanguageCase[];
}

function readCases(name: string): LanguageCases {
  const folder = join(import.meta.dirname, "../../../../control-plane/model-server/evaluation");
  const file = JSON.parse(readFileSync(join(folder, name), "utf8")) as LanguageCases;
  return { targets: targetDescription.array().parse(file.targets), cases: file.cases };
}

/** With these the words of control-plane/model-server/language/common-words.ts were chosen. */
export const LANGUAGE_CASES = readCases("languages.json");
/** Written afterwards, for other targets; no word was added for them. */
export const UNSEEN_CASES = readCases("languages-unseen.json");

export interface Rates {
  /** Prompts for a target, and those that selected it. */
  prompts: number;
  chosen: number;
  /** Values that the prompts state, and those that were found where the target was selected. */
  stated: number;
  found: number;
  /** Other values that were found: wrong ones. */
  wrong: number;
  /** Prompts for no target that selected one, or that selected another one. */
  fires: number;
  problems: string[];
}

/** Returns the rates of a language. */
export async function measure(
  server: Running,
  { targets, cases }: LanguageCases,
  language: string,
): Promise<Rates> {
  const rates: Rates = {
    prompts: 0,
    chosen: 0,
    stated: 0,
    found: 0,
    wrong: 0,
    fires: 0,
    problems: [],
  };
  for (const { prompt, target, arguments: stated = {} } of cases.filter(
    (one) => one.language === language,
  )) {
    const selected = await selectedFor(server, targets, prompt);
    if (target === null) {
      if (selected !== undefined) {
        rates.fires++;
        rates.problems.push(`${prompt}: ${selected}`);
      }
      continue;
    }
    rates.prompts++;
    rates.stated += Object.keys(stated).length;
    if (selected !== target) {
      if (selected !== undefined) rates.fires++;
      rates.problems.push(`${prompt}: ${selected ?? "none"}`);
      continue;
    }
    rates.chosen++;
    const values = await valuesFor(server, targets, prompt, target);
    for (const [name, value] of Object.entries(stated)) {
      if (same(values[name], value)) rates.found++;
      else rates.problems.push(`${prompt}: ${name} is ${String(values[name])}`);
    }
    for (const [name, value] of Object.entries(values)) {
      if (same(stated[name], value)) continue;
      rates.wrong++;
      rates.problems.push(`${prompt}: wrong ${name} ${String(value)}`);
    }
  }
  return rates;
}

function same(one: unknown, other: unknown): boolean {
  return String(one).toLowerCase() === String(other).toLowerCase();
}

async function selectedFor(
  server: Running,
  targets: TargetDescription[],
  input: string,
): Promise<string | undefined> {
  const response = await server.post("/zeroshot", {
    input,
    labels: targets.map(({ name }) => name),
    descriptions: Object.fromEntries(targets.map((one) => [one.name, one.description])),
    messages: [{ role: "user", content: input }],
  });
  const { decision, predicted_class: best } = (await response.json()) as Zeroshot;
  return decision === "none" ? undefined : (best ?? undefined);
}

interface Completion {
  choices: { message: { tool_calls?: { function: { arguments: string } }[] } }[];
  metadata: { arguments?: Record<string, unknown> };
}

/** Returns the values of the call, or those that are known when the gateway asks. */
async function valuesFor(
  server: Running,
  targets: TargetDescription[],
  prompt: string,
  target: string,
) {
  const described = targets.find(({ name }) => name === target);
  const properties = Object.fromEntries(
    (described?.parameters ?? []).map(({ name, type, required: _, ...more }) => [
      name,
      { ...more, type: { str: "string", int: "integer", float: "number" }[type] ?? type },
    ]),
  );
  const required = (described?.parameters ?? [])
    .filter((parameter) => parameter.required)
    .map(({ name }) => name);
  const response = await server.post("/v1/chat/completions", {
    messages: [{ role: "user", content: prompt }],
    tools: [
      {
        function: {
          name: target,
          description: described?.description,
          parameters: { properties, required },
        },
      },
    ],
    metadata: { decision: "target", target },
  });
  const { choices, metadata } = (await response.json()) as Completion;
  const call = choices[0]?.message.tool_calls?.[0]?.function.arguments;
  return (call === undefined ? (metadata.arguments ?? {}) : JSON.parse(call)) as Record<
    string,
    unknown
  >;
}
