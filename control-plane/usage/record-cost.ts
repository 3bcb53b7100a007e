// What a response cost by its usage record. Where budgets or `x-gateway-cost` need it, the filter has computed the same
// (filter/config/price.ts).
import { bareName } from "../../model/known-models.ts";
import type { GatewayModel } from "../../model/model.ts";
import { priceOf, pricesOf } from "../../model/prices.ts";
import type { Price, ServiceTier } from "../../model/prices.ts";
import type { UsageRecord } from "./usage-line.ts";

export { pricesOf } from "../../model/prices.ts";
export type { Price } from "../../model/prices.ts";

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
    const name = bareName(wildcard, requested);
    const key = `${target} ${name}`;
    if (!kept.has(key)) {
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, priceOf(wildcard, model, name));
    }
    return kept.get(key);
  };
}

export function hasTokens({ input, output }: UsageRecord): boolean {
  return input !== undefined || output !== undefined;
}

/** Returns what the budgets were charged, else the cost by the tokens; undefined if neither is known. */
export function recordedCost(
  record: UsageRecord,
  priceOf: (record: UsageRecord) => Price | undefined,
): number | undefined {
  if (record.cost !== undefined) return record.cost;
  const price = hasTokens(record) ? priceOf(record) : undefined;
  return price === undefined ? undefined : costOf(record, price);
}

const PICO_PER_NANO = 1000n;

/** Returns the cost in nano-dollars, rounded once. The tier of all tokens is that of the input. */
export function costOf(record: UsageRecord, price: Price): number {
  const { input = 0, cache_read = 0, cache_write = 0, cache_write_1h = 0, output = 0 } = record;
  const { audio_input = 0, audio_cache_read = 0, audio_output = 0, searches = 0 } = record;
  const { services = {}, audio, search = 0 } = price;
  const tiers = services[record.service_tier as ServiceTier] ?? price.tiers;
  const tier = tiers.find(({ start }) => input > start || start === 0);
  if (tier === undefined) return 0;
  const hour = Math.min(cache_write_1h, cache_write);
  const parts: [number, number][] = [
    ...withAudio(
      Math.max(input - cache_read - cache_write, 0),
      tier.input,
      audio_input,
      audio?.input,
    ),
    ...withAudio(cache_read, tier.cacheRead, audio_cache_read, audio?.cacheRead),
    [cache_write - hour, tier.cacheWrite],
    [hour, tier.cacheWriteHour],
    ...withAudio(output, tier.output, audio_output, audio?.output),
    [searches, search],
  ];
  const pico = parts.reduce((sum, [tokens, rate]) => sum + BigInt(tokens) * BigInt(rate), 0n);
  return Number((pico + PICO_PER_NANO / 2n) / PICO_PER_NANO);
}

/** Returns tokens with their rates, of which some may be audio. */
function withAudio(
  tokens: number,
  rate: number,
  heard: number,
  audioRate = rate,
): [number, number][] {
  const audio = Math.min(heard, tokens);
  return [
    [tokens - audio, rate],
    [audio, audioRate],
  ];
}
