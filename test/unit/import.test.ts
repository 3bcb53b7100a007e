// `gateway import`: configurations of the shape that other gateways have, and what they become. The results are in import/.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { parseReferences } from "../../control-plane/config/reference.ts";
import { importConfiguration } from "../../control-plane/import/import.ts";
import { KINDS } from "../../control-plane/import/kinds.ts";

const here = join(import.meta.dirname, "import");

describe.each(KINDS)("a configuration of %s", (kind) => {
  const text = readFileSync(join(here, `${kind}.yaml`), "utf8");
  const result = importConfiguration(kind, text, `${kind}.yaml`);

  it("becomes a valid gateway.yaml with a comment at each part without an equivalent", async () => {
    expect(result.problems).toEqual([]);
    const values = parseReferences(result.text).names.map((name) => [name, `value-of-${name}`]);
    const environment = Object.fromEntries(values) as Record<string, string>;
    const loaded = loadConfiguration({ file: "gateway.yaml", text: result.text }, environment);
    expect(loaded).toMatchObject({ ok: true });
    await expect(result.text).toMatchFileSnapshot(join(here, `${kind}.gateway.yaml`));
  });

  it("loses its keys, and keeps its comments", () => {
    expect(result.text).not.toMatch(/pasted|sk-master/);
    for (const [, comment = ""] of text.matchAll(/# ([A-Z][\w', ]+|every [\w ]+|the [\w ']+)$/gm))
      expect(result.text).toContain(comment);
  });
});

describe("an import", () => {
  it.each([
    ["litellm", "llm_providers: []", "it has no model_list"],
    ["plano", "model_list: []", "it has no llm_providers or model_providers"],
    ["archgw", "a: [", "is not a configuration of archgw"],
    ["litellm", "just text", "it has no model_list"],
  ] as const)("of %s rejects %j", (kind, text, message) => {
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
  ] as const)("prints no key of %s", (_, kind, text) => {
    const result = importConfiguration(kind, text, "file.yaml");
    expect(result.problems).toEqual([]);
    expect(result.text).not.toMatch(/hunter2|12345/);
    expect(result.text).toMatch(/\(not shown\)/);
  });

  it("keeps references, and makes references of keys that the gateway has too", () => {
    const text = `llm_providers:
  # api_key: $A
  - model: openai/gpt-4o
    access_key: [hunter2, $A, other]`;
    expect(importConfiguration("plano", text, "file.yaml").text).toMatch(
      /# api_key: \$A\n[^]*\$ACCESS_KEY\b[^_][^]*\$A\b[^]*\$ACCESS_KEY_2/,
    );
  });

  it("reports a file of which nothing can be imported", () => {
    const text = "model_list: [{model_name: a, litellm_params: {model: sagemaker/a}}]";
    expect(importConfiguration("litellm", text, "file.yaml").problems).not.toEqual([]);
  });
});
