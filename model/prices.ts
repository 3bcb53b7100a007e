// What tokens cost: the configuration's own prices, else those of @pydantic/genai-prices. Rates are whole pico-dollars per token,
// so that the filter and the control plane get the same money from the same tokens.
import { createRequire } from "node:module";
import type * as GenaiPrices from "@pydantic/genai-prices";
import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import { takesName } from "./model-names.ts";
import { knownProvider, type GatewayModel, type OwnPrice, type Target } from "./model.ts";

/** Pico-dollars of a token at one dollar per million tokens. */
export const PICO_PER_MILLION = 1_000_000;

/** The kinds of tokens that have a rate of their own; `input` is what was neither read from a cache nor written to one. */
export const TOKEN_KINDS = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "cacheWriteHour",
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Pico-dollars per token for a request with more than `start` input tokens. */
export type PriceTier = { start: number } & Record<TokenKind, number>;

/** Prices of one model. */
export interface Price {
  /** `yours`: from `pricing`, also if it is a factor of the listed price. */
  source: "yours" | "genai-prices";
  /** The tier of the longest input first; the last one starts at 0. */
  tiers: PriceTier[];
}

/** Providers whose id in genai-prices is not their name in the configuration. */
const IDS: Readonly<Record<string, string>> = {
  azure_openai: "azure",
  azure_foundry: "azure",
  bedrock: "aws",
  bedrock_mantle: "aws",
  fireworks_ai: "fireworks",
  gemini: "google",
  vertex: "google",
  xai: "x-ai",
  zhipu: "zhipuai",
};

/** The list is large: it is loaded when a price is looked up. */
const loadList = (): typeof GenaiPrices =>
  createRequire(import.meta.url)("@pydantic/genai-prices") as typeof GenaiPrices;

/** Returns the prices of all models by the name of the target; a model without a price is not in it. */
export function pricesOf(model: GatewayModel): Map<string, Price> {
  const found = model.targets.flatMap((target): [string, Price][] => {
    const price = priceOf(target, model);
    return price === undefined ? [] : [[target.name, price]];
  });
  return new Map(found);
}

/** Returns the price of a target; undefined if none is known. @param model its bare model name, other than in a wildcard */
export function priceOf(
  target: Target,
  configuration: Pick<GatewayModel, "targets" | "pricing">,
  model = target.model,
): Price | undefined {
  return priceBy({ ...target, model }, ownPriceOf(target, configuration));
}

/** Returns whether a target has a price; of a wildcard, whether prices of its provider are listed. */
export function mayHavePrice(
  target: Target,
  configuration: Pick<GatewayModel, "targets" | "pricing">,
): boolean {
  if (priceOf(target, configuration) !== undefined) return true;
  return target.wildcard !== undefined && isListed(knownProvider(target));
}

/** Returns the price in the configuration: of the model, or else of the wildcard with the longest prefix that takes it. */
export function ownPriceOf(
  { name }: Target,
  { targets, pricing = {} }: Pick<GatewayModel, "targets" | "pricing">,
): OwnPrice | undefined {
  const own = pricing[name];
  if (own !== undefined) return own;
  const [taker] = targets
    .filter((target) => takesName(target, name) && pricing[target.name] !== undefined)
    .sort((one, other) => other.name.length - one.name.length);
  return taker === undefined ? undefined : pricing[taker.name];
}

function priceBy(target: Target, own: OwnPrice | undefined): Price | undefined {
  if (own === undefined) return listedPrice(target, 1, "genai-prices");
  const { factor = 1, ...rates } = own;
  if (rates.input === undefined || rates.output === undefined) {
    const listed = listedModel(knownProvider(target), target.model);
    if (listed !== undefined)
      return priceByRates(withOwnRates(listed.rates, rates), factor, "yours");
    if (rates.input === undefined && rates.output === undefined) return undefined;
  }
  return { source: "yours", tiers: [tierAt(0, (kind) => rates[kind], factor)] };
}

/** Returns listed rates with the configured ones in their place. With a configured `input`, no listed rate of a cache remains. */
function withOwnRates(listed: ModelPrice, own: OwnPrice): ModelPrice {
  const isKept = (kind: TokenKind) =>
    own[kind] === undefined && (own.input === undefined || kind === "output");
  const rates = TOKEN_KINDS.map((kind) => [
    RATES[kind],
    isKept(kind) ? listed[RATES[kind]] : own[kind],
  ]);
  return Object.fromEntries(rates) as ModelPrice;
}

/** Returns one tier. A rate that is missing is that of input; for a cache of an hour, that of the usual cache. */
function tierAt(
  start: number,
  rateOf: (kind: TokenKind) => number | undefined,
  factor: number,
): PriceTier {
  const pico = (rate: number) => Math.round(rate * factor * PICO_PER_MILLION);
  const input = rateOf("input") ?? 0;
  const cacheWrite = rateOf("cacheWrite") ?? input;
  return {
    start,
    input: pico(input),
    output: pico(rateOf("output") ?? 0),
    cacheRead: pico(rateOf("cacheRead") ?? input),
    cacheWrite: pico(cacheWrite),
    cacheWriteHour: pico(rateOf("cacheWriteHour") ?? cacheWrite),
  };
}

/** The words of genai-prices. */
const RATES: Readonly<Record<TokenKind, string>> = {
  input: "input_mtok",
  output: "output_mtok",
  cacheRead: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  cacheWriteHour: "cache_write_1h_mtok",
};

function listedPrice(target: Target, factor: number, source: Price["source"]): Price | undefined {
  const listed = listedModel(knownProvider(target), target.model);
  return listed === undefined ? undefined : priceByRates(listed.rates, factor, source);
}

/**
 * Returns the model of the list that a name stands for; undefined for one that the list does not have. Providers on the user's
 * machine and compatible ones of other names have none.
 */
export function listedModel(
  provider: string,
  model: string,
): { id: string; rates: ModelPrice } | undefined {
  const id = IDS[provider] ?? provider;
  for (const name of listedNames(provider, model)) {
    const found = modelOf(id, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** By provider: the list does not change while the gateway runs. */
const models = new Map<string, string[]>();

/** Returns the names of a provider's models in the list, without those that are no longer served. */
export function modelsInList(provider: string): string[] {
  const found =
    models.get(provider) ??
    (providerInList(provider)?.models ?? [])
      // Some ids are no names of models, such as `ft:gpt-4o`.
      .filter(({ id, deprecated }) => deprecated !== true && listedModel(provider, id)?.id === id)
      // Of a family of fine-tuned models, the list has how their names begin.
      .filter(({ id }) => !id.endsWith("-"))
      .map(({ id }) => id);
  models.set(provider, found);
  return found;
}

/** Returns a price by the rates of genai-prices; undefined if they have neither input nor output. */
export function priceByRates(
  listed: ModelPrice,
  factor: number,
  source: Price["source"],
): Price | undefined {
  if (listed[RATES.input] === undefined && listed[RATES.output] === undefined) return undefined;
  const rateAt = (start: number) => (kind: TokenKind) => {
    const price = listed[RATES[kind]];
    if (price === undefined || typeof price === "number") return price;
    const reached = price.tiers.filter((tier) => tier.start <= start);
    return reached.sort((one, other) => other.start - one.start)[0]?.price ?? price.base;
  };
  const starts = TOKEN_KINDS.flatMap((kind) => {
    const price = listed[RATES[kind]];
    return price === undefined || typeof price === "number" ? [] : price.tiers;
  }).map(({ start }) => start);
  const sorted = [...new Set([0, ...starts])].sort((one, other) => other - one);
  return { source, tiers: sorted.map((start) => tierAt(start, rateAt(start), factor)) };
}

/** Returns whether the list has the provider. */
function isListed(provider: string): boolean {
  return providerInList(provider) !== undefined;
}

/** Returns what genai-prices has of a provider. */
export function providerInList(provider: string): GenaiPrices.Provider | undefined {
  return loadList().findProvider({ providerId: IDS[provider] ?? provider });
}

/** Returns the rates of the only model of a provider of genai-prices. */
export function ratesOfModel(provider: GenaiPrices.Provider, model: ModelInfo): ModelPrice {
  const alone = { ...provider, models: [{ ...model, match: { equals: model.id } }] };
  const options = { provider: alone, timestamp: noon() };
  return loadList().calcPrice({ input_tokens: 1 }, model.id, options)?.model_price ?? {};
}

/** Some prices depend on the time of day; that of noon (UTC) is taken, whenever the configuration is read. */
function noon(): Date {
  return new Date(new Date().setUTCHours(12, 0, 0, 0));
}

/** Returns the names that the list may have a model under, the most exact one first. */
function listedNames(provider: string, model: string): string[] {
  // Vertex AI's and Foundry's names may begin with the publisher.
  const bare = model.slice(model.lastIndexOf("/") + 1);
  // Bedrock's OpenAI-compatible endpoint leaves the version out.
  return provider === "bedrock_mantle" ? [model, `${model}-1:0`, `${model}-v1:0`] : [model, bare];
}

function modelOf(providerId: string, name: string): { id: string; rates: ModelPrice } | undefined {
  try {
    // An unknown provider must not match by the model alone: a compatible server has other prices.
    const options = { providerId, timestamp: noon() };
    const found = loadList().calcPrice({ input_tokens: 1 }, name, options);
    return found === null ? undefined : { id: found.model.id, rates: found.model_price };
  } catch {
    return undefined;
  }
}
