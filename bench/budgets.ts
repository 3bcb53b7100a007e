// The accepted instructions per request (instruction-budgets.json): thousands, by program and case. A change of a count changes
// its line.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Counted } from "./instructions.ts";
import { median } from "./report.ts";

const FILE = join(import.meta.dirname, "instruction-budgets.json");

/** Runs of one build differ by less than a quarter of this. */
export const TOLERANCE = 0.02;

type Budgets = Record<string, Record<string, number>>;

function readBudgets(): Budgets {
  return JSON.parse(readFileSync(FILE, "utf8")) as Budgets;
}

/** Returns the budget of a case in thousands; undefined if it has none. */
export function budgetOf(program: string, name: string): number | undefined {
  return readBudgets()[program]?.[name];
}

/** Writes what was counted as the budgets of these cases. */
export function acceptBudgets(results: Counted[]): void {
  const budgets = readBudgets();
  for (const { name, programs } of results) {
    // The first is plain Envoy.
    for (const { program, rounds } of programs.slice(1)) {
      const own = (budgets[program] ??= {});
      own[name] = Math.round(median(rounds) / 1000);
    }
  }
  writeFileSync(FILE, `${JSON.stringify(budgets, null, 2)}\n`);
}
