// The JSON Schema of gateway.yaml, for completion and checks in editors: made from the zod schema.
import { z } from "zod";
import { NOT_SUPPORTED_YET } from "../diagnostics/not-supported-yet.ts";
import { configurationSchema } from "../schema.ts";

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
  /** Read by the YAML language server: marks the key and says this. */
  deprecationMessage?: string;
}

const REFERENCE: JsonSchema = {
  type: "string",
  pattern: "\\$",
  description: "A reference to an environment variable: `$NAME` or `${NAME}`.",
};

/** As the loader checks it: types, keys, defaults and meanings, with what is not supported yet marked. */
export function plainJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configurationSchema, { target: "draft-7" }) as JsonSchema;
  for (const row of NOT_SUPPORTED_YET) {
    if (row.isPartial === true) continue;
    for (const place of placesOf(schema, row.path)) {
      place.deprecationMessage = `Not supported yet: ${row.what}.`;
    }
  }
  return schema;
}

/** For editors: besides its type, every value can be a reference. */
export function editorJsonSchema(): JsonSchema {
  return withReferences(plainJsonSchema());
}

/** The schemas of a path in which `*` is any key or index. */
function placesOf(schema: JsonSchema, path: readonly string[]): JsonSchema[] {
  const [part, ...rest] = path;
  if (part === undefined) return [schema];
  const branches = [schema, ...(schema.anyOf ?? [])];
  return branches.flatMap((branch) => {
    const additional =
      typeof branch.additionalProperties === "object" ? [branch.additionalProperties] : [];
    const child =
      part === "*"
        ? [...(branch.items === undefined ? [] : [branch.items]), ...additional]
        : [branch.properties?.[part]].filter((found) => found !== undefined);
    return child.flatMap((found) => placesOf(found, rest));
  });
}

function withReferences(schema: JsonSchema): JsonSchema {
  const { items, properties, additionalProperties, anyOf, ...own } = schema;
  const walked: JsonSchema = { ...own };
  if (properties !== undefined) {
    walked.properties = Object.fromEntries(
      Object.entries(properties).map(([key, child]) => [key, withReferences(child)]),
    );
  }
  if (items !== undefined) walked.items = withReferences(items);
  if (additionalProperties !== undefined) {
    walked.additionalProperties =
      typeof additionalProperties === "object"
        ? withReferences(additionalProperties)
        : additionalProperties;
  }
  if (anyOf !== undefined) {
    walked.anyOf = anyOf.map((branch) => (isRestricted(branch) ? branch : withReferences(branch)));
    if (anyOf.some(isRestricted)) walked.anyOf.push(REFERENCE);
    return walked;
  }
  if (!isRestricted(schema)) return walked;
  const { description, deprecationMessage, default: otherwise, ...restriction } = walked;
  return {
    ...(description === undefined ? {} : { description }),
    ...(deprecationMessage === undefined ? {} : { deprecationMessage }),
    ...(otherwise === undefined ? {} : { default: otherwise }),
    anyOf: [restriction, REFERENCE],
  };
}

/** Whether a reference, which is a text, would not fit. */
function isRestricted(schema: JsonSchema): boolean {
  if (typeof schema.type !== "string") return false;
  if (["integer", "number", "boolean"].includes(schema.type)) return true;
  return schema.type === "string" && (schema.pattern !== undefined || schema.enum !== undefined);
}
