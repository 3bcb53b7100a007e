// The listed prices of a provider's models, as patterns of their names: the same for the control plane, which looks a name up, and
// for the filter, which gets the patterns of a wildcard's models (model/price-lists.ts).
import type { FactRow, PriceRow } from "./catalogue.ts";
import { catalogueSources, DATE, pricedBy, rowsOf } from "./model-facts.ts";

export interface ListedPrice {
  /** As the catalogue has it; of a snapshot, the model that it is one of. */
  model: string;
  row: PriceRow;
  /** Letter of the source. */
  source: string;
}

/** A pattern in lower case, with a `*` at one end at most. */
export interface PricedPattern extends ListedPrice {
  pattern: string;
}

/** Catalogues with hundreds of models of other vendors, whose names have no dates. */
const AGGREGATORS: ReadonlySet<string> = new Set(["openrouter", "vercel", "huggingface"]);

/** Returns the patterns of a provider's models with a price; the first one that matches a name counts. */
export function pricedPatterns(provider: string): PricedPattern[] {
  const exact = new Map<string, PricedPattern>();
  for (const one of pricedBy(provider)) {
    for (const [model, row] of rowsOf(one)) {
      if (row.p === undefined || !isCharged(row) || exact.has(model)) continue;
      const undated = model.replace(DATE, "");
      const named = undated === model ? undefined : rowsOf(one).get(undated);
      // The pattern of its model is enough.
      if (model.startsWith(`${undated}-20`) && isSame(named?.p, row.p)) continue;
      exact.set(model, {
        pattern: model,
        model: named === undefined ? (row.name ?? model) : (named.name ?? undated),
        row: row.p,
        source: letterOf(row),
      });
    }
  }
  const all = [...exact.values()];
  if (AGGREGATORS.has(provider)) return all;
  const isAmazon = provider.startsWith("bedrock");
  const more = all.flatMap((one): PricedPattern[] => {
    const forms = isAmazon ? formsAtAmazon(one.pattern) : datedForms(one.pattern, provider);
    return forms.map((pattern) => ({ ...one, pattern }));
  });
  return [...all, ...more];
}

function isSame(one: PriceRow | undefined, other: PriceRow): boolean {
  return one !== undefined && JSON.stringify(one.s) === JSON.stringify(other.s);
}

/** Endpoints of images, audio and videos cost nothing for a budget (docs/budgets.md). */
function isCharged({ q: kind = "embedding" }: FactRow): boolean {
  return kind === "embedding" || kind === "rerank";
}

/** A snapshot has the price of its model, unless the catalogue lists another. */
function datedForms(model: string, provider: string): string[] {
  if (DATE.test(model)) return [];
  const isOfCloud = provider === "vertex" && model.includes("claude");
  return isOfCloud ? [`${model}@*`] : [`${model}-20*`];
}

/** Bedrock's names may begin with the region of a profile; its OpenAI-compatible endpoint leaves the version out. */
function formsAtAmazon(model: string): string[] {
  const short = model.replace(/(?:-v\d+)?:\d+$|-\d+:\d+$/, "");
  return [`*.${model}`, ...(short === model ? [] : [short, `*.${short}`])];
}

function letterOf({ f }: FactRow): string {
  return f.split(" ").find((part) => part.includes("p", 2))?.[0] ?? "";
}

/** Returns the name of a source, for people: `genai-prices`. */
export function sourceOfPrice(letter: string): string {
  const source = catalogueSources().find((one) => one.letter === letter);
  return letter === "C" || source === undefined ? "gateway" : source.name.replace(/^.* /, "");
}

interface Lookup {
  rowsOf: ReturnType<typeof rowsOf>;
  exact: ReadonlyMap<string, PricedPattern>;
  others: readonly PricedPattern[];
}

/** By provider, while the catalogue is the same. */
const lookups = new Map<string, Lookup>();

/** Returns the price of a model; undefined if the list does not have it, as for providers on the user's machine. */
export function listedPriceOf(provider: string, model: string): ListedPrice | undefined {
  const { exact, others } = lookupOf(provider);
  const whole = model.toLowerCase();
  // Clouds' names may begin with the publisher.
  for (const name of new Set([whole, whole.slice(whole.lastIndexOf("/") + 1)])) {
    const found = exact.get(name) ?? others.find(({ pattern }) => isMatch(pattern, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function lookupOf(provider: string): Lookup {
  const rows = rowsOf(provider);
  const known = lookups.get(provider);
  if (known?.rowsOf === rows) return known;
  const patterns = pricedPatterns(provider);
  const exact = new Map<string, PricedPattern>();
  for (const one of patterns) {
    if (!one.pattern.includes("*") && !exact.has(one.pattern)) exact.set(one.pattern, one);
  }
  const others = patterns.filter(({ pattern }) => pattern.includes("*"));
  const lookup = { rowsOf: rows, exact, others };
  lookups.set(provider, lookup);
  return lookup;
}

function isMatch(pattern: string, name: string): boolean {
  if (pattern.startsWith("*")) return name.endsWith(pattern.slice(1));
  return name.startsWith(pattern.slice(0, -1));
}

/** Returns the names of a provider's models, without snapshots of listed ones and without those that are no longer served. */
export function namesInList(provider: string): string[] {
  const today = catalogueSources().reduce(
    (latest, { date }) => (date > latest ? date : latest),
    "",
  );
  const found = new Set<string>();
  for (const one of pricedBy(provider)) {
    for (const [model, row] of rowsOf(one)) {
      const isSnapshot = rowsOf(one).has(model.replace(DATE, "")) && DATE.test(model);
      const isOver = row.d !== undefined && row.d <= today;
      // What genai-prices alone has are aliases and retired models.
      const isServed = !isOver && /[CIL]:/.test(row.f);
      if (!isSnapshot && isServed && row.p !== undefined) found.add(row.name ?? model);
    }
  }
  return [...found];
}
