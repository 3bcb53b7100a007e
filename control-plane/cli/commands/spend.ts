// `gateway spend`: what was spent by key and model, and what is left of the budgets.
import { catalogueNote } from "../../../model/facts/catalogue-note.ts";
import {
  type ConfigurationFile,
  ConfigurationProblems,
} from "../../config/diagnostics/configuration-problems.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { colorsFor, count, printable, table } from "../../report/terminal.ts";
import {
  type Budget,
  type BudgetPeriod,
  budgetLabel,
  NANO_PER_DOLLAR,
  periodAt,
} from "../../../model/budgets.ts";
import { type Cell, DAY_MS, modelOfCell, SUMS } from "../../spend/cell.ts";
import { type BudgetState, readSpend, type SpendReport } from "../../spend/read-spend.ts";
import { type Configuration, readConfiguration } from "../../supervisor/configuration-file.ts";
import { logDirectory } from "../../supervisor/log-directory.ts";
import { findCaFile } from "../../supervisor/machine-settings.ts";
import { stateDirectory } from "../../supervisor/state.ts";
import { dollars, exactDollars } from "../dollars.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { chooseRunning } from "../find-running.ts";
import type { SpendOptions, SpentBy } from "../command-options.ts";

type Sums = Pick<Cell, (typeof SUMS)[number]>;

/** A line of the table: the sums of a key and a model, or of a group or user; of one period or of all. */
interface Row extends Sums {
  /** The period's first day; empty if the rows are of the whole range. */
  period: string;
  /** Of the key, the group or the user. */
  name: string;
  /** Absent for groups and users. */
  model?: string;
}

/** Prints it as a table, as JSON or as CSV. */
export async function spend(config: string | undefined, options: SpendOptions): Promise<void> {
  const now = Date.now();
  const since = options.since ?? periodAt(options.per ?? "month", now).start;
  const report = await read(config, since, now);
  for (const problem of report.problems) console.error(problem);
  const { by = "key" } = options;
  const rows = rowsOf(sumsOf(report, by), options.since === undefined ? undefined : options.per);
  const table = { by, rows, report, since };
  if (options.json === true) console.log(JSON.stringify(asJson(table), null, 2));
  else if (options.csv === true) for (const line of csv(table)) console.log(line);
  else {
    for (const line of lines(table)) console.log(line);
    console.error(`Listed prices: ${catalogueNote()}.`);
  }
}

async function read(config: string | undefined, since: number, now: number): Promise<SpendReport> {
  const running = chooseRunning(config, process.env);
  const path = running?.record.configuration;
  const file =
    path === undefined
      ? findConfigurationOrBuiltIn(config, process.cwd())
      : named(findConfigurationOrBuiltIn(path, process.cwd()), config);
  const { configuration, problem } = load(() => readConfiguration(file, process.env));
  const environment = configuration?.environment ?? process.env;
  const model = configuration?.model;
  const logs =
    running?.record.logDirectory ??
    (configuration === undefined
      ? undefined
      : logDirectory(configuration, process.env["GATEWAY_LOG_DIR"]));
  const report = await readSpend({
    directory: running?.directory ?? stateDirectory(file, environment),
    ...(logs === undefined ? {} : { logDirectory: logs }),
    ...(model === undefined ? {} : { model }),
    environment,
    caFile: model?.redis === undefined ? undefined : findCaFile(environment),
    since,
    now,
  });
  if (report === undefined) {
    throw new GatewayError(`No spend is recorded for ${file.name}.`, {
      hint: "It is recorded with budgets, and with observability: {} (docs/budgets.md#spend).",
    });
  }
  return { ...report, problems: [...(problem === undefined ? [] : [problem]), ...report.problems] };
}

/** Returns the file with the name that the user knows. */
function named(file: ConfigurationFile, config: string | undefined): ConfigurationFile {
  return file.isBuiltIn ? file : { ...file, name: config ?? file.path };
}

/** Returns the configuration. Without one, what was spent can be shown all the same. */
function load(read: () => Configuration): { configuration?: Configuration; problem?: string } {
  try {
    return { configuration: read() };
  } catch (error) {
    if (!(error instanceof ConfigurationProblems)) throw error;
    const problems = count(error.problems.length, "problem");
    return {
      problem: `Budgets are not shown: ${error.file.name} has ${problems}. List them with gateway validate.`,
    };
  }
}

interface Table {
  by: SpentBy;
  rows: readonly Row[];
  report: SpendReport;
  since: number;
}

interface DaySum extends Sums {
  day: number;
  name: string;
  model?: string;
}

/** Returns what the rows are made of. Redis has names of other gateways, which may hold anything. */
function sumsOf({ cells, subjects }: SpendReport, by: SpentBy): DaySum[] {
  if (by === "key")
    return cells.map(({ key, target, ...sums }) => ({
      ...sums,
      name: printable(key),
      model: printable(modelOfCell({ target })),
    }));
  return subjects.flatMap(({ kind, name, ...sums }) =>
    kind === by ? [{ ...sums, name: printable(name) }] : [],
  );
}

function rowsOf(sums: readonly DaySum[], per: BudgetPeriod | undefined): Row[] {
  const rows = new Map<string, Row>();
  for (const { day, ...one } of sums) {
    const isWhole = per === undefined || per === "total";
    const period = isWhole ? "" : dateOf(periodAt(per, day * DAY_MS).start);
    const id = JSON.stringify([period, one.name, one.model]);
    const found = rows.get(id);
    if (found === undefined) rows.set(id, { period, ...one });
    else for (const sum of SUMS) found[sum] += one[sum];
  }
  return [...rows.values()].sort(
    (one, other) =>
      compare(one.period, other.period) ||
      other.cost - one.cost ||
      compare(one.name, other.name) ||
      compare(one.model ?? "", other.model ?? ""),
  );
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

function lines({ by, rows, report, since }: Table): string[] {
  const colors = colorsFor(process.stdout);
  const { budgets, gateways } = report;
  const all = gateways > 1 ? ` of ${String(gateways)} gateways` : "";
  const of = by === "key" ? all : gateways > 1 ? " of this gateway" : "";
  const title = `Spend ${since === 0 ? "in total" : `since ${dateOf(since)} (UTC)`}${of}`;
  const hasPeriods = rows.some(({ period }) => period !== "");
  const has = {
    estimated: rows.some((row) => row.estimated > 0),
    unpriced: rows.some((row) => row.unpriced > 0),
  };
  const head = [
    ...(hasPeriods ? ["PERIOD"] : []),
    ...[by.toUpperCase(), ...(by === "key" ? ["MODEL"] : [])],
    ...["REQUESTS", "INPUT", "OUTPUT", "COST"],
    ...(has.estimated ? ["ESTIMATED"] : []),
    ...(has.unpriced ? ["WITHOUT PRICE"] : []),
  ];
  const cells = (row: Row, isTotal = false) => [
    ...(hasPeriods ? [row.period] : []),
    isTotal ? "all" : row.name || "-",
    ...(by === "key" ? [isTotal ? "" : row.model || "-"] : []),
    ...[row.requests, row.input, row.output].map(grouped),
    dollars(row.cost),
    ...(has.estimated ? [dollars(row.estimated)] : []),
    ...(has.unpriced ? [grouped(row.unpriced)] : []),
  ];
  const total: Row = { period: "", name: "", ...zeros() };
  for (const row of rows) for (const sum of SUMS) total[sum] += row[sum];
  return [
    colors.bold(title),
    ...(rows.length === 0
      ? ["Nothing was spent."]
      : rightAligned(
          [
            head.map(colors.dim),
            ...rows.map((row) => cells(row)),
            // A request counts for each of its groups, so that their sum is none.
            ...(rows.length > 1 && by !== "group" ? [cells(total, true)] : []),
          ],
          head.indexOf("REQUESTS"),
        )),
    ...(budgets.length === 0 ? [] : ["", ...budgetLines(budgets)]),
  ];
}

function budgetLines(budgets: readonly BudgetState[]): string[] {
  const colors = colorsFor(process.stdout);
  const rows = budgets.map(({ budget, spent, resets }) => {
    const left = Math.max(0, budget.amount - spent);
    const shown = dollars(left);
    return [
      budgetLabel(budget),
      dollars(spent),
      left === 0 ? colors.red(shown) : shown,
      resets === Infinity ? "never" : dateOf(resets),
    ];
  });
  return rightAligned([["BUDGET", "SPENT", "LEFT", "RESETS"].map(colors.dim), ...rows], 1);
}

/** A table whose columns from one on are numbers. */
function rightAligned(rows: readonly string[][], from: number): string[] {
  // eslint-disable-next-line no-control-regex -- colours are control sequences
  const lengthOf = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "").length;
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => lengthOf(row[at] ?? ""))),
  );
  return table(
    rows.map((row) =>
      row.map((cell, at) =>
        at < from ? cell : " ".repeat((widths[at] ?? 0) - lengthOf(cell)) + cell,
      ),
    ),
  );
}

function asJson({ by, rows, report: { budgets, gateways }, since }: Table) {
  return {
    since: dateOf(since),
    gateways,
    spend: rows.map((row) => ({
      ...(row.period === "" ? {} : { period: row.period }),
      [by]: row.name || null,
      ...(row.model === undefined ? {} : { model: row.model || null }),
      requests: row.requests,
      requestsWithoutPrice: row.unpriced,
      inputTokens: row.input,
      outputTokens: row.output,
      costUsd: row.cost / NANO_PER_DOLLAR,
      estimatedUsd: row.estimated / NANO_PER_DOLLAR,
    })),
    budgets: budgets.map(({ budget, spent, resets }) => ({
      budget: budgetLabel(budget),
      ...subjectOf(budget),
      per: budget.per,
      amountUsd: budget.amount / NANO_PER_DOLLAR,
      spentUsd: spent / NANO_PER_DOLLAR,
      leftUsd: Math.max(0, budget.amount - spent) / NANO_PER_DOLLAR,
      resets: resets === Infinity ? null : new Date(resets).toISOString(),
    })),
  };
}

/** Returns the key, group, user or model of a budget, named as in the rows. */
function subjectOf({ subject }: Budget): {
  key?: string;
  group?: string;
  user?: string;
  model?: string;
} {
  if (subject === "all") return {};
  return "target" in subject ? { model: subject.target } : subject;
}

function csv({ by, rows }: Table): string[] {
  const names = ["period", by, ...(by === "key" ? ["model"] : [])].join(",");
  const head = `${names},requests,requests_without_price,input_tokens,output_tokens,cost_usd,estimated_usd`;
  const line = (row: Row) =>
    [
      ...[row.period, row.name, ...(by === "key" ? [row.model ?? ""] : [])].map(quoted),
      ...[row.requests, row.unpriced, row.input, row.output].map(String),
      exactDollars(row.cost),
      exactDollars(row.estimated),
    ].join(",");
  return [head, ...rows.map(line)];
}

/** A text that a spreadsheet would read as a formula begins with an apostrophe. */
function quoted(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

function grouped(number: number): string {
  return number.toLocaleString("en-US");
}

function zeros(): Sums {
  return { requests: 0, unpriced: 0, cost: 0, estimated: 0, input: 0, output: 0 };
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
