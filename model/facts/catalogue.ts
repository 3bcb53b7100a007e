// The facts of models that public catalogues list: one JSON file, written by scripts/model-facts.ts, or by
// `gateway models --refresh`. Its rows have short names, because it has thousands.

/** Where facts come from. */
export interface CatalogueSource {
  /** As the rows name it. */
  letter: string;
  /** `npm @earendil-works/pi-ai`, `PyPI litellm`. */
  name: string;
  version: string;
  /** When that version was published: `2026-11-20`. */
  date: string;
  /** Of the package's file, hexadecimal. */
  sha256: string;
}

/**
 * Rates of one tier: the number of input tokens above which it applies, then US dollars per million tokens of TOKEN_KINDS
 * (model/prices.ts); null or missing at the end: not listed.
 */
export type Rates = [start: number, ...rates: (number | null)[]];

/** Rates by how a request is processed: `standard`, `priority`, `flex`, `batch`, `fast`. */
export interface PriceRow {
  /** The standard rates, the tier of the shortest input first. */
  s: Rates[];
  /** Other ways of processing. */
  v?: Record<string, Rates[]>;
  /** Audio tokens: input, output, input read from a cache. */
  a?: (number | null)[];
  /** US dollars of one web search. */
  w?: number;
}

export interface FactRow {
  /** Context window: input and output tokens. */
  c?: number;
  /** Maximum input tokens, if the provider limits them separately. */
  i?: number;
  /** Maximum output tokens. */
  o?: number;
  /** `c` chat completions, `r` Responses; both letters if it has both. `R` alone: Responses, chat completions are not known. */
  a?: string;
  /** 1 if the model reasons, 0 if it does not. */
  r?: 0 | 1;
  /** How reasoning is selected: a word of ReasoningStyle. */
  y?: string;
  /** Efforts, separated by commas. */
  e?: string;
  /** 0: no temperature and no top_p. */
  t?: 0;
  /** Input besides text: letters of i(mage), p(df), a(udio), v(ideo). */
  m?: string;
  /** Caching: `auto`, `marks` as Anthropic has them, `breakpoints` as OpenAI has them. */
  k?: string;
  /** Minimum tokens of a cached prefix. */
  n?: number;
  /** 1: strict schemas of tools. */
  x?: 0 | 1;
  /** The day on which the provider ends it. */
  d?: string;
  /** What it is if it is no language model: `embedding`, `image_generation`. */
  q?: string;
  p?: PriceRow;
  /** Its name, if that has capitals; not in the file. */
  name?: string;
  /** Letters of sources with the fields that they gave: `I:coe L:p`. */
  f: string;
}

export interface Catalogue {
  version: 1;
  sources: CatalogueSource[];
  /** By provider and model. */
  models: Record<string, Record<string, FactRow>>;
}
