// Which keys the schema knows where: for "did you mean" and "belongs under".
import type { z } from "zod";
import type { Path } from "./diagnostics/problem.ts";
import { configurationSchema } from "./schema.ts";

type Schema = z.core.$ZodTypes;

const TOP = configurationSchema as unknown as Schema;

/** Keys of the mapping at `path`; empty where the user chooses the names, or where there is no mapping. */
export function keysAt(path: Path): string[] {
  let schemas: Schema[] = [TOP];
  for (const part of path) schemas = schemas.flatMap((schema) => below(schema, part));
  return [...new Set(schemas.flatMap(keysOf))];
}

/** The mappings that know `key`, the shallow ones first: `""` is the top, `listeners.<name>` one below. */
export function homesOf(key: string): string[] {
  const homes: string[] = [];
  let level: { place: string; schema: Schema }[] = [{ place: "", schema: TOP }];
  // The schema is a tree, nine levels deep today.
  while (level.length > 0) {
    for (const { place, schema } of level) {
      if (schema._zod.def.type === "object" && keysOf(schema).includes(key)) homes.push(place);
    }
    level = level.flatMap(children);
  }
  return [...new Set(homes)];
}

function children({ place, schema }: { place: string; schema: Schema }): {
  place: string;
  schema: Schema;
}[] {
  const { def } = schema._zod;
  switch (def.type) {
    case "optional":
      return [{ place, schema: def.innerType as Schema }];
    case "union":
      return def.options.map((option) => ({ place, schema: option as Schema }));
    case "array":
      return [{ place: `${place}[]`, schema: def.element as Schema }];
    case "record":
      return [{ place: `${place}.<name>`, schema: def.valueType as Schema }];
    case "object":
      return Object.entries(def.shape).map(([key, child]) => ({
        place: place === "" ? key : `${place}.${key}`,
        schema: child as Schema,
      }));
    default:
      return [];
  }
}

function keysOf(schema: Schema): string[] {
  const { def } = schema._zod;
  if (def.type === "optional") return keysOf(def.innerType as Schema);
  if (def.type === "union") return def.options.flatMap((option) => keysOf(option as Schema));
  return def.type === "object" ? Object.keys(def.shape) : [];
}

function below(schema: Schema, part: string | number): Schema[] {
  const { def } = schema._zod;
  switch (def.type) {
    case "optional":
      return below(def.innerType as Schema, part);
    case "union":
      return def.options.flatMap((option) => below(option as Schema, part));
    case "array":
      return typeof part === "number" ? [def.element as Schema] : [];
    case "record":
      return typeof part === "string" ? [def.valueType as Schema] : [];
    case "object":
      // Own keys only: a file may well say `constructor`.
      return Object.hasOwn(def.shape, part) ? [def.shape[part] as Schema] : [];
    default:
      return [];
  }
}
