// The JSON Schema of gateway.yaml, for completion and checks in editors: made from the zod schema.
import { NOT_SUPPORTED_YET } from "../../control-plane/config/diagnostics/not-supported-yet.ts";
import { below, jsonSchema, type JsonSchema } from "../../control-plane/config/json-schema.ts";

const REFERENCE: JsonSchema = {
  type: "string",
  pattern: "\\$",
  description: "A reference to an environment variable: `$NAME` or `${NAME}`.",
};

/** As the loader checks it: types, keys, defaults and meanings, with what is not supported yet marked. */
export function plainJsonSchema(): JsonSchema {
  const schema = structuredClone(jsonSchema());
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
  let places = [schema];
  for (const part of path) places = places.flatMap((place) => below(place, part));
  return places;
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
