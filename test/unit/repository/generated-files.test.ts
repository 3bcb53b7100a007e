// The generated files are current, and the JSON Schema agrees with the loader.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { editorJsonSchema, plainJsonSchema } from "../../../scripts/docs/editor-schema.ts";
import type { JsonSchema } from "../../../control-plane/config/json-schema.ts";
import { NOT_SUPPORTED_YET } from "../../../control-plane/config/diagnostics/not-supported-yet.ts";
import { providersPage } from "../../../scripts/docs/providers-page.ts";
import { referencePage } from "../../../scripts/docs/reference-page.ts";
import { PROVIDERS } from "../../../control-plane/providers/registry.ts";
import { staleFiles } from "../../../scripts/generate.ts";

const repository = `${import.meta.dirname}/../../..`;
const goldens = `${repository}/test/config`;

function goldenCases(isProblem: boolean): string[] {
  return readdirSync(goldens, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("problem-") === isProblem)
    .map((entry) => entry.name);
}

describe("generated files", () => {
  it("generated files match the schema (if not: node scripts/generate.ts)", async () => {
    expect((await staleFiles()).map(({ file }) => file)).toEqual([]);
  });

  it("generated files explain every key", () => {
    const bare: string[] = [];
    const walk = (schema: JsonSchema, path: string): void => {
      for (const [key, child] of Object.entries(schema.properties ?? {})) {
        if ((child.description ?? "") === "") bare.push(`${path}.${key}`);
        walk(child, `${path}.${key}`);
      }
      if (schema.items !== undefined) walk(schema.items, `${path}[]`);
      if (typeof schema.additionalProperties === "object")
        walk(schema.additionalProperties, `${path}.*`);
      for (const branch of schema.anyOf ?? []) walk(branch, path);
    };
    walk(plainJsonSchema(), "");
    expect(bare).toEqual([]);
  });

  it("name every provider and every key that is not supported yet", () => {
    const providers = providersPage();
    for (const { name } of PROVIDERS) expect(providers).toContain(`\`${name}\``);
    const page = referencePage();
    for (const { path } of NOT_SUPPORTED_YET) expect(page).toContain(path.at(-1));
  });
});

describe("the JSON Schema", () => {
  const schema = z.fromJSONSchema(editorJsonSchema() as z.core.JSONSchema.BaseSchema);

  it.each(goldenCases(false))("the JSON Schema accepts %s", (name) => {
    const text = readFileSync(`${goldens}/${name}/config.yaml`, "utf8");
    const result = schema.safeParse(parseYaml(text, { merge: true }));
    expect(result.error?.issues ?? []).toEqual([]);
  });

  it.each(["problem-unknown-keys", "problem-wrong-types", "problem-listeners"])(
    "the JSON Schema refuses %s",
    (name) => {
      const text = readFileSync(`${goldens}/${name}/config.yaml`, "utf8");
      expect(schema.safeParse(parseYaml(text)).success).toBe(false);
    },
  );
});
