// What is known of a model: `modelFacts(provider, model)`, with the source of each fact. What a model supports in requests is
// in its limits, which the control plane makes from our own rows and, where those are silent, from these facts
// (control-plane/providers/fact-limits.ts).
import { readFileSync } from "node:fs";
import type { Catalogue, CatalogueSource, FactRow, PriceRow } from "./catalogue.ts";

export interface ModelFacts {
  /** As the catalogue has them: `azure_openai/gpt-4o` may have the facts of `openai/gpt-4o`. */
  provider: string;
  model: string;
  /** Input and output tokens together. */
  contextWindow?: number;
  /** If it is less than the context window. */
  maxInputTokens?: number;
  maxOutputTokens?: number;
  /** Whether its vendor serves it by chat completions, and by the Responses API. Absent: not known. */
  chat?: boolean;
  responses?: boolean;
  reasons?: boolean;
  /** How reasoning is selected: `effort`, `adaptive`, `both`, or a word of the source, such as `qwen`, `zai`, `deepseek`. */
  reasoningStyle?: string;
  efforts?: string[];
  /** Whether `temperature` and `top_p` are supported. */
  sampling?: boolean;
  /** What it reads besides text; empty for nothing. */
  inputs?: string[];
  /** `marks` of Anthropic, or `breakpoints` of OpenAI. */
  caching?: string;
  /** The shortest prefix that is cached, in tokens. */
  minCachedTokens?: number;
  strictSchemas?: boolean;
  /** The day on which the provider ends it: `2027-09-02`. */
  endsOn?: string;
  /** What it is, if it is no language model: `embedding`. */
  kind?: string;
  price?: PriceRow;
  /** `npm @earendil-works/pi-ai 1.6.0`, by the names of the other members. */
  sources: Record<string, string>;
}

type FactName = Exclude<keyof ModelFacts, "provider" | "model" | "sources">;

/** The members of a row that a fact is read from. */
const FIELDS: Readonly<Record<FactName, string>> = {
  contextWindow: "c",
  maxInputTokens: "i",
  maxOutputTokens: "o",
  chat: "a",
  responses: "a",
  reasons: "r",
  reasoningStyle: "y",
  efforts: "e",
  sampling: "t",
  inputs: "m",
  caching: "k",
  minCachedTokens: "n",
  strictSchemas: "x",
  endsOn: "d",
  kind: "q",
  price: "p",
};

const INPUT_WORDS: Readonly<Record<string, string>> = {
  i: "image",
  p: "pdf",
  a: "audio",
  v: "video",
};

/** Providers that serve models of others, by the same names and, but for Amazon's, at the same prices. */
const VENDORS: Readonly<Record<string, readonly string[]>> = {
  azure_openai: ["azure_openai", "openai"],
  azure_foundry: ["azure_foundry", "azure_openai", "openai", "anthropic", "xai", "deepseek"],
  vertex: ["vertex", "gemini", "anthropic"],
  bedrock_mantle: ["bedrock_mantle", "bedrock"],
  zhipu: ["zhipu", "zai"],
  qwen_intl: ["qwen"],
  moonshotai_cn: ["moonshotai_cn", "moonshotai"],
  minimax_cn: ["minimax_cn", "minimax"],
  meta_llama: ["meta"],
};
/** Those whose rows have facts but not prices of a model at a cloud. */
const VENDORS_OF_CLOUDS: Readonly<Record<string, readonly string[]>> = {
  bedrock: ["anthropic"],
  bedrock_mantle: ["openai", "anthropic"],
};

/** The text of the catalogue, its rows as they are needed: most commands need one provider. */
class Facts {
  readonly text: string;
  private readonly rows = new Map<string, ReadonlyMap<string, FactRow>>();
  private allSources: CatalogueSource[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get sources(): CatalogueSource[] {
    this.allSources ??= readSources(this.text);
    return this.allSources;
  }

  /** By the names of models in lower case. */
  of(provider: string): ReadonlyMap<string, FactRow> {
    const known = this.rows.get(provider);
    if (known !== undefined) return known;
    const rows = Object.entries(this.read(provider));
    const found = new Map(
      rows.map(([name, row]) => {
        const key = name.toLowerCase();
        return [key, key === name ? row : { ...row, name }];
      }),
    );
    this.rows.set(provider, found);
    return found;
  }

  /** The generated form has the models of a provider between two lines; another form is read as a whole. */
  private read(provider: string): Record<string, FactRow> {
    const head = `\n${JSON.stringify(provider)}:{\n`;
    const start = this.text.indexOf(head);
    if (start >= 0) {
      const end = this.text.indexOf("\n}", start + head.length);
      return JSON.parse(`{${this.text.slice(start + head.length, end)}}`) as Record<
        string,
        FactRow
      >;
    }
    if (this.text.startsWith('{"version":1,\n"sources":')) return {};
    const { models } = JSON.parse(this.text) as Catalogue;
    return Object.hasOwn(models, provider) ? (models[provider] ?? {}) : {};
  }
}

/** Of the generated form, without the rest. */
function readSources(text: string): CatalogueSource[] {
  const [, list = ""] = /^\{"version":1,\n"sources":(.*),\n/.exec(text) ?? [];
  if (list !== "") return JSON.parse(list) as CatalogueSource[];
  return (JSON.parse(text) as Catalogue).sources;
}

let current: Facts | undefined;

function facts(): Facts {
  current ??= new Facts(readFileSync(new URL("catalogue.json", import.meta.url), "utf8"));
  return current;
}

/** Replaces the catalogue of this process, for all configurations that are read from now on. @param text undefined: the built-in one */
export function useCatalogue(text: string | undefined): void {
  if (current?.text === text) return;
  current = text === undefined ? undefined : new Facts(text);
}

/** Returns the whole catalogue. */
export function wholeCatalogue(): Catalogue {
  return JSON.parse(facts().text) as Catalogue;
}

export function catalogueSources(): CatalogueSource[] {
  return facts().sources;
}

/** Returns the models that the catalogue lists for a provider, by their names in lower case. */
export function rowsOf(provider: string): ReadonlyMap<string, FactRow> {
  return facts().of(provider);
}

/** Returns whether the catalogue has models of a provider. */
export function isListed(provider: string): boolean {
  return pricedBy(provider).some((one) => rowsOf(one).size > 0);
}

/** Returns the providers whose rows have the prices of a provider's models. */
export function pricedBy(provider: string): readonly string[] {
  return VENDORS[provider] ?? [provider];
}

/**
 * Returns what is known of a model; undefined if the catalogue does not have it. What the row of its exact name lacks comes
 * from the row of its name without a date, and then from the rows of its vendor.
 */
export function modelFacts(provider: string, model: string): ModelFacts | undefined {
  const providers = [...pricedBy(provider), ...(VENDORS_OF_CLOUDS[provider] ?? [])];
  const names = namesOf(model);
  const found = providers.flatMap((one) =>
    names.flatMap((name) => {
      const row = facts().of(one).get(name);
      return row === undefined ? [] : [decode(one, name, row, provider)];
    }),
  );
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  const united = others.reduce(
    (all, one) => ({
      ...one,
      ...all,
      sources: { ...one.sources, ...all.sources },
    }),
    first,
  );
  return withTextOnly(united);
}

/** The letter of pi-ai, which lists what each model reads: a model without any other kind of input reads text only. */
const LISTS_INPUTS = "I";

function withTextOnly(found: ModelFacts): ModelFacts {
  const source = sourceName(LISTS_INPUTS);
  const isListedThere = source !== "" && Object.values(found.sources).includes(source);
  if (found.inputs !== undefined || !isListedThere) return found;
  return { ...found, inputs: [], sources: { ...found.sources, inputs: source } };
}

/** Returns the names that the catalogue may have a model under, the most exact one first, in lower case. */
function namesOf(model: string): string[] {
  const whole = model.toLowerCase();
  // Clouds' names may begin with a publisher or be an ARN; aggregators' are `<vendor>/<model>`.
  const bare = whole.slice(whole.lastIndexOf("/") + 1);
  const names = [whole, bare].flatMap((name) => withoutAffixes(name));
  const vendors = withoutAffixes(bare.replace(REGION, "").replace(/^(?:anthropic|openai)\./, ""));
  return [...new Set([...names, ...vendors])];
}

/** Returns a name, without a cloud's version, without a region, without a date, the longest first. */
function withoutAffixes(name: string): string[] {
  const versions = [name, name.replace(/(?:-v\d+)?(?::\d+)?$|-\d+:\d+$/, "")];
  const regions = [...versions, ...versions.map((one) => one.replace(REGION, ""))];
  return [...regions, ...regions.map(undated)];
}

/** The regions of Amazon's profiles. */
const REGION = /^(?:us|eu|apac|au|jp|ca|us-gov|global)\./;

/** `gpt-4o-2024-08-06`, `claude-opus-4-5-20251101`, `claude-opus-4-5@20251101`, `…@default`. */
export const DATE = /[-@](?:20\d\d-\d\d-\d\d|20\d{6}|default)$/;

function undated(name: string): string {
  return name.replace(DATE, "");
}

function decode(provider: string, model: string, row: FactRow, asked: string): ModelFacts {
  const { a: api, p: price } = row;
  const isPriced = pricedBy(asked).includes(provider);
  const known: Partial<Record<FactName, unknown>> = {
    contextWindow: row.c,
    maxInputTokens: row.i,
    maxOutputTokens: row.o,
    chat: api === undefined || api === "R" ? undefined : api.includes("c"),
    responses: api === undefined ? undefined : /r/i.test(api),
    reasons: row.r === undefined ? undefined : row.r === 1,
    reasoningStyle: row.y,
    efforts: row.e === undefined ? undefined : row.e.split(",").filter((word) => word !== ""),
    sampling: row.t === 0 ? false : undefined,
    inputs:
      row.m === undefined ? undefined : Array.from(row.m).map((letter) => INPUT_WORDS[letter]),
    caching: row.k,
    minCachedTokens: row.n,
    strictSchemas: row.x === undefined ? undefined : row.x === 1,
    endsOn: row.d,
    kind: row.q,
    price: isPriced ? price : undefined,
  };
  const given = Object.entries(known).filter(([, value]) => value !== undefined);
  const letters = new Map(
    row.f.split(" ").flatMap((part) => {
      const [letter = "", fields = ""] = part.split(":");
      return Array.from(fields).map((field) => [field, letter] as const);
    }),
  );
  const sources = given.map(([name]) => [
    name,
    sourceName(letters.get(FIELDS[name as FactName]) ?? ""),
  ]);
  return {
    provider,
    model,
    ...(Object.fromEntries(given) as Partial<ModelFacts>),
    sources: Object.fromEntries(sources) as Record<string, string>,
  };
}

function sourceName(letter: string): string {
  const source = facts().sources.find((one) => one.letter === letter);
  return source === undefined ? "" : `${source.name} ${source.version}`;
}
