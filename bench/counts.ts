// The instructions of a request as counted last, with their date: docs/conformance.md shows them beside the budgets.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RunStamp, runStamp } from "../scripts/run-stamp.ts";
import type { Counted } from "./instructions.ts";
import { median } from "./report.ts";

const ROOT = join(import.meta.dirname, "..");
const FILE = join(ROOT, "build/instruction-counts.json");

export interface LastCount extends RunStamp {
  /** Thousands of instructions of a request. */
  plain: number;
  gateway: number;
}

/** Returns the last counts by case; none if nothing was counted in this checkout. */
export function readCounts(): Record<string, LastCount> {
  try {
    return JSON.parse(readFileSync(FILE, "utf8")) as Record<string, LastCount>;
  } catch {
    return {};
  }
}

/** Replaces the counts of these cases by those of this checkout's filter. */
export function recordCounts(results: readonly Counted[]): void {
  const stamp = runStamp();
  const counts = results.flatMap(({ name, programs }) => {
    const [plain, gateway] = programs;
    if (plain === undefined || gateway?.program !== "gateway") return [];
    const inThousands = ({ rounds }: { rounds: number[] }) => Math.round(median(rounds) / 1000);
    const count: LastCount = {
      ...stamp,
      ...{ plain: inThousands(plain), gateway: inThousands(gateway) },
    };
    return [[name, count] as const];
  });
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify({ ...readCounts(), ...Object.fromEntries(counts) }));
}
