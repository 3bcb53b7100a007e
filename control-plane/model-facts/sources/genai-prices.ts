// Reads the price list of genai-prices: `genai_prices/data.py` of its wheel on PyPI, which is Python source of literals only.
import { addCandidate, defined, trimmed, type Candidate, type Candidates } from "../candidate.ts";
import { CATALOGUE_NAMES } from "../catalogue-names.ts";
import { pythonValueOf, type PythonValue } from "../python-literal.ts";
import type { PriceRow, Rates } from "../../../model/facts/catalogue.ts";

type Row = Record<string, PythonValue | undefined>;

/** @param day prices that begin later are not read */
export function readGenaiPrices(source: string, day: string): Candidates {
  const all: Candidates = new Map();
  for (const provider of rowsOf(pythonValueOf(source, "providers"))) {
    const ours = OURS.get(textOf(provider["id"]));
    if (ours === undefined) continue;
    for (const model of rowsOf(provider["models"])) {
      const candidate = candidateOf(model, day);
      for (const name of namesOf(model)) addCandidate(all, ours, name, candidate);
    }
  }
  return all;
}

const OURS: ReadonlyMap<string, string> = new Map(
  Object.entries(CATALOGUE_NAMES).flatMap(([ours, { genai = [] }]) =>
    genai.map((name) => [name, ours] as const),
  ),
);

/** The id, and the other names that it equals. */
function namesOf(model: Row): string[] {
  const names = [textOf(model["id"])];
  const match = rowOf(model["match"]);
  const clauses = match[""] === "ClauseOr" ? rowsOf(match["or_"]) : [match];
  for (const clause of clauses) {
    const equal = clause[""] === "ClauseEquals" ? clause["equals"] : undefined;
    if (typeof equal === "string" && !names.includes(equal)) names.push(equal);
  }
  return names.filter((name) => !name.endsWith("-") && !name.startsWith("ft:"));
}

function candidateOf(model: Row, day: string): Candidate {
  const context = model["context_window"];
  return defined<Candidate>({
    c: typeof context === "number" ? context : undefined,
    p: priceOf(model, day),
  });
}

function priceOf(model: Row, day: string): PriceRow | undefined {
  const rates = currentPrice(model["prices"], day);
  const standard = ratesOf(rates);
  if (rates === undefined || standard === undefined) return undefined;
  const variants: Record<string, Rates[]> = {};
  for (const variant of rowsOf(model["price_variants"])) {
    const found = ratesOf(rowOf(variant["prices"]));
    const word = Object.values(rowOf(variant["when"]))[0];
    if (found !== undefined && typeof word === "string" && !isLater(variant, day)) {
      variants[word] = found;
    }
  }
  const audio = trimmed(
    ["input_audio_mtok", "output_audio_mtok", "cache_audio_read_mtok"].map((name) =>
      baseOf(rates[name]),
    ),
  );
  const searches = baseOf(rates["web_searches_kcount"]);
  return defined<PriceRow>({
    s: standard,
    v: Object.keys(variants).length === 0 ? undefined : variants,
    a: audio.length === 0 ? undefined : audio,
    w: searches === null ? undefined : searches / 1000,
  });
}

/** Returns the last price that has begun. Of prices by the time of day the highest counts: a budget must hold at every hour. */
function currentPrice(prices: PythonValue | undefined, day: string): Row | undefined {
  if (!Array.isArray(prices)) {
    const row = rowOf(prices);
    return Object.keys(row).length === 0 ? undefined : row;
  }
  const begun = rowsOf(prices).filter((one) => !isLater(one, day));
  const timed = begun.filter((one) => rowOf(one["constraint"])[""] === "TimeOfDateConstraint");
  const untimed = begun.filter((one) => !timed.includes(one)).at(-1);
  const all = [...(untimed === undefined ? [] : [untimed]), ...timed].map((one) =>
    rowOf(one["prices"]),
  );
  return all.sort(
    (one, other) => (baseOf(other["input_mtok"]) ?? 0) - (baseOf(one["input_mtok"]) ?? 0),
  )[0];
}

function isLater(row: Row, day: string): boolean {
  const start = rowOf(row["constraint"])["start_date"];
  return typeof start === "string" && start > day;
}

const MEMBERS = [
  "input_mtok",
  "output_mtok",
  "cache_read_mtok",
  "cache_write_mtok",
  "cache_write_1h_mtok",
];

function ratesOf(row: Row | undefined): Rates[] | undefined {
  if (row === undefined || (row["input_mtok"] ?? row["output_mtok"]) === undefined)
    return undefined;
  const starts = MEMBERS.flatMap((member) =>
    rowsOf(rowOf(row[member])["tiers"]).map((tier) => Number(tier["start"])),
  );
  return [...new Set([0, ...starts])]
    .sort((one, other) => one - other)
    .map((start): Rates => [start, ...trimmed(MEMBERS.map((name) => rateAt(row[name], start)))]);
}

function rateAt(value: PythonValue | undefined, start: number): number | null {
  const reached = rowsOf(rowOf(value)["tiers"])
    .filter((tier) => Number(tier["start"]) <= start)
    .sort((one, other) => Number(other["start"]) - Number(one["start"]));
  const tier = reached[0]?.["price"];
  return typeof tier === "number" ? tier : baseOf(value);
}

function baseOf(value: PythonValue | undefined): number | null {
  if (typeof value === "number") return value;
  const base = rowOf(value)["base"];
  return typeof base === "number" ? base : null;
}

function textOf(value: PythonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function rowOf(value: PythonValue | undefined): Row {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function rowsOf(value: PythonValue | undefined): Row[] {
  return Array.isArray(value) ? value.map(rowOf) : [];
}
