// What it cost that tokens were not read from a provider's cache. Pure.
import type { Price } from "../usage/record-cost.ts";
import type { UsageRecord } from "../usage/usage-line.ts";
import type { ServiceTier } from "../../model/prices.ts";

const PICO_PER_NANO = 1000;

/** Returns nano-dollars: what the lost tokens cost as they were charged, without what they would have cost from the cache. */
export function breakCost(record: UsageRecord, lostTokens: number, price: Price): number {
  const { input = 0, cache_write = 0, cache_write_1h = 0 } = record;
  const tiers = price.services?.[record.service_tier as ServiceTier] ?? price.tiers;
  const tier = tiers.find(({ start }) => input > start || start === 0);
  if (tier === undefined) return 0;
  // What was lost is written again, as far as the request wrote.
  const written = Math.min(cache_write, lostTokens);
  const hour = Math.min(cache_write_1h, written);
  const charged =
    (lostTokens - written) * tier.input +
    (written - hour) * tier.cacheWrite +
    hour * tier.cacheWriteHour;
  return Math.max(Math.round((charged - lostTokens * tier.cacheRead) / PICO_PER_NANO), 0);
}
