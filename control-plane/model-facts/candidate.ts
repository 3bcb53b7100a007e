// What one source states of one model, before the sources are merged.
import type { FactRow, PriceRow } from "../../model/facts/catalogue.ts";

/** The facts of a source by provider (our name) and model. */
export type Candidates = Map<string, Map<string, Candidate>>;

export interface Candidate extends Omit<FactRow, "f" | "p"> {
  p?: PriceRow;
}

export function addCandidate(
  all: Candidates,
  provider: string,
  model: string,
  candidate: Candidate,
): void {
  const models = all.get(provider) ?? new Map<string, Candidate>();
  models.set(model, candidate);
  all.set(provider, models);
}

/** Returns US dollars per million tokens without the noise of floating point. */
export function perMillion(perToken: number): number {
  return rounded(perToken * 1_000_000);
}

export function rounded(value: number): number {
  return Number(value.toPrecision(7));
}

/** Returns a row of rates without the missing ones at its end. */
export function trimmed(rates: readonly (number | null | undefined)[]): (number | null)[] {
  const found = rates.map((rate) => rate ?? null);
  while (found.length > 0 && found.at(-1) === null) found.pop();
  return found;
}

/** Removes members without a value. */
export function defined<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== undefined && value !== ""),
  ) as Row;
}
