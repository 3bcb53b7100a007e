// The prices in the filter's document: of each target, and for wildcards those of the models that they take.
import type { GatewayModel, Target } from "../model.ts";
import { priceListOf } from "../price-lists.ts";
import { AUDIO_KINDS, hasRates, priceOf, SERVICE_TIERS, TOKEN_KINDS } from "../prices.ts";
import type { Price, PriceTier } from "../prices.ts";
import { hasUsageRecords, needsPrices } from "./document-budgets.ts";
import type { FilterTarget, PricedModels } from "./document-types.ts";

interface FilterPrices {
  lists: PricedModels[][];
  /** Returns the members of a target's price. */
  of(target: number): Pick<FilterTarget, "price" | "price_list" | "has_rates">;
}

export function filterPrices(model: GatewayModel): FilterPrices {
  const members = new Map<number, ReturnType<FilterPrices["of"]>>();
  const texts: string[] = [];
  const isNeeded = needsPrices(model);
  if (isNeeded || hasUsageRecords(model)) {
    for (const [index, target] of model.targets.entries()) {
      const list = priceListOf(target, model);
      const own =
        list === undefined ? (priceOf(target, model) ?? freeOf(target, model)) : undefined;
      const all = own === undefined ? (list ?? []).map(({ price }) => price) : [own];
      const rates = all.some(hasRates) ? { has_rates: true as const } : {};
      if (!isNeeded) members.set(index, rates);
      else if (own !== undefined) members.set(index, { price: numbersOf(own), ...rates });
      else if (list !== undefined && list.length > 0) {
        // Wildcards of one provider often have the same list.
        const text = JSON.stringify(
          list.map(({ models, price }) => ({ models, price: numbersOf(price) })),
        );
        if (!texts.includes(text)) texts.push(text);
        members.set(index, { price_list: texts.indexOf(text), ...rates });
      }
    }
  }
  return {
    lists: texts.map((text) => JSON.parse(text) as PricedModels[]),
    of: (target) => members.get(target) ?? {},
  };
}

/** The model in the gateway costs nothing; its price is needed only so that no budget rejects it, and where the cheapest is used. */
function freeOf({ address }: Target, model: GatewayModel): Price | undefined {
  const { budgets = [], targetSets = [] } = model;
  const isNeeded =
    budgets.some(({ rejectsUnpriced }) => rejectsUnpriced === true) ||
    targetSets.some(({ balance }) => balance === "cost");
  return address.kind === "embedded" && isNeeded ? FREE : undefined;
}

const FREE: Price = {
  source: "gateway",
  tiers: [{ start: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }],
};

function numbersOf({ tiers, services = {}, audio, search }: Price): PricedModels["price"] {
  const tier = (one: PriceTier) => [one.start, ...TOKEN_KINDS.map((kind) => one[kind])];
  // Ways of processing often have the same rates.
  const bits = new Map<string, number>();
  for (const [index, service] of SERVICE_TIERS.entries()) {
    const rows = services[service];
    if (rows === undefined) continue;
    const factor = factorOf(rows, tiers);
    const text = JSON.stringify(factor === undefined ? rows.map(tier) : [[factor]]);
    bits.set(text, (bits.get(text) ?? 0) + (2 << index));
  }
  const lists = [...bits].flatMap(([text, bit]) =>
    (JSON.parse(text) as number[][]).map((numbers) => [bit, ...numbers]),
  );
  return [
    ...tiers.map(tier),
    ...lists.sort((one, other) => one.length - other.length),
    ...(audio === undefined ? [] : [AUDIO_KINDS.map((kind) => audio[kind])]),
    ...(search === undefined ? [] : [[search]]),
  ];
}

/** Returns the thousandths that tiers cost of the standard ones; undefined if they are not exactly those tiers at one factor. */
function factorOf(tiers: readonly PriceTier[], standard: readonly PriceTier[]): number | undefined {
  const [first] = standard;
  if (first === undefined || tiers.length !== standard.length) return undefined;
  const factor = ((tiers[0]?.input ?? 0) * 1000) / first.input;
  const isSame = tiers.every((tier, at) => {
    const usual = standard[at];
    if (usual?.start !== tier.start) return false;
    return TOKEN_KINDS.every((kind) => tier[kind] * 1000 === usual[kind] * factor);
  });
  return isSame && Number.isInteger(factor) ? factor : undefined;
}
