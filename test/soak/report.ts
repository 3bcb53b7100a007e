// The report of a soak as tables.
import { table } from "../../scripts/docs/markdown.ts";
import type { SoakReport } from "./soak.ts";

/** Of each check, as many as a reader needs. */
const SHOWN = 20;

export function problemsOf({ checks }: SoakReport): string[] {
  return checks.flatMap(({ name, problems }) =>
    problems.slice(0, SHOWN).map((problem) => `${name}: ${problem}`),
  );
}

/** Returns Markdown. */
export function reportTables(report: SoakReport): string {
  const { checks, disturbances, faults, growth } = report;
  const sections = [
    `${count(report.requests)} requests in ${count(report.seconds)} seconds, ${count(report.perSecond)} a second; seed ${String(report.seed)}; ${count(report.late)} requests were left out because the machine was too slow for the rate.`,
    table(
      ["Check", "Result", "What was counted"],
      checks.map(({ name, found, problems }) => [
        name,
        problems.length === 0 ? "passed" : `${count(problems.length)} problems`,
        found,
      ]),
    ),
    table(
      ["What happened", "Times"],
      disturbances.map(({ name, times, missing }) => [
        name,
        missing === undefined ? count(times) : `not here: ${missing}`,
      ]),
    ),
    table(
      ["Second half of the run", "First third", "Last third"],
      growth.map(({ name, unit, first, last }) => [name, amount(first, unit), amount(last, unit)]),
    ),
    table(
      ["Fault of a provider", "Clients got"],
      Object.entries(faults)
        .sort(([one], [other]) => one.localeCompare(other))
        .map(([fault, outcomes]) => [fault, outcomesText(outcomes)]),
    ),
  ];
  const problems = problemsOf(report).map((problem) => `- ${problem}`);
  return [...sections, problems.join("\n")].filter((text) => text !== "").join("\n\n");
}

/** docs/soak.md. The caller formats it. */
export function soakPage(report: SoakReport): string {
  return `# Soak and chaos

<!-- Written by \`npm run soak -- --publish\`. -->

What a run of ${minutes(report.seconds)} on ${report.date} found, with version ${report.version}, on a machine with ${count(report.processors)} processors and a load average of ${report.load.toFixed(1)} at its end. [soak.json](soak.json) has the same as data.

\`npm run soak\` starts two gateways with one worker each that share a Redis, and fakes of three providers (OpenAI, Anthropic, Gemini). Clients of three formats send requests at random; each carries a number, which its response must repeat. In the first half of the time parts are killed, stopped, filled or moved, one after the other, all of them at least once; the second half has reloads and faults of providers alone, and memory, descriptors and disk are measured. At the end it compares what clients got, what providers have sent, the usage logs and \`gateway spend\`:

- **responses**: every request ends once: with its own whole response, or with what [the table of faults](faults.md) says. A connection may break only if its gateway or its Envoy was killed while the request was in flight.
- **records**: every response has one usage record; none has two. A record may be missing if Envoy was killed in the moment after the response, or the disk was full.
- **tokens**: a record has the tokens that a provider has reported for this request, and no request costs more. A healthy provider is asked once.
- **spend**: what both gateways have spent, with each key, is what the records cost, and for records that were lost with the full disk at least what providers have reported for the responses, and at most what they have reported for all requests without a record.
- **growth**: the last third of the samples has no more memory, descriptors and disk than the first, but for what is allowed (soak.json).

\`npm run soak -- --minutes 30 --rate 100\` is the default. \`--only NAME\` selects what happens, \`--report FILE\` writes the data, \`--seed\` repeats a run's requests. Docker is not needed; a full disk needs the right to mount a tmpfs, a moved clock needs a C compiler, Redis and its packages come as for the rate limit tests. What is missing is reported and left out. \`npm test\` runs the short form.

How exact the cost of lost records is: [budgets](budgets.md#budgets). If the gateway is killed before it was added, nothing is added.

Not done here: power loss, a partition of the network between the gateways and Redis other than a Redis that stands still, and clocks that differ by more than an hour.

${reportTables(report)}
`;
}

function minutes(seconds: number): string {
  return seconds < 120 ? `${count(seconds)} seconds` : `${count(Math.round(seconds / 60))} minutes`;
}

function outcomesText(outcomes: Record<string, number>): string {
  return Object.entries(outcomes)
    .sort(([, one], [, other]) => other - one)
    .map(([outcome, times]) => `${count(times)} × ${outcome}`)
    .join(", ");
}

const count = (value: number): string => value.toLocaleString("en-US");
const amount = (value: number, unit: string): string =>
  unit === "" ? count(value) : `${value.toFixed(1)} ${unit}`;
