// `gateway sessions`: the conversations of agents, what each has cost and read from caches, or one of them as its turns.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { exactName } from "../../../model/known-models.ts";
import { accessLogFile, USAGE_LOG } from "../../../model/names.ts";
import { NANO_PER_DOLLAR } from "../../../model/budgets.ts";
import { endOfLog, lastLines } from "../../log-files/log-files.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { colorsFor, printable, table } from "../../report/terminal.ts";
import { reportSession } from "../../prompt-cache/session-doctor.ts";
import { priceFinder, recordedCost } from "../../usage/record-cost.ts";
import type { Price } from "../../usage/record-cost.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import type { TurnReport } from "../../prompt-cache/turn-report.ts";
import type { UsageLine, UsageRecord } from "../../usage/usage-line.ts";
import type { SessionsOptions } from "../command-options.ts";
import { dollars } from "../dollars.ts";
import { activeModel } from "../log/active-model.ts";
import { findLogDirectory, readable } from "../log/find-log-directory.ts";
import { endOf, errorOf, sessionOf, SessionSums } from "../session-log/session-sums.ts";
import type { SessionSum } from "../session-log/session-sums.ts";

const DAY_MS = 24 * 3600 * 1000;
/** Wider errors would break the lines of a terminal. */
const MAX_ERROR = 60;

/** Turns before the shown ones, with which they are compared. */
const EARLIER_TURNS = 16;

type CostOf = (record: UsageRecord) => number | undefined;

interface Prices {
  costOf: CostOf;
  priceOf: (record: UsageRecord) => Price | undefined;
}

/** Prints the sessions that were used last, or the turns of one. */
export function sessions(session: string | undefined, options: SessionsOptions): void {
  const directory = findLogDirectory(options.config, options.logDir);
  const model = activeModel(options.config);
  const priceOf = model === undefined ? () => undefined : priceFinder(model);
  const costOf: CostOf = (record) => recordedCost(record, priceOf);
  if (session === undefined) list(directory, costOf, options);
  else turns(directory, session, { costOf, priceOf }, options);
}

/** Reads the usage log backwards. @param onLine returns false to stop */
function readBackwards(directory: string, onLine: (line: UsageLine) => boolean): void {
  const file = join(directory, accessLogFile(USAGE_LOG));
  if (!existsSync(file)) {
    throw new GatewayError(`There is no ${accessLogFile(USAGE_LOG)} in ${directory}.`, {
      hint: "gateway sessions needs the log that observability writes: see docs/observability.md.",
    });
  }
  readable(file, () => lastLines(file, 1, (text) => stops(text, onLine), endOfLog(file)));
}

function stops(text: string, onLine: (line: UsageLine) => boolean): boolean {
  const line = readUsageLine(text);
  return line !== undefined && !onLine(line);
}

function isOf({ record }: UsageLine, { key }: SessionsOptions): boolean {
  return key === undefined || record?.key === key;
}

function list(directory: string, costOf: CostOf, options: SessionsOptions): void {
  const since = (options.since ?? Date.now() - DAY_MS) / 1000;
  const sums = new SessionSums(costOf);
  readBackwards(
    directory,
    (line) => endOf(line) >= since && (!isOf(line, options) || sums.add(line)),
  );
  const found = sums.newest(options.lines);
  if (options.json === true) {
    for (const sum of found) console.log(JSON.stringify(asJson(sum)));
    return;
  }
  if (found.length === 0) {
    console.error(`The usage log in ${directory} has no sessions since ${shortTime(since)}.`);
    return;
  }
  const head = [
    "LAST",
    "AGENT",
    "MODEL",
    "KEY",
    "TURNS",
    "SUB",
    "IN",
    "CACHED",
    "COST",
    "SESSION",
    "ERROR",
  ];
  print([
    head,
    ...found.map((sum) => [
      shortTime(sum.ended),
      sum.agent ?? "-",
      sum.model ?? "-",
      sum.key ?? "-",
      String(sum.turns),
      sum.subagentTurns === 0 ? "-" : String(sum.subagentTurns),
      String(sum.input),
      shareText(sum.cached, sum.input),
      sum.cost === undefined ? "-" : dollars(sum.cost),
      sum.session,
      shortened(sum.error),
    ]),
  ]);
}

function turns(directory: string, session: string, prices: Prices, options: SessionsOptions): void {
  const since = (options.since ?? 0) / 1000;
  const found: UsageLine[] = [];
  readBackwards(directory, (line) => {
    if (endOf(line) < since) return false;
    if (sessionOf(line) === session && isOf(line, options)) found.push(line);
    return found.length < options.lines + EARLIER_TURNS;
  });
  const keys = new Set(found.flatMap(({ record }) => record?.key ?? []));
  if (keys.size > 1) {
    const names = [...keys].sort().map(printable).join(", ");
    throw new GatewayError(`Requests of several keys have the session ${printable(session)}.`, {
      hint: `Choose one with --key: ${names}.`,
    });
  }
  found.sort((one, other) => one.startTime - other.startTime);
  const shown: Turn[] = reportSession(found, prices)
    .map((report, index) => ({ report, line: found[index] }))
    .filter((turn): turn is Turn => turn.line !== undefined)
    .slice(-options.lines);
  if (options.json === true) {
    for (const turn of shown) console.log(JSON.stringify(turnAsJson(turn, prices.costOf)));
    return;
  }
  if (found.length === 0) {
    console.error(
      `The usage log in ${directory} has no requests of the session ${printable(session)}.`,
    );
    process.exitCode = 1;
    return;
  }
  const head = [
    "TIME",
    "MODEL",
    "OF",
    "IN",
    "CACHED",
    "OUT",
    "COST",
    "CODE",
    "CACHE",
    "REQUEST ID",
    "ERROR",
  ];
  print([
    head,
    ...shown.map(({ line, report }) => {
      const { record } = line;
      const cost = record === undefined ? undefined : prices.costOf(record);
      return [
        shortTime(line.startTime),
        (record && exactName(record)) ?? "-",
        record?.subagent ?? record?.purpose ?? "-",
        record?.input === undefined ? "-" : String(record.input),
        shareText(record?.cache_read ?? 0, record?.input ?? 0),
        record?.output === undefined ? "-" : String(record.output),
        cost === undefined ? "-" : dollars(cost),
        String(line.status),
        cacheWord(report),
        record?.id ?? "-",
        shortened(errorOf(line)),
      ];
    }),
  ]);
  printBreaks(shown);
}

interface Turn {
  line: UsageLine;
  report: TurnReport;
}

/** Returns why the cache was lost, else what the request is to its session; `-` for a turn that read what it could. */
function cacheWord({ kind, break: lost }: TurnReport): string {
  return lost?.reason ?? (kind === "next" || kind === "failed" ? "-" : kind);
}

/** Prints what was lost, one line for each turn, and the sum. */
function printBreaks(shown: readonly Turn[]): void {
  const broken = shown.filter(({ report }) => report.break !== undefined);
  if (broken.length === 0) return;
  console.log("");
  for (const { line, report } of broken)
    console.log(`${shortTime(line.startTime)}  ${printable(report.text)}`);
  const tokens = broken.reduce((sum, { report }) => sum + (report.break?.lostTokens ?? 0), 0);
  const costs = broken.flatMap(({ report }) => report.break?.cost ?? []);
  const cost = costs.reduce((sum, one) => sum + one, 0);
  const price = costs.length === 0 ? "" : `, ${dollars(cost)}`;
  const times = broken.length === 1 ? "once" : `${String(broken.length)} times`;
  console.log(`The cache was lost ${times}: ${tokens.toLocaleString("en-US")} tokens${price}.`);
}

function asJson(sum: SessionSum): Record<string, unknown> {
  const { session, agent, model, key, input, cached, output, cost, begun, ended, error } = sum;
  return {
    ...{ session, agent: agent ?? null, model: model ?? null, key: key ?? null },
    ...{ turns: sum.turns, subagentTurns: sum.subagentTurns },
    ...{ inputTokens: input, cachedTokens: cached, outputTokens: output },
    costUsd: cost === undefined ? null : cost / NANO_PER_DOLLAR,
    ...{ begun: isoTime(begun), ended: isoTime(ended), error: error ?? null },
  };
}

function turnAsJson({ line, report }: Turn, costOf: CostOf): Record<string, unknown> {
  const { record } = line;
  const { kind, before, shared, changed, break: lost } = report;
  const cost = record === undefined ? undefined : costOf(record);
  return {
    ...{ time: isoTime(line.startTime), requestId: record?.id ?? null, status: line.status },
    model: (record && exactName(record)) ?? null,
    ...{ subagent: record?.subagent ?? null, purpose: record?.purpose ?? null },
    inputTokens: record?.input ?? null,
    cachedTokens: record?.input === undefined ? null : (record.cache_read ?? 0),
    outputTokens: record?.output ?? null,
    costUsd: cost === undefined ? null : cost / NANO_PER_DOLLAR,
    affinity: record?.affinity === 1,
    ...{ kind, comparedWith: before ?? null, shared: shared ?? null, changed: changed ?? null },
    break:
      lost === undefined
        ? null
        : {
            ...{ reason: lost.reason, lostTokens: lost.lostTokens },
            costUsd: lost.cost === undefined ? null : lost.cost / NANO_PER_DOLLAR,
          },
    ...{ durationMs: line.duration, error: errorOf(line) ?? null },
  };
}

function print([head = [], ...rows]: readonly (readonly string[])[]): void {
  const [first = "", ...lines] = table([head, ...rows.map((row) => row.map(printable))]);
  console.log(colorsFor(process.stdout).dim(first));
  for (const line of lines) console.log(line);
}

function shareText(part: number, whole: number): string {
  return whole === 0 ? "-" : `${String(Math.round((100 * part) / whole))} %`;
}

function shortened(error: string | undefined): string {
  if (error === undefined) return "-";
  return error.length <= MAX_ERROR ? error : `${error.slice(0, MAX_ERROR - 1)}…`;
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();
/** To the second. */
const shortTime = (seconds: number): string => isoTime(seconds).replace(/\.\d+Z$/, "Z");
