// What tokens cost: the configuration's own prices, else those of @pydantic/genai-prices. Money is whole nano-dollars.
import { calcPrice } from "@pydantic/genai-prices";
import type { ModelPrice } from "@pydantic/genai-prices";
import { takesName } from "../ir/model-names.ts";
import type { GatewayModel, OwnPrice, Target } from "../ir/model.ts";
import type { UsageRecord } from "./usage-line.ts";

/** Nano-dollars of a token at one dollar per million tokens. */
const PER_MILLION = 1000;

/** A rate in dollars per million tokens, from a number of input tokens on. */
interface Tier {
  start: number;
  rate: number;
}

/** Prices of one model, each with its tiers, the highest start first. */
export interface Price {
  source: "configuration" | "genai-prices";
  input: Tier[];
  output: Tier[];
  cacheRead: Tier[];
  cacheWrite: Tier[];
}

/** Providers whose id in genai-prices is not their name in the configuration. */
const IDS: Readonly<Record<string, string>> = {
  azure_openai: "azure",
  azure_foundry: "azure",
  bedrock: "aws",
  bedrock_mantle: "aws",
  gemini: "google",
  vertex: "google",
  moonshot: "moonshotai",
  xai: "x-ai",
};

/** Returns the prices of all models by the name of the target; a model without a price is not in it. */
export function pricesOf({ targets, pricing = {} }: GatewayModel): Map<string, Price> {
  const found = targets.flatMap((target): [string, Price][] => {
    const price = priceOf(target, ownPriceOf(target, { targets, pricing }));
    return price === undefined ? [] : [[target.name, price]];
  });
  return new Map(found);
}

/** Names that clients chose are kept up to this many. */
const MAX_KEPT = 1000;

/** Returns a function that finds the price of a request. Of a wildcard it is that of the model which the client named. */
export function priceFinder(model: GatewayModel): (record: UsageRecord) => Price | undefined {
  const prices = pricesOf(model);
  const wildcards = new Map(
    model.targets.flatMap((target) =>
      target.wildcard === undefined ? [] : [[target.name, target] as const],
    ),
  );
  const kept = new Map<string, Price | undefined>();
  return ({ target = "", requested = "" }) => {
    const wildcard = wildcards.get(target);
    if (wildcard === undefined) return prices.get(target);
    const prefix = `${wildcard.provider}/`;
    const name = requested.startsWith(prefix) ? requested.slice(prefix.length) : requested;
    const key = `${target} ${name}`;
    if (!kept.has(key)) {
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, priceOf({ ...wildcard, model: name }, ownPriceOf(wildcard, model)));
    }
    return kept.get(key);
  };
}

/** Returns the price in the configuration: of the model, or else of the wildcard with the longest prefix that takes it. */
function ownPriceOf(
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

function priceOf(target: Target, own: OwnPrice | undefined): Price | undefined {
  const listed = listedPrice(target);
  if (own === undefined) return listed;
  const { input, output, cacheRead, cacheWrite, factor = 1 } = own;
  if (input === undefined && output === undefined) {
    return listed === undefined ? undefined : multiplied(listed, factor);
  }
  const whole = (rate: number | undefined, fallback = 0): Tier[] => [
    { start: 0, rate: (rate ?? fallback) * factor },
  ];
  return {
    source: "configuration",
    input: whole(input),
    output: whole(output),
    cacheRead: whole(cacheRead, input),
    cacheWrite: whole(cacheWrite, input),
  };
}

/** Providers on the own machine and compatible ones of other names have no listed price. */
function listedPrice({ provider, model }: Target): Price | undefined {
  const rates = ratesOf(IDS[provider] ?? provider, model);
  if (rates === undefined) return undefined;
  const input = tiersOf(rates["input_mtok"]);
  const output = tiersOf(rates["output_mtok"]);
  if (input === undefined && output === undefined) return undefined;
  const none = [{ start: 0, rate: 0 }];
  return {
    source: "genai-prices",
    input: input ?? none,
    output: output ?? none,
    cacheRead: tiersOf(rates["cache_read_mtok"]) ?? input ?? none,
    cacheWrite: tiersOf(rates["cache_write_mtok"]) ?? input ?? none,
  };
}

function ratesOf(providerId: string, model: string): ModelPrice | undefined {
  try {
    // An unknown provider must not match by the model alone: a compatible server has prices of its own.
    const found = calcPrice({ input_tokens: 1 }, model, { providerId });
    return found?.model_price;
  } catch {
    return undefined;
  }
}

function tiersOf(price: ModelPrice[string]): Tier[] | undefined {
  if (price === undefined) return undefined;
  if (typeof price === "number") return [{ start: 0, rate: price }];
  const tiers = price.tiers.map(({ start, price: rate }) => ({ start, rate }));
  return [{ start: 0, rate: price.base }, ...tiers].sort((one, other) => other.start - one.start);
}

function multiplied(price: Price, factor: number): Price {
  const all = (tiers: Tier[]): Tier[] =>
    tiers.map(({ start, rate }) => ({ start, rate: rate * factor }));
  return {
    source: "configuration",
    input: all(price.input),
    output: all(price.output),
    cacheRead: all(price.cacheRead),
    cacheWrite: all(price.cacheWrite),
  };
}

/** Returns what a response cost in nano-dollars, rounded once. The tier of all tokens is that of the input. */
export function costOf(
  { input = 0, cache_read = 0, cache_write = 0, output = 0 }: UsageRecord,
  price: Price,
): number {
  const rate = (tiers: Tier[]): number =>
    tiers.find(({ start }) => input > start || start === 0)?.rate ?? 0;
  const fresh = Math.max(input - cache_read - cache_write, 0);
  const dollarsPerMillion =
    fresh * rate(price.input) +
    cache_read * rate(price.cacheRead) +
    cache_write * rate(price.cacheWrite) +
    output * rate(price.output);
  return Math.round(dollarsPerMillion * PER_MILLION);
}
