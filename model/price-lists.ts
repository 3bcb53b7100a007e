// The prices of all models that a wildcard takes, as patterns of their names: the filter decides by them, because the client names
// the model. The same as `priceOf` (prices.ts).
import { pricedPatterns } from "./facts/listed-prices.ts";
import { knownProvider, type GatewayModel, type Target } from "./model.ts";
import { ownPriceOf, priceOfRow } from "./prices.ts";
import type { Price } from "./prices.ts";

/** Models with one price. */
export interface ListedModels {
  /** In lower case; `*` stands for any text. */
  models: string[];
  price: Price;
}

/** Returns the prices of a wildcard's models, of which the first that matches counts; undefined for a target with one price. */
export function priceListOf(
  target: Target,
  configuration: Pick<GatewayModel, "targets" | "pricing">,
): ListedModels[] | undefined {
  if (target.wildcard === undefined) return undefined;
  const own = ownPriceOf(target, configuration);
  if (own?.input !== undefined || own?.output !== undefined) return undefined;
  const start = target.name.slice(target.provider.length + 1, -1).toLowerCase();
  // Patterns with a star come after all exact names, which are different from each other: those of one price are together.
  const groups = new Map<string, ListedModels>();
  for (const { pattern, ...listed } of pricedPatterns(knownProvider(target))) {
    if (!mayMatch(pattern, start)) continue;
    const price = priceOfRow(listed, own);
    const key = `${String(pattern.includes("*"))} ${JSON.stringify({ ...price, source: "" })}`;
    const group = groups.get(key) ?? { models: [], price };
    group.models.push(pattern);
    groups.set(key, group);
  }
  const isExact = ({ models: [first = ""] }: ListedModels) => !first.includes("*");
  const all = [...groups.values()];
  return [...all.filter(isExact), ...all.filter((group) => !isExact(group))];
}

/** A name with a slash may be matched without what stands before it. */
function mayMatch(pattern: string, start: string): boolean {
  const [fixed = ""] = pattern.split("*");
  return start.includes("/") || fixed.startsWith(start) || start.startsWith(fixed);
}
