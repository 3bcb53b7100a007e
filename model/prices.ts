// What tokens cost: the configuration's own prices, else those of the catalogue (model/facts/). Rates are whole pico-dollars per
// token, so that the filter and the control plane get the same money from the same tokens.
import type { PriceRow, Rates } from "./facts/catalogue.ts";
import { listedPriceOf, sourceOfPrice } from "./facts/listed-prices.ts";
import type { ListedPrice } from "./facts/listed-prices.ts";
import { isListed } from "./facts/model-facts.ts";
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
type TokenKind = (typeof TOKEN_KINDS)[number];

/** Pico-dollars per token for a request with more than `start` input tokens. */
export type PriceTier = { start: number } & Record<TokenKind, number>;

/** Ways of processing a request that have other rates: SERVICE_WORDS of contract/usage-record.ts. */
export const SERVICE_TIERS = ["priority", "flex", "fast", "batch"] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** The kinds of audio tokens: parts of the kinds of tokens with the same names. */
export const AUDIO_KINDS = ["input", "output", "cacheRead"] as const;
type AudioKind = (typeof AUDIO_KINDS)[number];

/** Prices of one model. */
export interface Price {
  /** `yours`: from `pricing`, also if it is a factor of the listed price; else the name of the list, such as `genai-prices`. */
  source: string;
  /** The tier of the longest input first; the last one starts at 0. */
  tiers: PriceTier[];
  /** As `tiers`. */
  services?: Partial<Record<ServiceTier, PriceTier[]>>;
  /** Pico-dollars per audio token, whatever the tier and the service; without it they cost as text. */
  audio?: Record<AudioKind, number>;
  /** Pico-dollars of one web search; absent if none costs anything. */
  search?: number;
}

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

/** Returns whether more than the number of tokens decides what a request costs: its audio, or how it was processed. */
export function hasRates({ services, audio }: Price): boolean {
  return services !== undefined || audio !== undefined;
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
  const listed = listedPriceOf(knownProvider(target), target.model);
  if (own === undefined) return listed === undefined ? undefined : priceOfRow(listed);
  const { factor = 1, ...rates } = own;
  if (rates.input === undefined || rates.output === undefined) {
    if (listed !== undefined) return priceOfRow(listed, own);
    if (rates.input === undefined && rates.output === undefined) return undefined;
  }
  const search = searchOf(listed?.row, own);
  return { source: "yours", tiers: [tierAt(0, (kind) => rates[kind], factor)], ...search };
}

/** Returns a listed price, with configured rates in their place. */
export function priceOfRow({ row, source }: ListedPrice, own?: OwnPrice): Price {
  const { factor = 1 } = own ?? {};
  const services = SERVICE_TIERS.flatMap((tier): [ServiceTier, PriceTier[]][] => {
    const rates = row.v?.[tier];
    return rates === undefined ? [] : [[tier, tiersOf(rates, row.s, own)]];
  });
  const audio = own?.input === undefined ? audioOf(row, factor) : undefined;
  return {
    source: own === undefined ? sourceOfPrice(source) : "yours",
    tiers: tiersOf(row.s, row.s, own),
    ...(services.length === 0 || isOwn(own) ? {} : { services: Object.fromEntries(services) }),
    ...(audio === undefined ? {} : { audio }),
    ...searchOf(row, own),
  };
}

const PICO_PER_DOLLAR = 1_000_000_000_000;

/** Returns what a search costs: as configured, of a thousand, else as listed. */
function searchOf(row: PriceRow | undefined, own: OwnPrice | undefined): Pick<Price, "search"> {
  const { factor = 1, webSearch } = own ?? {};
  const dollars = webSearch === undefined ? row?.w : webSearch / 1000;
  const search = Math.round((dollars ?? 0) * factor * PICO_PER_DOLLAR);
  return search === 0 ? {} : { search };
}

/** Whether the configuration has rates: they hold for every way of processing. */
function isOwn(own: OwnPrice | undefined): boolean {
  return own?.input !== undefined || own?.output !== undefined;
}

function audioOf({ a, s: [standard] }: PriceRow, factor: number): Price["audio"] {
  if (a === undefined) return undefined;
  const pico = (audio: number | null | undefined, text: number | null | undefined) =>
    Math.round((audio ?? text ?? 0) * factor * PICO_PER_MILLION);
  return {
    input: pico(a[0], standard?.[1]),
    output: pico(a[1], standard?.[2]),
    cacheRead: pico(a[2] ?? standard?.[3], a[0] ?? standard?.[1]),
  };
}

/** @param standard for the rates that a way of processing does not list */
function tiersOf(
  rows: readonly Rates[],
  standard: readonly Rates[],
  own: OwnPrice | undefined,
): PriceTier[] {
  const { factor = 1 } = own ?? {};
  const tiers = rows.map((rates) => {
    const [start] = rates;
    const usual = standard.find((one) => one[0] === start) ?? standard[0] ?? [0];
    const listed = (kind: TokenKind) => {
      const at = TOKEN_KINDS.indexOf(kind) + 1;
      return rates[at] ?? (rates === usual ? undefined : usual[at]) ?? undefined;
    };
    return tierAt(start, (kind) => (isKept(kind, own) ? listed(kind) : own?.[kind]), factor);
  });
  return tiers.sort((one, other) => other.start - one.start);
}

/** Returns whether the listed rate holds. With a configured `input`, no listed rate of a cache remains. */
function isKept(kind: TokenKind, own: OwnPrice | undefined): boolean {
  if (own === undefined) return true;
  return own[kind] === undefined && (own.input === undefined || kind === "output");
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
