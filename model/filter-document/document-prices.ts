// The prices in the filter's document: of each target, and for wildcards those of the models that they take.
import type { GatewayModel } from "../model.ts";
import { priceListOf } from "../price-lists.ts";
import { priceOf, TOKEN_KINDS } from "../prices.ts";
import type { Price, PriceTier } from "../prices.ts";
import { needsPrices } from "./document-budgets.ts";
import type { FilterTarget, PricedModels } from "./document-types.ts";

interface FilterPrices {
  lists: PricedModels[][];
  /** Returns the members of a target's price. */
  of(target: number): Pick<FilterTarget, "price" | "price_list">;
}

export function filterPrices(model: GatewayModel): FilterPrices {
  const members = new Map<number, ReturnType<FilterPrices["of"]>>();
  const texts: string[] = [];
  if (needsPrices(model)) {
    for (const [index, target] of model.targets.entries()) {
      const list = priceListOf(target, model);
      if (list === undefined) {
        const price = priceOf(target, model);
        if (price !== undefined) members.set(index, { price: numbersOf(price) });
      } else if (list.length > 0) {
        // Wildcards of one provider often have the same list.
        const text = JSON.stringify(
          list.map(({ models, price }) => ({ models, price: numbersOf(price) })),
        );
        if (!texts.includes(text)) texts.push(text);
        members.set(index, { price_list: texts.indexOf(text) });
      }
    }
  }
  return {
    lists: texts.map((text) => JSON.parse(text) as PricedModels[]),
    of: (target) => members.get(target) ?? {},
  };
}

function numbersOf(price: Price): PricedModels["price"] {
  const tier = (one: PriceTier) => [one.start, ...TOKEN_KINDS.map((kind) => one[kind])];
  return price.tiers.map(tier);
}
