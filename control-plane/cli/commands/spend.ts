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
import type { SpendOptions } from "../command-options.ts";

/** A line of the table: the sums of a key and a model, of one period or of all. */
interface Row extends Omit<Cell, "day" | "target"> {
  /** The period's first day; empty if the rows are of the whole range. */
  period: string;
  model: string;
}

/** Prints it as a table, as JSON or as CSV. */
export async function spend(config: string | undefined, options: SpendOptions): Promise<void> {
  const now = Date.now();
  const since = options.since ?? periodAt(options.per ?? "month", now).start;
  const report = await read(config, since, now);
  for (const problem of report.problems) console.error(problem);
  const rows = rowsOf(report.cells, options.since === undefined ? undefined : options.per);
  if (options.json === true) console.log(JSON.stringify(asJson(rows, report, since), null, 2));
  else if (options.csv === true) for (const line of csv(rows)) console.log(line);
  else {
    for (const line of lines(rows, report, since)) console.log(line);
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

function rowsOf(cells: readonly Cell[], per: BudgetPeriod | undefined): Row[] {
  const rows = new Map<string, Row>();
  for (const cell of cells) {
    const { day, target: _, ...sums } = cell;
    // Redis has names of other gateways.
    const [key, model] = [printable(cell.key), printable(modelOfCell(cell))];
    const isWhole = per === undefined || per === "total";
    const period = isWhole ? "" : dateOf(periodAt(per, day * DAY_MS).start);
    const name = JSON.stringify([period, key, model]);
    const found = rows.get(name);
    if (found === undefined) rows.set(name, { period, ...sums, key, model });
    else for (const sum of SUMS) found[sum] += sums[sum];
  }
  return [...rows.values()].sort(
    (one, other) =>
      compare(one.period, other.period) ||
      other.cost - one.cost ||
      compare(one.key, other.key) ||
      compare(one.model, other.model),
  );
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

function lines(rows: readonly Row[], report: SpendReport, since: number): string[] {
  const colors = colorsFor(process.stdout);
  const { budgets, gateways } = report;
  const of = gateways > 1 ? ` of ${String(gateways)} gateways` : "";
  const title = `Spend ${since === 0 ? "in total" : `since ${dateOf(since)} (UTC)`}${of}`;
  const hasPeriods = rows.some(({ period }) => period !== "");
  const has = {
    estimated: rows.some((row) => row.estimated > 0),
    unpriced: rows.some((row) => row.unpriced > 0),
  };
  const head = [
    ...(hasPeriods ? ["PERIOD"] : []),
    ...["KEY", "MODEL", "REQUESTS", "INPUT", "OUTPUT", "COST"],
    ...(has.estimated ? ["ESTIMATED"] : []),
    ...(has.unpriced ? ["WITHOUT PRICE"] : []),
  ];
  const cells = (row: Row, isTotal = false) => [
    ...(hasPeriods ? [row.period] : []),
    isTotal ? "all" : row.key || "-",
    isTotal ? "" : row.model || "-",
    ...[row.requests, row.input, row.output].map(grouped),
    dollars(row.cost),
    ...(has.estimated ? [dollars(row.estimated)] : []),
    ...(has.unpriced ? [grouped(row.unpriced)] : []),
  ];
  const total: Row = { period: "", key: "", model: "", ...zeros() };
  for (const row of rows) for (const sum of SUMS) total[sum] += row[sum];
  return [
    colors.bold(title),
    ...(rows.length === 0
      ? ["Nothing was spent."]
      : rightAligned(
          [
            head.map(colors.dim),
            ...rows.map((row) => cells(row)),
            ...(rows.length > 1 ? [cells(total, true)] : []),
          ],
          hasPeriods ? 3 : 2,
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

function asJson(rows: readonly Row[], { budgets, gateways }: SpendReport, since: number) {
  return {
    since: dateOf(since),
    gateways,
    spend: rows.map((row) => ({
      ...(row.period === "" ? {} : { period: row.period }),
      key: row.key === "" ? null : row.key,
      model: row.model === "" ? null : row.model,
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

function csv(rows: readonly Row[]): string[] {
  const head =
    "period,key,model,requests,requests_without_price,input_tokens,output_tokens,cost_usd,estimated_usd";
  const line = (row: Row) =>
    [
      ...[row.period, row.key, row.model].map(quoted),
      ...[row.requests, row.unpriced, row.input, row.output].map(String),
      exactDollars(row.cost),
      exactDollars(row.estimated),
    ].join(",");
  return [head, ...rows.map(line)];
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function grouped(number: number): string {
  return number.toLocaleString("en-US");
}

function zeros(): Pick<Cell, (typeof SUMS)[number]> {
  return { requests: 0, unpriced: 0, cost: 0, estimated: 0, input: 0, output: 0 };
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
