// `gateway explain` for each fact of today's APIs (test/fixtures/current-apis/rows.tsv): a closed row's request is as the provider
// accepts it; a gap's is as it is today, so that a change which closes it must say so. UPDATE_GOLDEN=1 writes states and gaps;
// `node scripts/generate.ts` then writes docs/current-apis.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { Explainer } from "../../control-plane/explain/explain.ts";
import type { Explanation } from "../../control-plane/explain/explain.ts";
import { listedPriceOf } from "../../model/facts/listed-prices.ts";
import { rowsOf } from "../../model/facts/model-facts.ts";
import { PICO_PER_MILLION, priceOfRow } from "../../model/prices.ts";
import {
  countApiRows,
  readApiRows,
  readNoListPrice,
} from "../../scripts/docs/current-apis-page.ts";
import type { ApiRow, Members } from "../../scripts/docs/current-apis-page.ts";
import { environmentOf } from "./case.ts";

const FOLDER = join(import.meta.dirname, "../fixtures/current-apis");
const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const read = (file: string): string => readFileSync(join(FOLDER, file), "utf8");

interface NamedRequest {
  path: string;
  body: Readonly<Record<string, unknown>>;
}

const REQUESTS = parse(read("requests.yaml")) as Readonly<Record<string, NamedRequest>>;
/** The request of a row that is about a price. */
const PRICE = "price";
const ANY = "*";

const NO_LIST_PRICE = readNoListPrice();

let explainer: Explainer;
const rows = readApiRows();
const updated: ApiRow[] = [];

beforeAll(async () => {
  const text = read("gateway.yaml");
  const environment = environmentOf(text);
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, environment);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  explainer = await Explainer.open({ model: loaded.model, environment, filterFile: FILTER });
});

/** Returns the value at each expected member, and why they are as they are. */
async function membersToday({ model, request, expected }: ApiRow): Promise<Members> {
  if (request === PRICE) return priceMembers(model, Object.keys(expected));
  const { path, body } = REQUESTS[request] ?? { path: "", body: {} };
  const explanation = await explainer.explain({
    method: "POST",
    path,
    headers: [["content-type", "application/json"]],
    body: Buffer.from(JSON.stringify({ model, ...body })),
  });
  return requestMembers(explanation, Object.keys(expected));
}

function requestMembers({ attempts: [attempt], response }: Explanation, names: string[]): Members {
  if (attempt === undefined) return { status: response?.status };
  const dropped = attempt.dropped.map(({ member }) => member);
  const body = JSON.parse(attempt.body) as unknown;
  const values = names
    .filter((name) => name.startsWith("/"))
    .map((name) => [name, valueAt(body, name)]);
  return {
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(names.includes("path") ? { path: new URL(attempt.url).pathname } : {}),
    ...(Object.fromEntries(values) as Members),
  };
}

function valueAt(body: unknown, pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  const value = keys.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | null | undefined)?.[key],
    body,
  );
  return value ?? null;
}

/** Returns dollars per million tokens, or the provider's models in the catalogue without a price that a public list may have. */
function priceMembers(name: string, names: string[]): Members {
  const [provider = "", model = ""] = name.split("/");
  if (model === ANY) {
    const models = [...rowsOf(provider)].filter(([, { q: kind }]) => kind === undefined);
    const unpriced = models
      .map(([known]) => known)
      .filter((known) => listedPriceOf(provider, known) === undefined);
    const isNowhere = new Set(NO_LIST_PRICE.models[provider]);
    return {
      models: models.length === 0 ? null : ANY,
      unpriced: unpriced.filter((known) => !isNowhere.has(known)),
    };
  }
  const listed = listedPriceOf(provider, model);
  const tier = listed === undefined ? undefined : priceOfRow(listed).tiers.at(-1);
  const rates = { input: tier?.input, output: tier?.output };
  return Object.fromEntries(
    names.map((rate) => {
      const value = rates[rate === "output" ? rate : "input"];
      return [rate, value === undefined ? null : value / PICO_PER_MILLION];
    }),
  );
}

function isClosed(expected: Members, today: Members): boolean {
  return Object.entries(expected).every(([name, value]) => {
    const now = today[name];
    if (value === ANY) return now !== null && now !== undefined;
    return JSON.stringify(now) === JSON.stringify(value);
  });
}

describe("a request is as the provider's API accepts it, or is listed as a gap", () => {
  it.each(rows)("$id: $request of $model: $fact", async (row) => {
    const { today: _today, ...rest } = row;
    const today = await membersToday(row);
    const now: ApiRow = isClosed(row.expected, today)
      ? { ...rest, state: "closed" }
      : { ...rest, state: "gap", today };
    updated.push(now);
    if (process.env["UPDATE_GOLDEN"] !== "1") expect(now).toEqual(row);
  });
});

afterAll(() => {
  if (process.env["UPDATE_GOLDEN"] !== "1" || updated.length !== rows.length) return;
  const lines = updated.map((row) =>
    [
      row.id,
      row.model,
      row.fact,
      row.request,
      JSON.stringify(row.expected),
      row.state,
      row.today === undefined ? "" : JSON.stringify(row.today),
      row.source,
    ].join("\t"),
  );
  const [head = ""] = read("rows.tsv").split("\n");
  writeFileSync(join(FOLDER, "rows.tsv"), `${[head, ...lines].join("\n")}\n`);
});

it("no public list has a price for the models that are noted so, with the lists and the day of the search", () => {
  const { date, searched, models } = NO_LIST_PRICE;
  expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(searched.length).toBeGreaterThan(3);
  for (const [provider, names] of Object.entries(models)) {
    const priced = names.filter((name) => listedPriceOf(provider, name) !== undefined);
    const unknown = names.filter((name) => !rowsOf(provider).has(name));
    expect({ provider, priced, unknown }).toEqual({ provider, priced: [], unknown: [] });
  }
});

it("each fact of the review has a row, and each row a request", () => {
  const counts = countApiRows(rows).map(({ list, all }) => [list, all]);
  expect(counts).toEqual([
    ["models", 162],
    ["pairs", 41],
  ]);
  const missing = rows.filter(({ request }) => request !== PRICE && !(request in REQUESTS));
  expect(missing).toEqual([]);
});
