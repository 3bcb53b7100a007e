// `gateway import`: configurations of the shape that other gateways have, and what they become. The results are in import/.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { parseReferences } from "../../../../control-plane/config/reference.ts";
import { importConfiguration } from "../../../../control-plane/import/import.ts";
import { KINDS } from "../../../../control-plane/import/kinds.ts";

const here = import.meta.dirname;

/** Values of a form that the loader checks, and the second half of a pair. */
const PLACES = {
  VERTEX_PROJECT_ID: "our-project",
  GOOGLE_LOCATION: "us-central1",
  AWS_SECRET_ACCESS_KEY: "made-up",
};

describe.each(KINDS)("a configuration of %s", (kind) => {
  const file = ["bifrost", "portkey"].includes(kind) ? `${kind}.json` : `${kind}.yaml`;
  const text = readFileSync(join(here, file), "utf8");
  const result = importConfiguration(kind, text, file);

  it("a configuration becomes a valid gateway.yaml with a comment at each part without an equivalent", async () => {
    expect(result.problems).toEqual([]);
    const values = parseReferences(result.text).names.map((name) => [name, `value-of-${name}`]);
    const environment = { ...Object.fromEntries(values), ...PLACES } as Record<string, string>;
    const loaded = loadConfiguration({ file: "gateway.yaml", text: result.text }, environment);
    expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    await expect(result.text).toMatchFileSnapshot(join(here, `${kind}.gateway.yaml`));
  });

  it("an imported configuration loses its keys, and keeps its comments", () => {
    expect(result.text).not.toMatch(/pasted|sk-master/);
    for (const [, comment = ""] of text.matchAll(/# ([A-Z][\w', ]+|every [\w ]+|the [\w ']+)$/gm))
      expect(result.text).toContain(comment);
  });
});

/** Nine lists of nine aliases each. */
const BOMB = ["model_list: &a0 [x]", "llm_providers: *a0"]
  .concat(Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`))
  .join("\n");

/** Returns the gateway.yaml of entries of LiteLLM's model_list, in YAML's flow form. */
function litellm(...items: string[]): string {
  const text = `model_list:\n${items.map((item) => `  - ${item}\n`).join("")}`;
  const { text: result, problems } = importConfiguration("litellm", text, "config.yaml");
  expect(problems).toEqual([]);
  return result;
}

describe("an import of LiteLLM", () => {
  it("an import of LiteLLM sends no key to another host", () => {
    const text = litellm(
      "{model_name: a, litellm_params: {model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY}}",
      '{model_name: b, litellm_params: {model: openai/llama, api_base: "http://gpu:8000/v1", api_key: sk-1234}}',
      '{model_name: c, litellm_params: {model: openai/phi, api_base: "http://10.0.0.7/v1", api_key: key-of-c}}',
      '{model_name: d, litellm_params: {model: openai/qwen, api_base: "http://gpu:11434/v1", api_key: ollama}}',
    );
    expect(text.match(/access_key: .*/g)).toEqual([
      "access_key: $OPENAI_API_KEY",
      "access_key: $GPU_8000_KEY",
      "access_key: $HOST_10_0_0_7_KEY",
    ]);
  });

  it("an import of LiteLLM gives a key of the file no variable to which the file refers", () => {
    const text = litellm(
      "{model_name: a, litellm_params: {model: openai/gpt-4o, api_key: key-of-a}}",
      "{model_name: b, litellm_params: {model: openai/gpt-4.1, api_key: os.environ/OPENAI_API_KEY}}",
    );
    expect(text.match(/access_key: .*/g)).toEqual([
      "access_key: $OPENAI_API_KEY_2",
      "access_key: $OPENAI_API_KEY",
    ]);
  });

  it("an import of LiteLLM keeps what is in the environment", () => {
    const text = litellm(
      "{model_name: g, litellm_params: {model: vertex_ai/gemini-2.5-pro, vertex_project: os.environ/GOOGLE_CLOUD_PROJECT, vertex_location: os.environ/PLACE}}",
      "{model_name: z, litellm_params: {model: azure/dep, api_base: os.environ/AZURE_BASE, api_version: os.environ/VERSION, api_key: os.environ/AZURE_KEY}}",
    );
    for (const line of [
      "project: $GOOGLE_CLOUD_PROJECT",
      "location: $PLACE",
      "api_version: $VERSION",
    ])
      expect(text).toContain(line);
    expect(text).not.toContain("# Not imported:");
  });

  it.each([
    ["least-busy", "balance: load"],
    ["latency-based-routing", "balance: latency"],
    ["cost-based-routing", "balance: cost"],
    ["simple-shuffle", undefined],
    [
      "usage-based-routing-v2",
      "# Not imported: targets of an alias share requests by weight, or by",
    ],
  ])("an import of LiteLLM has the strategy %s", (strategy, expected) => {
    const items = [
      "{model_name: a, litellm_params: {model: openai/gpt-4o, weight: 2}}",
      "{model_name: a, litellm_params: {model: groq/llama}}",
      "{model_name: b, litellm_params: {model: groq/llama}}",
    ];
    const text = `model_list:\n${items.map((item) => `  - ${item}\n`).join("")}router_settings: {routing_strategy: ${strategy}}\n`;
    const { text: result, problems } = importConfiguration("litellm", text, "config.yaml");
    expect(problems).toEqual([]);
    const lines = result
      .split("\n")
      .filter((line) => /^ *balance:|# Not imported: targets/.test(line));
    expect(lines).toHaveLength(expected === undefined ? 0 : 1);
    if (expected !== undefined) expect(lines[0]).toContain(expected);
  });

  it("an import of LiteLLM leaves a price that is not set to the price list", () => {
    const text = litellm(
      "{model_name: a, litellm_params: {model: openai/gpt-4o-mini, input_cost_per_token: 0.00000015}}",
    );
    expect(text).toContain("pricing:\n  openai/gpt-4o-mini:\n    input: 0.15\n");
    expect(text).not.toContain("output:");
  });

  it("an import of LiteLLM keeps a model of Bedrock with two APIs, in both orders", () => {
    const models = ["invoke", "converse"].map(
      (api) =>
        `{model_name: c, litellm_params: {model: bedrock/${api}/anthropic.claude-opus-5-v1:0, aws_region_name: us-east-1}}`,
    );
    for (const order of [models, models.toReversed()]) {
      const text = litellm(...order);
      expect(text.match(/provider_interface: .*/g)).toContain("provider_interface: converse");
      expect(text).toMatch(/targets:\n {6}- model: bedrock\/.*\n {6}- model: bedrock-2\//);
      expect(text).not.toContain("# Not imported:");
    }
  });

  it("an import of LiteLLM keeps group names with spaces, and fractions of weights", () => {
    const text = litellm(
      "{model_name: Amazon Nova Pro, litellm_params: {model: bedrock/amazon.nova-pro-v1:0, aws_region_name: us-east-1, weight: 0.25}}",
      "{model_name: Amazon Nova Pro, litellm_params: {model: openai/gpt-4o, weight: 0.75}}",
    );
    expect(text).toMatch(/ {2}Amazon Nova Pro:\n {4}targets:[^]*weight: 34[^]*weight: 100\n/);
  });

  it.each([
    ["{litellm_params: {model: os.environ/MODEL}}", "the model is in the variable MODEL"],
    ["{model_name: a}", "it has no litellm_params.model"],
    ['{litellm_params: {model: "*"}}', "one entry for all providers has no equivalent"],
    ["{litellm_params: {model: __proto__/constructor, api_key: k}}", "__proto__ is no provider"],
    [
      "{litellm_params: {model: openai/gpt-4o, num_retries: 6}}",
      "a request has at most 5 attempts, the first included",
    ],
    ["{litellm_params: {model: openai/gpt-4o}, owebui_params: {a: 1}}", "there is no such setting"],
  ])("an import of LiteLLM states why a part of %s is not imported", (item, reason) => {
    const other = "{litellm_params: {model: openai/gpt-4.1}}";
    expect(litellm(other, item)).toContain(`# Not imported: ${reason}`);
  });

  it("an import of LiteLLM reports a file with more values than a configuration may have", () => {
    const items = Array.from(
      { length: 3500 },
      (_, at) => `  - {litellm_params: {model: openai/m, api_base: "http://h${String(at)}/v1"}}\n`,
    );
    const { problems } = importConfiguration("litellm", `model_list:\n${items.join("")}`, "a.yaml");
    expect(problems.map(({ message }) => message).join()).toContain("more than 20,000 values");
  });
});

describe("an import", () => {
  it.each([
    ["litellm", "llm_providers: []", "it has no model_list"],
    ["plano", "model_list: []", "it has no llm_providers or model_providers"],
    ["archgw", "a: [", "is not a configuration of archgw"],
    ["litellm", "just text", "it has no model_list"],
    ["bifrost", "{}", "it has no providers"],
    ["portkey", '{"cache": {"mode": "simple"}}', "it has no provider or targets"],
  ] as const)("an import of %s rejects %j", (kind, text, message) => {
    expect(() => importConfiguration(kind, text, "file.yaml")).toThrow(message);
  });

  it.each([
    [
      "a block",
      "litellm",
      `model_list:
  - model_name: a
    litellm_params:
      model: openai/gpt-4o
      vertex_credentials: |
        {
          "private_key": "hunter2",
          "note": "hunter2"
        }`,
    ],
    [
      "comments",
      "litellm",
      `# master_key: hunter2
model_list: # api_key: hunter2
  - model_name: a # export OPENAI_API_KEY=hunter2
    litellm_params:
      # api_keys:
      #   - hunter2
      # {"api_key":"hunter2"}
      model: openai/gpt-4o # password: "hunter2"
      api_key: os.environ/A # was: sk-hunter2
# token: hunter2`,
    ],
    [
      "lists",
      "litellm",
      `model_list: [{ model_name: a, litellm_params: { model: openai/gpt-4o } }]
general_settings:
  api_keys:
    - hunter2
    - { value: [hunter2, 12345] }
  database: { passwords: [hunter2], dsn: "host=db password=hunter2", pwd: hunter2 }
  other: { password: { one: hunter2, two: os.environ/B } }`,
    ],
    [
      "keys that the gateway has too",
      "plano",
      `listeners:
  egress_traffic:
    port: 12000
    api_keys:
      - hunter2
      # - hunter2
      - $B
llm_providers:
  # access_key: hunter2
  - model: openai/gpt-4o
    access_key: [hunter2, $A] # token: hunter2
    headers: { x-other-key: hunter2, x-third-key: $C }`,
    ],
  ] as const)("an import prints no key of %s", (_, kind, text) => {
    const result = importConfiguration(kind, text, "file.yaml");
    expect(result.problems).toEqual([]);
    expect(result.text).not.toMatch(/hunter2|12345/);
    expect(result.text).toMatch(/\(not shown\)/);
  });

  it.each(KINDS)("an import of %s rejects aliases within aliases", (kind) => {
    expect(() => importConfiguration(kind, BOMB, "file.yaml")).toThrow(
      "its aliases (*name) expand to too many values",
    );
  });

  it("an import keeps references, and makes references of keys that the gateway has too", () => {
    const text = `llm_providers:
  # api_key: $A
  - model: openai/gpt-4o
    access_key: [hunter2, $A, other]`;
    expect(importConfiguration("plano", text, "file.yaml").text).toMatch(
      /# api_key: \$A\n[^]*\$ACCESS_KEY\b[^_][^]*\$A\b[^]*\$ACCESS_KEY_2/,
    );
  });

  it("an import reports a file of which no part can be imported", () => {
    const text = "model_list: [{model_name: a, litellm_params: {model: sagemaker/a}}]";
    expect(importConfiguration("litellm", text, "file.yaml").problems).not.toEqual([]);
  });
});
