// `gateway targets test` and `gateway targets eval`: how prompts are understood, without calling any API.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { findConfiguration, readConfiguration } from "../configuration-file.ts";
import type { Configuration } from "../configuration-file.ts";
import { GatewayError } from "../errors.ts";
import type { Prompt } from "../model-prompt.ts";
import { type Egress, modelServerInput } from "../model-server-input.ts";
import { callListener } from "../supervisor/admin.ts";
import { modelServerEnvironment, superviseModelServer } from "../supervisor/model-server.ts";
import { freePort } from "../supervisor/ports.ts";
import { reachable, urlOf } from "../supervisor/readiness.ts";
import { ownEgressSocketPath, stateDirectory } from "../supervisor/state.ts";
import type { TargetsOptions } from "./options.ts";
import { colorsFor, table } from "../terminal.ts";
import { NONE, score } from "../trial/score.ts";
import type { Score } from "../trial/score.ts";
import { tryPrompt } from "../trial/try-prompt.ts";
import type { Trial } from "../trial/try-prompt.ts";

const casesFile = z.array(
  z.strictObject({
    prompt: z.string().min(1),
    target: z.string().min(1),
    parameters: z.record(z.string(), z.json()).optional(),
  }),
);

/** Prints scores, choice, parameters and the request that would be sent. */
export async function targetsTest(text: string, options: TargetsOptions): Promise<void> {
  await withModelServer(options, async (attempt) => {
    const trial = await attempt(text);
    if (options.json === true) console.log(JSON.stringify(trial, null, 2));
    else for (const line of trialLines(trial)) console.log(line);
  });
}

/** Prints accuracy and confusion over a file of cases. */
export async function targetsEval(file: string, options: TargetsOptions): Promise<void> {
  const cases = readCases(file);
  await withModelServer(options, async (attempt, { targets }) => {
    const known = new Set([...targets.map(({ name }) => name), NONE, "jailbreak"]);
    const stranger = cases.find(({ target }) => !known.has(target));
    if (stranger !== undefined) {
      throw new GatewayError(`${file}: no prompt target is called ${stranger.target}.`, {
        hint: `Expected one of ${[...known].join(", ")}.`,
        exitCode: 2,
      });
    }
    const results = [];
    // One after the other: the model works on one text at a time anyway.
    for (const expected of cases) {
      results.push({ expected, trial: await attempt(expected.prompt) });
    }
    const found = score(results);
    if (options.json === true) console.log(JSON.stringify(found, null, 2));
    else for (const line of scoreLines(found)) console.log(line);
  });
}

function readCases(file: string): z.output<typeof casesFile> {
  let content: unknown;
  try {
    content = parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new GatewayError(`${file} cannot be read: ${reason}`, { exitCode: 2 });
  }
  const parsed = casesFile.safeParse(content);
  if (parsed.success && parsed.data.length > 0) return parsed.data;
  const issue = parsed.error?.issues[0];
  const where = issue === undefined ? "it is empty" : `${issue.path.join(".")}: ${issue.message}`;
  throw new GatewayError(`${file} is no list of cases: ${where}.`, {
    hint: "A case is `- {prompt: How warm is it in Oslo?, target: weather, parameters: {city: Oslo}}`; `target: none` means no target.",
    exitCode: 2,
  });
}

type Attempt = (text: string) => Promise<Trial>;

async function withModelServer(
  { config }: TargetsOptions,
  work: (attempt: Attempt, prompt: Prompt) => Promise<void>,
): Promise<void> {
  const file = findConfiguration(config, process.cwd());
  const configuration = readConfiguration(file, process.env);
  const { model, environment } = configuration;
  const { prompt } = model;
  if (prompt === undefined || prompt.targets.length === 0) {
    throw new GatewayError(`${file.name} has no prompt_targets.`, { exitCode: 2 });
  }
  const port = await freePort();
  const server = await superviseModelServer({
    input: modelServerInput(model, prompt, { port, egress: await runningEgress(configuration) }),
    environment: modelServerEnvironment(environment, prompt.modelServer.environment),
    report: (line) => {
      console.error(`· ${line}`);
    },
  });
  try {
    const url = `http://127.0.0.1:${String(port)}`;
    await work((text) => tryPrompt({ model, prompt, url }, text), prompt);
  } finally {
    await server.stop();
  }
}

/** A language model can be asked only where the gateway itself is running. */
async function runningEgress({
  model,
  file,
  environment,
}: Configuration): Promise<Egress | undefined> {
  const { address, port } = model.egress;
  const socketPath = ownEgressSocketPath(stateDirectory(file, environment));
  try {
    const { status } = await callListener(reachable(address), port, "/healthz");
    return status === 200 ? { url: urlOf(model.egress), socketPath } : undefined;
  } catch {
    return undefined;
  }
}

function trialLines(trial: Trial): string[] {
  const colors = colorsFor(process.stdout);
  const scores = Object.entries(trial.scores).sort(([, one], [, other]) => other - one);
  const rows = [
    ...(trial.guard === undefined ? [] : [["Guard", guardWords(trial.guard)]]),
    ...scores.map(([name, value], index) => [
      index === 0 ? "Scores" : "",
      `${value.toFixed(3)}  ${name}`,
    ]),
    ["Decision", decisionWords(trial)],
    ...(trial.arguments === undefined ? [] : [["Parameters", JSON.stringify(trial.arguments)]]),
    ...(trial.question === undefined ? [] : [["Question", trial.question]]),
    ...(trial.wrong === undefined
      ? []
      : [["Refused", `the value of ${trial.wrong} cannot be part of a URL`]]),
    ...requestRows(trial),
  ];
  return table(rows.map(([name = "", text = ""]) => [colors.dim(name), text]));
}

function guardWords({ probability, refuses }: NonNullable<Trial["guard"]>): string {
  return `${refuses ? "refuses" : "passes"} (${probability.toFixed(3)})`;
}

function decisionWords({ decision, target, guard }: Trial): string {
  if (guard?.refuses === true) return "the guard's message";
  if (target === null) return "no target: the prompt goes to its model";
  if (decision === "default") return `the default target ${target}`;
  return decision === "target" ? target : `${target}, between the thresholds`;
}

function requestRows({ request }: Trial): string[][] {
  if (request === undefined) return [];
  const headers = Object.entries(request.headers).map(([name, value]) => ["", `${name}: ${value}`]);
  return [
    ["Request", `${request.method} ${request.url}  (not sent)`],
    ...headers,
    ...(request.body === undefined ? [] : [["", request.body]]),
  ];
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
    const cells = chosen.map((other) => String(row[other] ?? "·"));
    return [name, percent(row[name] ?? 0, count), ...cells];
  });
  const wrong = found.wrong.map((one) => [`  ${one.expected}`, `→ ${one.chosen}`, one.prompt]);
  return [
    `${String(found.right)} of ${String(found.cases)} right (${percent(found.right, found.cases)})`,
    ...(found.withParameters === 0
      ? []
      : [
          `parameters: ${String(found.rightParameters)} of ${String(found.withParameters)} right (${percent(found.rightParameters, found.withParameters)})`,
        ]),
    "",
    ...table([["EXPECTED", "RIGHT", ...chosen].map(colors.dim), ...rows]),
    ...(wrong.length === 0 ? [] : ["", colors.bold("Wrong"), ...table(wrong)]),
  ];
}
