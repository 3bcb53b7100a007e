// `pricing`: what tokens of a model cost, in place of the listed prices.
import type { GatewayModel, OwnPrice, TargetSet } from "../../../model/model.ts";
import { mayHavePrice } from "../../../model/prices.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import { listed } from "../configured-model.ts";
import { nameInOtherSpelling } from "../provider-spelling.ts";
import type { Reading } from "../reading.ts";
import { mapping, named, number } from "../schema-words.ts";
import { section } from "../section.ts";

const MAX_RATE = 1_000_000;
const rate = (description: string) => number(0, MAX_RATE, description).optional();

const schema = named(
  mapping(
    {
      input: rate("Input tokens, in US dollars per million. If not set, the listed price."),
      output: rate("Output tokens. If not set, the listed price; 0 for a model without one."),
      cache_read: rate("Input tokens that the provider read from a cache. If not set, as `input`."),
      cache_write: rate("Input tokens that the provider wrote to a cache. If not set, as `input`."),
      cache_write_1h: rate(
        "Input tokens that the provider wrote to a cache for an hour. If not set, as `cache_write`.",
      ),
      web_search: rate(
        "A thousand web searches, in US dollars. If not set, the listed price; 0 for a model without one.",
      ),
      factor: number(0, 1000, {
        description: "Multiplies every rate, such as 0.8 for a discount.",
        default: 1,
      }).optional(),
    },
    "Prices of one model, by its name `<provider>/<model>`.",
  ),
  "What tokens cost, in place of the listed prices of the models ([more](observability.md#money)). Used by `observability`.",
);

export const pricing = section({
  key: "pricing",
  schema,
  read({ reading, model }, written = {}) {
    const { targets = [], targetSets = [] } = model;
    const names = targets.map(({ name }) => name);
    const prices = Object.entries(written).flatMap(([key, entry]): [string, OwnPrice][] => {
      if (entry === undefined) return [];
      const path = ["pricing", key];
      const name = names.includes(key) ? key : (nameInOtherSpelling(key, targets) ?? key);
      if (!names.includes(name)) {
        const hint = suggestion(suggest(name, names));
        reading.problem(path, "no entry of llm_providers has this model", { part: "key", hint });
      }
      const { input, output, cache_read: cacheRead, cache_write: cacheWrite, factor } = entry;
      const { cache_write_1h: cacheWriteHour, web_search: webSearch } = entry;
      const isPartial = input === undefined && output === undefined;
      if (isPartial && (cacheRead ?? cacheWrite ?? cacheWriteHour) !== undefined) {
        reading.problem(path, "input and output are missing", { part: "key" });
      }
      const price = { input, output, cacheRead, cacheWrite, cacheWriteHour, webSearch, factor };
      return [
        [name, Object.fromEntries(Object.entries(price).filter(([, one]) => one !== undefined))],
      ];
    });
    const read = prices.length === 0 ? {} : { pricing: Object.fromEntries(prices) };
    for (const set of targetSets) warnOfCost(reading, set, { targets, ...read });
    return read;
  },
});

/** Warns of targets of an alias that the cheapest gets, and of which nobody knows what they cost. */
function warnOfCost(
  reading: Reading,
  set: TargetSet,
  configuration: Pick<GatewayModel, "targets" | "pricing">,
): void {
  if (set.balance !== "cost" || !("name" in set)) return;
  const { weights = [], targets } = set;
  const unknown = targets.filter((target, at) => {
    const one = configuration.targets[target];
    if (one === undefined || (weights[at] ?? 0) === 0) return false;
    return one.address.kind !== "embedded" && !mayHavePrice(one, configuration);
  });
  if (unknown.length === 0) return;
  const names = listed(unknown.map((target) => configuration.targets[target]?.name ?? ""));
  const isAll = unknown.length === weights.filter((weight) => weight > 0).length;
  reading.warning(
    ["model_aliases", set.name, "balance"],
    isAll
      ? `balance has no effect: no price is known of ${names}`
      : `the cheapest target is never one without a known price: ${names}`,
    { part: "key", hint: "set what their tokens cost in pricing" },
  );
}
