// docs/current-apis.md: which facts of today's APIs and models the gateway's requests are true to, and which are still gaps.
// The rows are test/fixtures/current-apis/rows.tsv; test/exchanges/current-apis.test.ts holds each of them.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { code } from "./markdown.ts";

/** Of a request to a provider, by JSON pointer; `path`, `status` and `dropped` are of the request as a whole. */
export type Members = Readonly<Record<string, unknown>>;

export interface ApiRow {
  /** `models 12` or `pairs 3`: the fact; it may have several rows, and is closed if all of them are. */
  id: string;
  model: string;
  fact: string;
  /** A name in requests.yaml. */
  request: string;
  /** What the provider accepts. */
  expected: Members;
  state: "closed" | "gap";
  /** What a gap sends. */
  today?: Members;
  source: string;
}

const FOLDER = new URL("../../test/fixtures/current-apis/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, FOLDER), "utf8");

/** Models of the catalogue whose provider's price no public list has, by provider; where and when it was searched. */
export interface NoListPrice {
  date: string;
  searched: string[];
  models: Readonly<Record<string, string[]>>;
}

export function readNoListPrice(): NoListPrice {
  return parse(read("no-list-price.yaml")) as NoListPrice;
}

export function readApiRows(): ApiRow[] {
  const [, ...lines] = read("rows.tsv").trimEnd().split("\n");
  return lines.map((line) => {
    const [id = "", model = "", fact = "", request = "", expected = "", state, today, source = ""] =
      line.split("\t");
    return {
      id,
      model,
      fact,
      request,
      expected: JSON.parse(expected) as Members,
      state: state === "closed" ? "closed" : "gap",
      ...(today === undefined || today === "" ? {} : { today: JSON.parse(today) as Members }),
      source,
    };
  });
}

interface Count {
  list: string;
  closed: number;
  all: number;
  rows: number;
}

export function countApiRows(rows: readonly ApiRow[]): Count[] {
  return ["models", "pairs"].map((list) => {
    const own = rows.filter(({ id }) => id.startsWith(`${list} `));
    const all = new Set(own.map(({ id }) => id));
    const open = new Set(own.filter(({ state }) => state === "gap").map(({ id }) => id));
    return { list, closed: all.size - open.size, all: all.size, rows: own.length };
  });
}

const LISTS: Readonly<Record<string, string>> = {
  models: "Facts of models: API, tokens, efforts, sampling, cache, price",
  pairs: "Members of a client's format at another provider",
};

/** Returns Markdown; the caller formats it. */
export function currentApisPage(): string {
  const rows = readApiRows();
  const gaps = rows.filter(({ state }) => state === "gap");
  return `# Current APIs

<!-- Written by scripts/generate.ts from test/fixtures/current-apis/rows.tsv: change it there. -->

A review on 2026-11-23 compared the gateway's requests with the SDKs, catalogues and issues of that week. Each difference is a fact with a source. A test sends a request for each fact through the release filter and compares the provider's request with what the API accepts; no provider was called.

| List | Closed | Facts | Requests |
| --- | --- | --- | --- |
${countApiRows(rows)
  .map(
    ({ list, closed, all, rows: requests }) =>
      `| ${LISTS[list] ?? list} | ${closed} | ${all} | ${requests} |`,
  )
  .join("\n")}

## Models without a list price

${noListPrice(readNoListPrice())}

## Gaps

${gaps.length === 0 ? "There are none." : gapLists(gaps)}
`;
}

function noListPrice({ date, searched, models }: NoListPrice): string {
  const names = Object.entries(models).flatMap(([provider, own]) =>
    own.map((name) => code(`${provider}/${name}`)),
  );
  return `No public list has a price of their provider (searched on ${date}): ${names.join(", ")}. They cost nothing for a budget until \`pricing\` has a price, or \`budgets[].unpriced: reject\` is set. Lists:

${searched.map((list) => `- ${list}`).join("\n")}`;
}

function gapLists(gaps: readonly ApiRow[]): string {
  const facts = Map.groupBy(gaps, ({ id, fact }) => `### ${id}: ${escaped(fact)}`);
  const lists = [...facts].map(([title, rows]) => `${title}\n\n${rows.map(line).join("\n")}`);
  return `Members are JSON pointers; \`null\` is a member that is not sent, \`"*"\` any value. \`status\` is the gateway's own response: no provider gets the request.

${lists.join("\n\n")}`;
}

function line({ model, request, expected, today = {} }: ApiRow): string {
  return `- ${code(request)} to ${code(model)}: should be ${members(expected)}; today ${members(today)}`;
}

function members(values: Members): string {
  return Object.entries(values)
    .map(([name, value]) => code(`${name}: ${JSON.stringify(value)}`))
    .join(", ");
}

const escaped = (text: string): string => text.replaceAll("_", "\\_").replaceAll("*", "\\*");
