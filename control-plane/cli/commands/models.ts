// `gateway models`: every name for `model`, and its target.
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import type { FilterAllowed } from "../../../model/filter-document/document-types.ts";
import { modelFacts, wholeCatalogue } from "../../../model/facts/model-facts.ts";
import type { ModelFacts } from "../../../model/facts/model-facts.ts";
import { knownProvider, type GatewayModel, type Target } from "../../../model/model.ts";
import { isWildcard } from "../../../model/model-names.ts";
import { PICO_PER_MILLION, priceOf, pricesOf } from "../../../model/prices.ts";
import type { Price } from "../../../model/prices.ts";
import { colorsFor, count, table } from "../../report/terminal.ts";
import type { ConfigurationFile } from "../../config/diagnostics/configuration-problems.ts";
import { withNetworkOf } from "../../download/network.ts";
import { fetchFacts, MAX_FACTOR } from "../../model-facts/refresh-facts.ts";
import { refreshedFile, writeRefreshed } from "../../model-facts/refreshed-facts.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { stateDirectory } from "../../supervisor/state.ts";
import { catalogueNote } from "../../../model/facts/catalogue-note.ts";
import { noteBuiltIn } from "./built-in.ts";
import { findKey } from "./find-key.ts";
import type { ModelsOptions } from "../command-options.ts";

export interface ModelName {
  /** The name in `model`. */
  name: string;
  /** `<provider>/<model>`. */
  target: string;
  /** The wire format of its provider. */
  dialect: string;
  /** Whether `model: none` means it. */
  default: boolean;
  /** URL of the provider, or `built in`. */
  address: string;
  price: ModelPrice;
  /** What the catalogue has of it; absent if it has nothing. */
  facts?: ModelFacts;
}

/** US dollars per million tokens, of a request with a short input; without rates if `source` is `unknown`. */
interface ModelPrice {
  input?: number;
  output?: number;
  source: string;
}

/** Prints them as a table, or as JSON. */
export async function models(config: string | undefined, options: ModelsOptions): Promise<void> {
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  if (options.refresh === true) await refresh(file, options);
  const { model } = readConfiguration(file, process.env);
  const names = modelNames(model, allowedFor(model, options.key));
  if (options.json === true) {
    console.log(JSON.stringify(names, null, 2));
    return;
  }
  noteBuiltIn(file);
  const colors = colorsFor(process.stdout);
  const rows = names.map(({ name, target, dialect, default: isDefault, address, price, facts }) => [
    colors.cyan(name),
    target,
    dialect,
    isDefault ? "default" : "",
    tokens(facts?.contextWindow),
    tokens(facts?.maxOutputTokens),
    dollars(price.input),
    dollars(price.output),
    price.source,
    address,
  ]);
  const sizes = ["CONTEXT", "MAX OUTPUT"];
  const head = ["NAME", "MODEL", "DIALECT", "", ...sizes, "INPUT", "OUTPUT", "PRICE", "ADDRESS"];
  rows.unshift(head.map(colors.dim));
  for (const line of table(rows)) console.log(line);
  console.error(`Facts and listed prices: ${catalogueNote()}.`);
}

/** Fetches the newest facts into the state directory, where `up` and `reload` find them. */
async function refresh(file: ConfigurationFile, options: ModelsOptions): Promise<void> {
  const { model, environment } = readConfiguration(file, process.env);
  const { modelFacts: own } = model;
  if (own !== undefined && "file" in own) {
    throw new GatewayError(
      `model_facts is a file, which the gateway does not change: ${own.file}.`,
      {
        hint: "Remove model_facts for the public catalogues.",
        exitCode: 2,
      },
    );
  }
  const acceptPrices = options.acceptPrices === true;
  const found = await withNetworkOf(environment, () =>
    fetchFacts(own?.url, wholeCatalogue(), environment, { now: new Date(), acceptPrices }),
  ).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    throw new GatewayError(`The facts of models were not refreshed: ${text}.`, {
      hint: `The present ones stay: ${catalogueNote()}.`,
    });
  });
  const place = refreshedFile(stateDirectory(file, process.env));
  writeRefreshed(place, { text: found.text, from: own?.url ?? "" });
  console.error(
    `Fetched the facts of ${count(found.models, "model")}. gateway reload applies them.`,
  );
  if (found.keptPrices.length > 0) {
    const some = found.keptPrices.slice(0, 10).join(", ");
    const more = found.keptPrices.length > 10 ? ", …" : "";
    console.error(
      `${count(found.keptPrices.length, "price")} changed by more than a factor of ${String(MAX_FACTOR)}: the old ones stay, unless you add --accept-prices: ${some}${more}.`,
    );
  }
}

/** Returns the allow-list of a key; undefined if it may be used for all models. */
function allowedFor(model: GatewayModel, name: string | undefined): FilterAllowed | undefined {
  if (name === undefined) return undefined;
  const { listener } = findKey(model, name);
  const keys = filterConfig(model).api_keys?.[listener] ?? [];
  const named = keys.filter((one) => typeof one === "object");
  return named.find((one) => one.name === name)?.allowed;
}

/** In the order of the configuration; of one model, its full name first. @param allowed only these */
export function modelNames(model: GatewayModel, allowed?: FilterAllowed): ModelName[] {
  const { names, routes, wildcards = [], models: listed } = filterConfig(model);
  const prices = pricesOf(model);
  /** Names that wildcards take: the bare ones. */
  const taken = new Map<string, string>();
  const entriesOfTaken = (allowed?.taken ?? []).flatMap(({ route, models: patterns }) => {
    const { provider = "" } = model.targets[route] ?? {};
    if (provider === "") return [];
    return patterns.map((bare) => {
      taken.set(`${provider}/${bare}`, bare);
      return [`${provider}/${bare}`, route] as const;
    });
  });
  // Those that the price list knows, as GET /v1/models lists them.
  const known = listed.flatMap(({ owner, names: bareNames = [] }, route) =>
    bareNames.flatMap((bare) => {
      const name = `${owner}/${bare}`;
      if (names[name] !== undefined || !isAllowed(route, bare, allowed)) return [];
      taken.set(name, bare);
      return [[name, route] as const];
    }),
  );
  const entries = [
    ...Object.entries(names),
    ...wildcards.map(({ prefix, route }) => [`${prefix}*`, route] as const),
  ].filter(([, route]) => allowed === undefined || allowed.routes.includes(route));
  const all = new Map([...entriesOfTaken, ...known]);
  const found = [...entries, ...all].flatMap(([name, route]) => {
    const index = routes[route]?.targets[0];
    const target = index === undefined ? undefined : model.targets[index];
    if (index === undefined || target === undefined) return [];
    const facts = factsOf(target, taken.get(name));
    const row = {
      name,
      target: target.name,
      dialect: target.dialect,
      default: index === model.defaultTarget,
      address: addressOf(target),
      price: modelPrice(
        taken.has(name) ? priceOf(target, model, taken.get(name)) : prices.get(target.name),
      ),
      ...(facts === undefined ? {} : { facts }),
    };
    return [{ index, isFull: name === target.name, row }];
  });
  found.sort((one, other) => one.index - other.index || Number(other.isFull) - Number(one.isFull));
  return found.map(({ row }) => row);
}

/** Returns the facts of a model without its price, which is shown as such. @param model its name, other than in a wildcard */
function factsOf(target: Target, model = target.model): ModelFacts | undefined {
  const facts = modelFacts(knownProvider(target), model);
  if (facts === undefined) return undefined;
  const { price: _, ...others } = facts;
  return others;
}

/** Returns whether a key may be used for a model of a wildcard. */
function isAllowed(route: number, bare: string, allowed: FilterAllowed | undefined): boolean {
  if (allowed === undefined || allowed.routes.includes(route)) return true;
  const patterns = (allowed.taken ?? []).flatMap((one) => (one.route === route ? one.models : []));
  return patterns.some(
    (pattern) => pattern === bare || (isWildcard(pattern) && bare.startsWith(pattern.slice(0, -1))),
  );
}

function modelPrice(price: Price | undefined): ModelPrice {
  const tier = price?.tiers.at(-1);
  if (price === undefined || tier === undefined) return { source: "unknown" };
  const perMillion = (rate: number) => rate / PICO_PER_MILLION;
  return { input: perMillion(tier.input), output: perMillion(tier.output), source: price.source };
}

const tokens = (count: number | undefined) => count?.toLocaleString("en-US") ?? "";

const dollars = (rate: number | undefined) => (rate === undefined ? "" : `$${String(rate)}`);

/** Where the target is called: `https://api.openai.com/v1/chat/completions`. */
function addressOf({ address, path }: Target): string {
  if (address.kind === "embedded") return "built in";
  const usual = address.tls ? 443 : 80;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const port = address.port === usual ? "" : `:${String(address.port)}`;
  return `${address.tls ? "https" : "http"}://${host}${port}${path}`;
}
