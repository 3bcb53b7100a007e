// Merges what the sources state of a model, field by field, and lists where they differ.
import type {
  Catalogue,
  CatalogueSource,
  FactRow,
  PriceRow,
  Rates,
} from "../../model/facts/catalogue.ts";
import { trimmed, type Candidate, type Candidates } from "./candidate.ts";

export interface SourceFacts {
  source: CatalogueSource;
  facts: Candidates;
}

/** A field that sources give differently; the first value is the one that was chosen. */
export interface Conflict {
  provider: string;
  model: string;
  field: string;
  values: [letter: string, value: string][];
}

/** Two numbers or prices that differ by less are the same. */
const TOLERANCE = 0.2;
const PRICE_TOLERANCE = 0.02;

type Field = Exclude<keyof FactRow, "f" | "p" | "name">;

/** Which source counts first: our corrections (`C`) before all. */
const ORDERS: Readonly<Record<Field, string>> = {
  c: "CILG",
  i: "CL",
  o: "CIL",
  a: "CLI",
  r: "CIL",
  y: "CLI",
  e: "CIL",
  t: "CLI",
  m: "CLI",
  k: "CIL",
  n: "CL",
  x: "CI",
  d: "CL",
  q: "CL",
};
/** Fields whose values are put together. */
const UNITED: ReadonlySet<Field> = new Set(["a", "m"]);
const NUMBERS: ReadonlySet<Field> = new Set(["c", "o"]);
const PRICE_ORDER = "CGLI";

export function mergeFacts(sources: readonly SourceFacts[]): {
  catalogue: Catalogue;
  conflicts: Conflict[];
} {
  const conflicts: Conflict[] = [];
  const models: Catalogue["models"] = {};
  const providers = [...new Set(sources.flatMap(({ facts }) => [...facts.keys()]))].sort();
  for (const provider of providers) {
    const names = new Set(sources.flatMap(({ facts }) => [...(facts.get(provider)?.keys() ?? [])]));
    const rows: Record<string, FactRow> = {};
    for (const model of [...names].sort()) {
      const candidates = new Map(
        sources.flatMap(({ source, facts }) => {
          const candidate = facts.get(provider)?.get(model);
          return candidate === undefined ? [] : [[source.letter, candidate] as const];
        }),
      );
      const row = mergeModel(candidates, (field, values) => {
        conflicts.push({ provider, model, field, values });
      });
      if (row !== undefined) rows[model] = row;
    }
    models[provider] = rows;
  }
  return {
    catalogue: { version: 1, sources: sources.map(({ source }) => source), models },
    conflicts,
  };
}

type Report = (field: string, values: Conflict["values"]) => void;

function mergeModel(
  candidates: ReadonlyMap<string, Candidate>,
  report: Report,
): FactRow | undefined {
  const row: Record<string, unknown> = {};
  const given = new Map<string, string>();
  const give = (letter: string, field: string) =>
    given.set(letter, (given.get(letter) ?? "") + field);
  for (const field of Object.keys(ORDERS) as Field[]) {
    const values = Array.from(ORDERS[field]).flatMap((letter): [string, string | number][] => {
      const value = candidates.get(letter)?.[field];
      return value === undefined || value === "" ? [] : [[letter, value]];
    });
    const [first] = values;
    if (first === undefined) continue;
    const [letter, value] = first;
    const isCorrected = letter === "C";
    row[field] = UNITED.has(field) && !isCorrected ? united(values) : value;
    // A source that lags behind does not know that a model reasons.
    if (field === "r" && values.some(([, one]) => one === 1)) row[field] = 1;
    if (field === "c") row[field] = windowOf(candidates, Number(value));
    give(letter, field);
    if (NUMBERS.has(field) && !isCorrected && values.some(([, other]) => differ(value, other))) {
      report(
        field,
        values.map(([from, one]) => [from, String(one)]),
      );
    }
  }
  withInputLimit(row, give);
  const price = mergePrice(candidates, report);
  if (price !== undefined) {
    row["p"] = price.row;
    give(price.letter, "p");
  }
  if (Object.keys(row).length === 0) return undefined;
  return { ...row, f: [...given].map(([letter, fields]) => `${letter}:${fields}`).join(" ") };
}

/** pi-ai has the window of the cheapest tier of prices, LiteLLM the maximum input: then the window is that of genai-prices. */
function windowOf(candidates: ReadonlyMap<string, Candidate>, chosen: number): number {
  const input = candidates.get("L")?.i ?? 0;
  if (candidates.has("C") || input <= chosen) return chosen;
  return Math.max(input, candidates.get("G")?.c ?? 0);
}

function withInputLimit(
  row: Partial<FactRow>,
  give: (letter: string, field: string) => void,
): void {
  if (row.i === undefined) return;
  if (row.c === undefined) {
    row.c = row.i;
    give("L", "c");
  }
  if (row.c <= row.i) delete row.i;
}

function united(values: readonly [string, string | number][]): string {
  const letters = new Set(values.flatMap(([, value]) => Array.from(String(value))));
  if (letters.delete("R")) {
    if (letters.size === 0) return "R";
    letters.add("r");
  }
  return [...letters].sort().join("");
}

function differ(one: string | number, other: string | number): boolean {
  return Math.abs(Number(one) / Number(other) - 1) > TOLERANCE;
}

function mergePrice(
  candidates: ReadonlyMap<string, Candidate>,
  report: Report,
): { row: PriceRow; letter: string } | undefined {
  const listed = Array.from(PRICE_ORDER).flatMap((letter): [string, PriceRow][] => {
    const price = candidates.get(letter)?.p;
    return price === undefined ? [] : [[letter, price]];
  });
  const agreeing = listed.filter(([, one], index) =>
    listed.some(([, other], at) => at !== index && agree(one, other)),
  );
  const isCorrected = listed[0]?.[0] === "C";
  const chosen = isCorrected ? listed[0] : (agreeing[0] ?? listed[0]);
  if (chosen === undefined) return undefined;
  const [letter, first] = chosen;
  const same = listed.filter(([, one]) => one === first || agree(one, first)).map(([, one]) => one);
  if (!isCorrected && same.length < listed.length) {
    const others = listed.filter((one) => one !== chosen);
    report(
      "p",
      [chosen, ...others].map(([from, one]) => [from, textOf(one)]),
    );
  }
  const tiers = same.find((one) => one.s.length > 1)?.s ?? first.s;
  const variants = same.map((one) => one.v).filter((one) => one !== undefined);
  const audio = same.find((one) => one.a !== undefined)?.a;
  const search = same.find((one) => one.w !== undefined)?.w;
  return {
    letter,
    row: {
      s: tiers.map((tier) => completed(tier, same)),
      ...(variants.length === 0
        ? {}
        : { v: Object.assign({}, ...variants.reverse()) as Record<string, Rates[]> }),
      ...(audio === undefined ? {} : { a: audio }),
      ...(search === undefined ? {} : { w: search }),
    },
  };
}

/** Input and output decide. */
function agree(one: PriceRow, other: PriceRow): boolean {
  return [1, 2].every((at) => {
    const [rate, second] = [one.s[0]?.[at] ?? null, other.s[0]?.[at] ?? null];
    // Embeddings have no output, which some sources list.
    if (rate === null || second === null) return true;
    return Math.abs(rate - second) <= PRICE_TOLERANCE * Math.max(rate, second);
  });
}

/** Returns a tier with the rates that only other sources have. */
function completed([start, ...rates]: Rates, sources: readonly PriceRow[]): Rates {
  const tiers = sources.map(({ s }) => s.find((tier) => tier[0] === start));
  const all = [0, 1, 2, 3, 4].map(
    (at) => rates[at] ?? tiers.map((tier) => tier?.[at + 1] ?? null).find((rate) => rate !== null),
  );
  return [start, ...trimmed(all)];
}

function textOf({ s: [first = [0]] }: PriceRow): string {
  return first.slice(1, 3).join("/");
}
