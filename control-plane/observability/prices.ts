// What tokens cost: the configuration's own prices, else those of @pydantic/genai-prices. Money is whole nano-dollars.
import { calcPrice } from "@pydantic/genai-prices";
import type { ModelPrice } from "@pydantic/genai-prices";
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
    const price = priceOf(target, pricing[target.name]);
    return price === undefined ? [] : [[target.name, price]];
  });
  return new Map(found);
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
