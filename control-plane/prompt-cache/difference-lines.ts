// Two turns of a session side by side, as `gateway explain` prints them. Pure.
import { NANO_PER_DOLLAR } from "../../model/budgets.ts";
import type { Price } from "../usage/record-cost.ts";
import type { UsageLine, UsageRecord } from "../usage/usage-line.ts";
import { comparePrompts, readPromptParts } from "./compare-prompts.ts";
import type { ChangedPart, PromptDifference } from "./compare-prompts.ts";
import { SessionDoctor } from "./session-doctor.ts";
import type { TurnReport } from "./turn-report.ts";

export interface TurnComparison {
  /** Of the later turn. */
  report: TurnReport;
  /** The first difference of each kind of part, by the order of a prompt. */
  changed: ChangedPart[];
  /** How many tools and messages the earlier turn had, and how many of its messages at the start the later one has. */
  tools: number;
  messages: number;
  sharedMessages: number;
  /** Of the routing, the members of the usage record that differ. */
  routing: { member: string; before: string; after: string }[];
  seconds: number;
}

const ROUTING = ["requested", "target", "api", "provider_key", "session", "key"] as const;

/** Compares two turns whose prompts were observed; undefined if one was not. */
export function compareTurns(
  before: UsageLine,
  after: UsageLine,
  priceOf: (record: UsageRecord) => Price | undefined,
): TurnComparison | undefined {
  const [one, other] = [before.record, after.record];
  if (one?.prompt === undefined || other?.prompt === undefined) return undefined;
  const parts = readPromptParts(one.prompt);
  const difference = comparePrompts(parts, readPromptParts(other.prompt), other.dialect);
  const doctor = new SessionDoctor({ priceOf, caches: true });
  doctor.add(before);
  const report = doctor.add(after);
  if (report === undefined) return undefined;
  return {
    report,
    changed: difference.changed.map(({ path, how }) => ({ path, how })),
    tools: parts.tools.length,
    messages: parts.messages?.count ?? 0,
    sharedMessages: sharedOf(difference, parts.lead),
    routing: ROUTING.flatMap((member) => {
      const [was, is] = [textOf(one[member]), textOf(other[member])];
      return was === is ? [] : [{ member, before: was, after: is }];
    }),
    seconds: after.startTime - before.startTime,
  };
}

function sharedOf({ changed, sharedMessages }: PromptDifference, lead: number): number {
  const isOfLead = changed.some(({ part, path }) => part === "system" && path.endsWith("]"));
  return sharedMessages + (isOfLead ? 0 : lead);
}

const textOf = (value: string | number | undefined): string =>
  value === undefined ? "-" : String(value);

/** Returns the lines for people. */
export function comparisonLines(comparison: TurnComparison): string[] {
  const { report, changed, tools, messages, sharedMessages, routing, seconds } = comparison;
  const { tokens, break: lost, kind } = report;
  const row = (name: string, value: string): string => `${name.padEnd(10)}${value}`;
  const cost = lost?.cost === undefined ? "" : ` ($${(lost.cost / NANO_PER_DOLLAR).toFixed(4)})`;
  return [
    row("Pause", `${String(Math.round(seconds))} s`),
    ...routing.map((one) => row("Routing", `${one.member}: ${one.before} → ${one.after}`)),
    ...(changed.length === 0
      ? [row("Prompt", "as before, and what is new after it")]
      : changed.map(({ path, how }) => row("Prompt", `${path} was ${how}`))),
    row(
      "Shared",
      `${String(sharedMessages)} of ${String(messages)} messages; ${String(tools)} tools before`,
    ),
    ...(tokens === undefined
      ? []
      : [row("Cache", `${String(tokens.cached)} of ${String(tokens.input)} input tokens read`)]),
    ...(lost === undefined
      ? [row("Result", report.text === "" ? "it read what it could" : report.text)]
      : [
          row("Lost", `${String(lost.lostTokens)} tokens${cost}`),
          row("Reason", lost.reason),
          row("Result", report.text),
        ]),
    ...(kind === "side" || kind === "first"
      ? ["The second request does not continue the first: their prompts have too little in common."]
      : []),
  ];
}
