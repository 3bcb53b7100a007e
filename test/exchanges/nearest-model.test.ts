// The 404 of an unknown model names the nearest configured name: the filter's bounded search against a plain one.
import { join } from "node:path";
import { distance } from "fastest-levenshtein";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const MODELS = [
  "openai/gpt-4o",
  "openai/gpt-4o-mini",
  "anthropic/claude-sonnet-4-5",
  "anthropic/claude-haiku-4-5",
  "ollama/llama3.1:8b",
  "together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo",
  "vllm/qwen3-32b",
  "mistral/mistral-large-latest",
];
const ALIASES = ["fast", "careful", "ab"];
/** In the order of the filter's table. */
let names: string[];
let host: FilterHost;

async function startHost(text: string): Promise<FilterHost> {
  const result = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "key" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const config = filterConfig(result.model);
  names = Object.keys(config.names);
  const module = await compileFilter(FILTER);
  return FilterHost.load(module, { filterConfig: config, environment: { KEY: "key" } });
}

beforeAll(async () => {
  const url = "base_url: http://llm.test/v1, provider_interface: openai";
  host = await startHost(
    [
      "llm_providers:",
      ...MODELS.map((model) => `  - {model: "${model}", access_key: $KEY, ${url}}`),
      "model_aliases:",
      ...ALIASES.map((alias) => `  ${alias}: {target: openai/gpt-4o}`),
    ].join("\n"),
  );
});

/** The message for an unknown model. */
function messageFor(model: string): string {
  const { response, faults } = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"]],
      body: Buffer.from(JSON.stringify({ model, messages: [] })),
    },
  });
  expect(faults).toEqual([]);
  expect(response.status).toBe(404);
  const { error } = JSON.parse(Buffer.from(response.body).toString()) as {
    error: { message: string };
  };
  return error.message;
}

const suggested = (model: string): string | undefined =>
  /'\. Did you mean '(.*?)'\? Available: /.exec(messageFor(model))?.[1];

/** ASCII, as the filter compares bytes. */
function expected(model: string): string | undefined {
  const bare = model.includes("/") ? model.slice(model.indexOf("/") + 1) : "";
  if (names.includes(bare)) return bare;
  if (model.length > 64) return undefined;
  const lower = model.toLowerCase();
  const allowed = Math.min(6, model.length < 4 ? 1 : Math.max(2, Math.floor(model.length / 3)));
  const edits = names.map((name) => distance(lower, name.toLowerCase()));
  const fewest = Math.min(...edits);
  if (fewest <= allowed) return names[edits.indexOf(fewest)];
  const shared = names.map((name) => {
    const other = name.toLowerCase();
    const shorter = Math.min(lower.length, other.length);
    return lower.slice(0, shorter) === other.slice(0, shorter) ? shorter : 0;
  });
  const longest = Math.max(...shared);
  if (longest >= 3) return names[shared.indexOf(longest)];
  const parts = names.map((name) => sharedParts(lower, name.toLowerCase()));
  const most = Math.max(...parts);
  return most <= 3 ? undefined : names[parts.indexOf(most)];
}

/** Length of the common beginning, up to the last separator in both. */
function sharedParts(one: string, other: string): number {
  let common = 0;
  while (common < Math.min(one.length, other.length) && one[common] === other[common]) common++;
  const separators = /[-.:@_]/;
  if (separators.test(one[common] ?? "") && separators.test(other[common] ?? "")) return common + 1;
  return /^.*[-.:@_]/s.exec(one.slice(0, common))?.[0].length ?? 0;
}

const edit = fc.record({
  kind: fc.constantFrom("insert", "remove", "replace", "swap", "cut", "append"),
  at: fc.nat(70),
  letter: fc.constantFrom(..."abcdefgGPT-4./o:".split("")),
});

function apply(text: string, { kind, at, letter }: { kind: string; at: number; letter: string }) {
  const place = at % (text.length + 1);
  if (kind === "append") return `${text}-20250929${letter}`;
  if (kind === "cut") return text.slice(0, place);
  const [before, after] = [text.slice(0, place), text.slice(place)];
  if (kind === "insert") return before + letter + after;
  if (kind === "remove") return before + after.slice(1);
  if (kind === "replace") return before + letter + after.slice(1);
  return before + (after[1] ?? "") + (after[0] ?? "") + after.slice(2);
}

it("the nearest model is the one that a plain search finds, for names that are a few edits away", () => {
  const asked = fc
    .tuple(
      fc.constantFrom(...MODELS, ...MODELS.map((model) => model.split("/").slice(1).join("/"))),
      fc.array(edit, { minLength: 1, maxLength: 7 }),
    )
    .map(([name, edits]) => edits.reduce(apply, name));
  fc.assert(
    fc.property(asked, (model) => {
      fc.pre(model !== "" && model !== "none" && !names.includes(model));
      expect(suggested(model)).toBe(expected(model));
    }),
    { numRuns: 1500 },
  );
});

it.each([
  ["gpt-4o-2024-08-06", "gpt-4o"],
  ["gpt-4o-nano-2026-01-01", "gpt-4o"],
  ["claude-opus-5", "claude-sonnet-4-5"],
  ["anthropic/claude-opus-4-1-20250805", "anthropic/claude-sonnet-4-5"],
  ["qwen3.5-coder", "qwen3-32b"],
  ["phi-4", undefined],
])("the dated or smaller name %s suggests %s", (model, nearest) => {
  expect(suggested(model)).toBe(nearest);
});

it("any text as a model gets a well-formed message", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), (model) => {
      fc.pre(model !== "none" && !names.includes(model) && model.isWellFormed());
      expect(messageFor(model)).toMatch(/^Unknown model '.*'\./s);
    }),
    { numRuns: 500 },
  );
});

it("ten names are listed, and how many more there are", async () => {
  const models = Array.from({ length: 300 }, (_, at) => `  - {model: ollama/m-${at}}`);
  host = await startHost(["llm_providers:", ...models].join("\n"));
  expect(messageFor("nothing-like-it")).toBe(
    "Unknown model 'nothing-like-it'. Available: ollama/m-0, ollama/m-1, ollama/m-2, ollama/m-3, " +
      "ollama/m-4, ollama/m-5, ollama/m-6, ollama/m-7, ollama/m-8, ollama/m-9 (290 more: GET /v1/models).",
  );
});
