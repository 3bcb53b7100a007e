// What was spent on a UTC day with a client key at a model, as the usage records report it.
import type { Budget } from "../../model/budgets.ts";
import { hasTokens, recordedCost } from "../usage/record-cost.ts";
import type { Price } from "../usage/record-cost.ts";
import type { UsageLine, UsageRecord } from "../usage/usage-line.ts";

export const SUMS = [
  /** Requests that used tokens. */
  "requests",
  /** Those of them whose price is not known. */
  "unpriced",
  /** Nano-dollars. */
  "cost",
  /** The part of the cost whose tokens were estimated, because the provider did not report them. */
  "estimated",
  /** Tokens. */
  "input",
  "output",
] as const;

export interface Cell extends Record<(typeof SUMS)[number], number> {
  /** UTC days since 1970. */
  day: number;
  /** The name of the client's key; empty without one. */
  key: string;
  /** `<provider>/<model>` as configured; of a wildcard, a blank and the name of its model follow: `openai/* openai/gpt-4o`. */
  target: string;
}

/** What the configuration adds to a record. */
export interface RecordRules {
  /** Names the models of wildcards (KnownModels.nameOf). */
  nameOf?: ((target: string, requested?: string) => string) | undefined;
  /** Returns the price of a record without a cost: the filter computes it for budgets alone. */
  priceOf?: ((record: UsageRecord) => Price | undefined) | undefined;
}

/** Returns the model of a cell: `openai/gpt-4o`. */
export function modelOfCell({ target }: Pick<Cell, "target">): string {
  return target.slice(target.indexOf(" ") + 1);
}

export const DAY_MS = 24 * 3600 * 1000;

/** Returns the UTC day of a time in milliseconds since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Cells by day, key and model. */
export class Cells {
  readonly #cells = new Map<string, Cell>();
  readonly #rules: RecordRules;

  constructor(rules: RecordRules = {}) {
    this.#rules = rules;
  }

  add(cell: Cell): void {
    const name = [cell.day, cell.key, cell.target].join("\u0000");
    const found = this.#cells.get(name);
    if (found === undefined) this.#cells.set(name, { ...cell });
    else for (const sum of SUMS) found[sum] += cell[sum];
  }

  /** Adds what a line of access_usage.log has used. Returns it; undefined if it used nothing. */
  addLine(line: UsageLine): Cell | undefined {
    const cell = cellOf(line, this.#rules);
    if (cell !== undefined) this.add(cell);
    return cell;
  }

  all(): Cell[] {
    return [...this.#cells.values()];
  }
}

/** Returns what a request has used; undefined if it used nothing. */
function cellOf(
  { startTime, duration, record }: UsageLine,
  { nameOf = (target) => target, priceOf = () => undefined }: RecordRules,
): Cell | undefined {
  if (record?.target === undefined) return undefined;
  const { key = "", target, requested, estimated, input, output } = record;
  const cost = recordedCost(record, priceOf);
  if (cost === undefined && !hasTokens(record)) return undefined;
  const model = nameOf(target, requested);
  return {
    day: dayOf(startTime * 1000 + duration),
    key,
    target: model === target ? target : `${target} ${model}`,
    requests: 1,
    unpriced: cost === undefined ? 1 : 0,
    cost: cost ?? 0,
    estimated: estimated === undefined ? 0 : (cost ?? 0),
    input: input ?? 0,
    output: output ?? 0,
  };
}

/** Whether a budget is for the requests of a cell. */
export function appliesTo(
  { subject }: Pick<Budget, "subject">,
  cell: Pick<Cell, "key" | "target">,
): boolean {
  if (subject === "all") return true;
  if ("key" in subject) return subject.key === cell.key;
  // Groups and users have sums of their own (subject-sums.ts).
  if (!("target" in subject)) return false;
  return subject.target === cell.target || cell.target.startsWith(`${subject.target} `);
}
