// Every row of the tables of providers, through the configuration and the release filter: where a chat client's request goes,
// with which credential, and what becomes of the members that providers differ in. rows.txt has a line for each.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { Explainer } from "../../../../control-plane/explain/explain.ts";
import { CLOUDS } from "../../../../control-plane/providers/clouds.ts";
import {
  OTHER_NAMES,
  PROVIDERS,
  builtInName,
} from "../../../../control-plane/providers/registry.ts";
import { ENVIRONMENT, EVERY_MODEL, EVERY_ROW } from "../../../config/every-row.ts";

const FILTER = join(import.meta.dirname, "../../../../build/filter.wasm");
const CREDENTIALS = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

const REQUEST = {
  messages: [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "Hello" },
  ],
  max_completion_tokens: 100,
  stream: true,
  store: false,
  reasoning_effort: "high",
  tools: [{ type: "function", function: { name: "search", parameters: { type: "object" } } }],
  tool_choice: "required",
};

/** The members whose form depends on the provider. */
const SHOWN = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "stream_options",
  "store",
  "reasoning_effort",
  "tool_choice",
];

describe("every row", () => {
  let explainer: Explainer;

  beforeAll(async () => {
    const loaded = loadConfiguration({ file: "gateway.yaml", text: EVERY_ROW }, ENVIRONMENT);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, null, 1));
    const { model } = loaded;
    explainer = await Explainer.open({ model, environment: ENVIRONMENT, filterFile: FILTER });
  });

  async function lineOf(model: string): Promise<string> {
    const { attempts, response } = await explainer.explain({
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"]],
      body: Buffer.from(JSON.stringify({ model, ...REQUEST })),
    });
    const [attempt] = attempts;
    if (attempt === undefined) throw new Error(response?.body);
    const body = JSON.parse(attempt.body) as Record<string, unknown>;
    const credential = attempt.headers
      .filter(([name]) => CREDENTIALS.includes(name))
      .map(([name, value]) => `${name}: ${value}`);
    const [first] = (body["messages"] ?? []) as { role?: string }[];
    const members = SHOWN.filter((name) => name in body).map(
      (name) => `${name} ${JSON.stringify(body[name])}`,
    );
    return [
      model,
      `  ${attempt.url}`,
      `  ${credential.join(", ") || "no credential"}`,
      `  first role ${first?.role ?? "-"}; ${members.join(", ")}`,
    ].join("\n");
  }

  it("every row sends to its address, with its credential and its members", async () => {
    const lines: string[] = [];
    for (const model of EVERY_MODEL) lines.push(await lineOf(model));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("rows.txt");
  });
});

describe("the names of providers", () => {
  it("the names of providers are at least sixty", () => {
    expect(PROVIDERS.length + CLOUDS.length).toBeGreaterThanOrEqual(60);
  });

  it("stand for one provider each, with the aliases", () => {
    const names = [...PROVIDERS, ...CLOUDS].flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    for (const [alias, name] of OTHER_NAMES) {
      expect(alias).toMatch(/^[a-z0-9_]+$/);
      expect(builtInName(alias.replaceAll("_", "-"))).toBe(name);
    }
  });

  it("the names of providers have each variable once among those that gateway init finds", () => {
    const variables = PROVIDERS.flatMap((row) =>
      row.usualModel === undefined ? [] : (row.variables ?? []),
    );
    expect(variables.filter((name, index) => variables.indexOf(name) !== index)).toEqual([]);
  });
});
