// docs/conformance.md, of docs/conformance.json.
import { table } from "../../scripts/docs/markdown.ts";
import type { OwnRow } from "./own-rings.ts";
import { knownFailure } from "./suites.ts";
import type { SuiteRun } from "./suite.ts";

export interface Conformance {
  /** YYYY-MM-DD. */
  date: string;
  version: string;
  suites: SuiteRun[];
  own: OwnRow[];
  /** Inputs of the fuzzer, by target. */
  fuzz: Record<string, number>;
  /** Thousands of instructions that a request may cost, by case of bench/. */
  instructions: Record<string, number>;
}

const count = (value: number): string => value.toLocaleString("en-US");

/** Returns Markdown; the caller formats it. */
export function conformancePage(all: Conformance): string {
  return `# Conformance

<!-- Written by \`npm run conformance\`. -->

What version ${all.version} passed on ${all.date}, through a real Envoy with the release filter, against strict fakes of the providers: no provider was called. [conformance.json](conformance.json) has the same as data. \`npm run conformance\` measures it again; a test that fails here fails CI unless its reason is below.

## Public suites

A test of something that the gateway does not offer, and does not announce, is not counted as passed.

${table(["Suite", "Version", "Of", "Passed", "Failed", "Not offered"], all.suites.map(suiteRow))}

${failures(all.suites)}

## Own tests

${table(
  ["Tests", "Passed", "Failed", "Skipped"],
  all.own.map(({ title, passed, failed, skipped, link }) => [
    `[${title}](${link})`,
    count(passed),
    count(failed.length),
    count(skipped),
  ]),
)}

${ownFailures(all.own)}Random inputs, after which the gateway neither traps nor loses a request: ${Object.entries(
    all.fuzz,
  )
    .map(([target, inputs]) => `${count(inputs)} ${target}`)
    .join(
      ", ",
    )}. [model-server.md](model-server.md) has the measured rates of the guard and of prompt targets, [performance.md](performance.md) the times.

## Instructions per request

The budgets of one request, in thousands of instructions of Envoy and filter. CI counts three of the cases and accepts 2 % more. [bench/README.md](../bench/README.md) explains the cases.

${table(
  ["Case", "Budget"],
  Object.entries(all.instructions).map(([name, value]) => [name, count(value)]),
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
    const shown = tests.slice(0, 5).join("; ");
    const more = tests.length > 5 ? `; and ${count(tests.length - 5)} more` : "";
    return `- ${why} ${count(tests.length)} ${tests.length === 1 ? "test" : "tests"}: ${shown}${more}.`;
  });
  return `### Failures\n\n${lines.join("\n")}`;
}

function ownFailures(own: readonly OwnRow[]): string {
  const lines = own.flatMap(({ failed }) => failed.map((name) => `- ${name}`));
  return lines.length === 0 ? "" : `Failed:\n\n${lines.join("\n")}\n\n`;
}
