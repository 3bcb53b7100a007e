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

  it("reports a file of which nothing can be imported", () => {
    const text = "model_list: [{model_name: a, litellm_params: {model: sagemaker/a}}]";
    expect(importConfiguration("litellm", text, "file.yaml").problems).not.toEqual([]);
  });
});
