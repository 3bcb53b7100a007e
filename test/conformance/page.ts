// docs/conformance.md, of docs/conformance.json.
import type { RunStamp } from "../../scripts/run-stamp.ts";
import type { LastCount } from "../../bench/counts.ts";
import { table } from "../../scripts/docs/markdown.ts";
import type { MeasuredRates, ModelRates } from "../../scripts/model-rates.ts";
import type { AgentSessions, FaultRows, OwnResults, OwnRow } from "./own-rings.ts";
import { knownFailure } from "./suites.ts";
import type { SuiteRun } from "./suite.ts";

export interface FuzzRun extends RunStamp {
  seed: number;
  /** `kept`: inputs that failed once, which every run repeats. */
  targets: { name: string; inputs: number; kept: number }[];
}

/** The date and the commit are those of the public suites; the other parts have their own. */
export interface Conformance extends RunStamp, OwnResults {
  version: string;
  suites: SuiteRun[];
  fuzz: FuzzRun;
  rates: ModelRates;
  instructions: {
    /** Thousands of instructions that a request may cost, by case of bench/. */
    budgets: Record<string, number>;
    counts: Record<string, LastCount>;
  };
}

const count = (value: number): string => value.toLocaleString("en-US");
const at = ({ date, commit }: RunStamp): string => `${date}, ${commit}`;

/** Returns Markdown; the caller formats it. */
export function conformancePage(all: Conformance): string {
  const { version, suites, own, agents, faults, fuzz, rates, instructions } = all;
  return `# Conformance

<!-- Written by \`npm run conformance\`. -->

What version ${version} passed, through a real Envoy with the release filter, against strict fakes of the providers: no provider was called. Each part has the date and the commit of its run. [conformance.json](conformance.json) has the same as data. \`npm run conformance\` measures it again in less than ten minutes, and takes what lasts longer from the last \`npm test\` in the checkout; \`npm test\` fails if a public suite passes less than this page says, or if a failure has no reason below.

## Public suites

${at(all)}. A test of something that the gateway does not offer, and does not announce, is not counted as passed.

${table(["Suite", "Version", "Of", "Passed", "Failed", "Not offered"], suites.map(suiteRow))}

${failures(suites)}

${notOffered(suites)}

## Coding agents and providers

${at(agents)}. Sessions of over thirty turns with the agents' own tools, tools of an MCP server, an image and a search ([clients](clients.md)), on a strict fake of each provider.

${agentTable(agents)}

## Own tests

${table(
  ["Tests", "Passed", "Failed", "Skipped", "Run"],
  own.map((row) => [
    `[${row.title}](${row.link})`,
    ...[row.passed, row.failed.length, row.skipped].map(count),
    at(row),
  ]),
)}

${ownFailures(own)}${faultSentence(faults)}

Random inputs, after which the gateway neither traps nor loses a request (${at(fuzz)}, seed ${String(fuzz.seed)}): ${fuzz.targets
    .map(({ name, inputs }) => `${count(inputs)} ${name}`)
    .join(", ")}. Inputs that failed once are kept and repeated by every run: ${count(
    fuzz.targets.reduce((sum, { kept }) => sum + kept, 0),
  )}.

## Guard and prompt targets

Measured rates, without a language model ([how](model-server.md#accuracy), with the larger sets).

${ratesTable("The guard", rates.guard)}

${ratesTable("Prompt targets", rates.targets)}

## Instructions per request

Thousands of instructions of Envoy and filter. CI counts three of the cases and accepts 2 % more than their budget. [bench/README.md](../bench/README.md) explains the cases, [performance.md](performance.md) has the times.

${table(
  ["Case", "Plain Envoy", "Gateway", "Budget", "Counted"],
  Object.entries(instructions.budgets).map(([name, budget]) => {
    const last = instructions.counts[name];
    if (last === undefined) return [name, "–", "–", count(budget), "–"];
    return [name, ...[last.plain, last.gateway, budget].map(count), at(last)];
  }),
)}
`;
}

function suiteRow({ suite, version, source, subject, passed, failed, notOffered }: SuiteRun) {
  const counts = [passed, failed.length, notOffered.length].map(count);
  return [`[${suite}](${source})`, version, subject, ...counts];
}

function failures(suites: readonly SuiteRun[]): string {
  const all = suites.flatMap(({ suite, subject, failed }) =>
    failed.map((failure) => ({ suite, subject, ...failure })),
  );
  if (all.length === 0) return "Nothing failed.";
  const groups = Map.groupBy(
    all,
    ({ suite, test, reason }) =>
      `**${suite}**: ${knownFailure(suite, test, reason)?.why ?? "Not explained yet."}`,
  );
  const lines = [...groups].map(([why, failed]) => {
    const tests = failed.map(({ test, subject }) => `${test} (${subject})`);
    return `- ${why} ${count(tests.length)} ${tests.length === 1 ? "test" : "tests"}: ${tests.join("; ")}.`;
  });
  return `### Failures\n\n${lines.join("\n")}`;
}

function notOffered(suites: readonly SuiteRun[]): string {
  const groups = Map.groupBy(
    suites.filter((run) => run.notOffered.length > 0),
    (run) => `**${run.suite}**: ${run.notOffered.join(", ")}`,
  );
  const lines = [...groups].map(
    ([names, runs]) => `- ${names} (${runs.map(({ subject }) => subject).join("; ")}).`,
  );
  return `### Not offered\n\n${lines.join("\n")}`;
}

function agentTable({ providers }: AgentSessions): string {
  const agents = Object.keys(providers[0]?.sessions ?? {});
  return table(
    ["Provider's model", ...agents],
    providers.map(({ model, sessions }) => [
      `\`${model}\``,
      ...agents.map((agent) => sessions[agent] ?? "–"),
    ]),
  );
}

function faultSentence(faults: FaultRows): string {
  const failed = faults.failed.length === 0 ? "" : `, all but ${faults.failed.join(", ")}`;
  return `[Faults of providers](faults.md): ${count(faults.passed)} of ${count(faults.rows)} rows of the table hold${failed}, for each client format, provider format, complete responses and streams, with and without a fallback (${at(faults)}).`;
}

function ratesTable(title: string, measured: MeasuredRates): string {
  return table(
    [`${title} (${at(measured)})`, "Cases", "Share", "Perfect"],
    measured.rates.map(({ of, cases, share, best }) => [
      of,
      count(cases),
      share.toFixed(3),
      String(best),
    ]),
  );
}

function ownFailures(own: readonly OwnRow[]): string {
  const lines = own.flatMap(({ failed }) => failed.map((name) => `- ${name}`));
  return lines.length === 0 ? "" : `Failed:\n\n${lines.join("\n")}\n\n`;
}
