// The configuration's schema as JSON Schema, and the one walk over it: keys at a path, places of a key.
import { z } from "zod";
import { configurationSchema } from "./schema.ts";

/** The part of JSON Schema that the configuration uses. */
export interface JsonSchema {
  $schema?: string;
  title?: string;
  description?: string;
  /** Several for a value that can be a text, a number or a boolean. */
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: (string | number)[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  default?: string | number | boolean;
  examples?: (string | number)[];
  /** Shown by the YAML language server at the key. */
  deprecationMessage?: string;
}

let whole: JsonSchema | undefined;

/** Returns the schema of the whole file. It is made once; callers must not change it. */
export function jsonSchema(): JsonSchema {
  whole ??= z.toJSONSchema(configurationSchema, { target: "draft-7" }) as JsonSchema;
  return whole;
}

/** Returns the schemas of what stands under a key, an index, or (`*`) any of them; several where a value has several forms. */
export function below(schema: JsonSchema, part: string | number): JsonSchema[] {
  const isAny = part === "*";
  return formsOf(schema).flatMap(({ items, properties, additionalProperties }) => {
    const found: JsonSchema[] = [];
    if (items !== undefined && (isAny || typeof part === "number")) found.push(items);
    // Own keys only: a file may contain `constructor`.
    if (typeof part === "string" && properties !== undefined && Object.hasOwn(properties, part)) {
      found.push(properties[part] ?? {});
    }
    if (typeof part === "string" && typeof additionalProperties === "object") {
      found.push(additionalProperties);
    }
    return found;
  });
}

/** Returns the keys of the mapping at `path`; empty if users choose the names or there is no mapping. */
export function keysAt(path: readonly (string | number)[]): string[] {
  let schemas = [jsonSchema()];
  for (const part of path) schemas = schemas.flatMap((schema) => below(schema, part));
  return [
    ...new Set(schemas.flatMap(formsOf).flatMap((form) => Object.keys(form.properties ?? {}))),
  ];
}

/** Returns the mappings that have `key`, the outer ones first: `""` is the top level, `listeners.<name>` one below. */
export function homesOf(key: string): string[] {
  const homes = new Set<string>();
  let level = [{ place: "", schema: jsonSchema() }];
  while (level.length > 0) {
    const forms = level.flatMap(({ place, schema }) =>
      formsOf(schema).map((form) => ({ place, form })),
    );
    for (const { place, form } of forms) if (key in (form.properties ?? {})) homes.add(place);
    level = forms.flatMap(({ place, form: { items, properties, additionalProperties } }) => [
      ...(items === undefined ? [] : [{ place: `${place}[]`, schema: items }]),
      ...(typeof additionalProperties === "object"
        ? [{ place: `${place}.<name>`, schema: additionalProperties }]
        : []),
      ...Object.entries(properties ?? {}).map(([name, schema]) => ({
        place: place === "" ? name : `${place}.${name}`,
        schema,
      })),
    ]);
  }
  return [...homes];
}

function formsOf(schema: JsonSchema): JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(formsOf)];
}
