// `gateway targets test` and `gateway targets eval`: how prompts are understood, without calling any API.
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { findConfiguration } from "../find-configuration.ts";
import type { Configuration } from "../../supervisor/configuration-file.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import type { Prompt } from "../../../model/prompts.ts";
import { FILTER_FILE } from "../../supervisor/machine-settings.ts";
import type { TargetsOptions } from "../command-options.ts";
import { colorsFor, table } from "../../report/terminal.ts";
import { readCases } from "../trial/read-cases.ts";
import { score } from "../trial/score.ts";
import type { Score } from "../trial/score.ts";
import { apiRequestRows, decisionRows } from "../../explain/prompt-rows.ts";
import { withModelServer } from "../trial/temporary-model-server.ts";
import { openTrial } from "../trial/try-prompt.ts";
import type { Trial } from "../trial/try-prompt.ts";

/** Prints scores, choice, parameters and the request that would be sent. */
export async function targetsTest(text: string, options: TargetsOptions): Promise<void> {
  await withTrial(readTargets(options), async (attempt) => {
    const trial = await attempt(text);
    if (options.json === true) console.log(JSON.stringify(trial, null, 2));
    else for (const line of trialLines(trial)) console.log(line);
  });
}

/** Prints accuracy and confusion over a file of cases; exit code 1 if fewer are correct than `--require`. */
export async function targetsEval(file: string, options: TargetsOptions): Promise<void> {
  const configuration = readTargets(options);
  const cases = readCases(file, configuration.prompt.targets);
  await withTrial(configuration, async (attempt) => {
    const results = [];
    // One after the other: the model works on one text at a time anyway.
    for (const expected of cases) {
      const started = performance.now();
      const trial = await attempt(expected.prompt);
      results.push({ expected, trial, milliseconds: performance.now() - started });
    }
    const found = score(results);
    if (options.json === true) console.log(JSON.stringify(found, null, 2));
    else for (const line of scoreLines(found)) console.log(line);
    const { require: percent = 0 } = options;
    if (found.right * 100 >= percent * found.cases) return;
    throw new GatewayError(`Fewer than ${String(percent)} % of the cases are correct.`);
  });
}

type Attempt = (text: string) => Promise<Trial>;

interface Targets extends Configuration {
  prompt: Prompt;
}

/** The configuration that is tried. Throws a GatewayError (exit 2) when it has neither targets nor a guard. */
function readTargets({ config }: TargetsOptions): Targets {
  const file = findConfiguration(config, process.cwd());
  const configuration = readConfiguration(file, process.env);
  const { prompt } = configuration.model;
  if (prompt !== undefined) return { ...configuration, prompt };
  throw new GatewayError(`${file.name} has no prompt_targets, so there is nothing to test.`, {
    hint: "See docs/prompt-targets.md; examples/prompt-targets/gateway.yaml is an example.",
    exitCode: 2,
  });
}

async function withTrial(
  { prompt, ...configuration }: Targets,
  work: (attempt: Attempt) => Promise<void>,
): Promise<void> {
  const { model } = configuration;
  await withModelServer(configuration, prompt, async (socketPath) => {
    await work(await openTrial({ model, prompt }, { socketPath, filterFile: FILTER_FILE }));
  });
}

function trialLines(trial: Trial): string[] {
  const colors = colorsFor(process.stdout);
  const rows = [
    ...decisionRows(trial),
    ...(trial.question === undefined ? [] : [["Question", trial.question]]),
    ...(trial.wrong === undefined
      ? []
      : [["Refused", `the value of ${trial.wrong} cannot be part of a URL`]]),
    ...apiRequestRows(trial),
  ];
  return table(rows.map(([name = "", text = ""]) => [colors.dim(name), text]));
}

function scoreLines(found: Score): string[] {
  const colors = colorsFor(process.stdout);
  const percent = (part: number, whole: number) =>
    whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;
  const expected = Object.keys(found.confusion).sort();
  const chosen = [...new Set(Object.values(found.confusion).flatMap(Object.keys))].sort();
  const rows = expected.map((name) => {
    const row = found.confusion[name] ?? {};
    const count = Object.values(row).reduce((sum, one) => sum + one, 0);
    const cells = chosen.map((other) => {
      const number = row[other];
      if (number === undefined) return colors.dim("·");
      return (other === name ? colors.green : colors.red)(String(number));
    });
    return [name, String(count), percent(row[name] ?? 0, count), ...cells];
  });
  const wrong = found.wrong.map((one) => [`  ${one.expected}`, `→ ${one.chosen}`, one.prompt]);
  const values = found.wrongParameters.map((one) => [
    `  ${one.expected}`,
    `→ ${one.found}`,
    one.prompt,
  ]);
  return [
    `${String(found.right)} of ${String(found.cases)} right (${percent(found.right, found.cases)})`,
    ...valueLines(found, percent),
    ...(found.none === 0
      ? []
      : [
          `false fires: ${String(found.falseFires)} of ${String(found.none)} prompts for no target (${percent(found.falseFires, found.none)})`,
        ]),
    `time per prompt: p50 ${String(found.milliseconds.p50)} ms, p99 ${String(found.milliseconds.p99)} ms`,
    "",
    ...table([["EXPECTED", "CASES", "RIGHT", ...chosen].map(colors.dim), ...rows]),
    ...(wrong.length === 0 ? [] : ["", colors.bold("Wrong target"), ...table(wrong)]),
    ...(values.length === 0 ? [] : ["", colors.bold("Wrong parameters"), ...table(values)]),
  ];
}

function valueLines(
  { withParameters, rightParameters, values, questions }: Score,
  percent: (part: number, whole: number) => string,
): string[] {
  if (withParameters === 0) return [];
  const { expected, found, right } = values;
  return [
    `parameters: ${String(rightParameters)} of ${String(withParameters)} right (${percent(rightParameters, withParameters)})`,
    `values: ${String(right)} of ${String(expected)} found (recall ${percent(right, expected)}), ${String(right)} of ${String(found)} right (precision ${percent(right, found)})`,
    `questions: ${String(questions)}`,
  ];
}
