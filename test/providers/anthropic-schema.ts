// Which JSON schemas Anthropic refuses.
// @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations

/** By type; the message of the API, as quoted in https://github.com/anthropics/anthropic-sdk-python/issues and LiteLLM's filter. */
const REFUSED = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "prefixItems",
  "not",
  "if",
]);

/** Returns the message of the 400 for a schema that is enforced. */
export function strictSchemaRefusal(schema: unknown, path: string): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const members = schema as Record<string, unknown>;
  const type = typeof members["type"] === "string" ? members["type"] : "unknown";
  if ("oneOf" in members) return `${path}: Schema type 'oneOf' is not supported`;
  for (const name of Object.keys(members)) {
    if (REFUSED.has(name) || (name === "minItems" && Number(members[name]) > 1))
      return `${path}: For '${type}' type, property '${name}' is not supported`;
  }
  if (type === "object" && members["additionalProperties"] !== false)
    return `${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
  const groups = ["properties", "$defs", "anyOf", "allOf"].map((name): unknown[] =>
    Object.values((members[name] ?? {}) as Record<string, unknown>),
  );
  const children = [...groups.flat(), members["items"]];
  for (const child of children) {
    const refusal = strictSchemaRefusal(child, path);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Returns the message of the 400 for the schema of a tool. */
export function toolSchemaRefusal(
  { input_schema, strict }: { input_schema: object; strict?: boolean | null | undefined },
  path: string,
): string | undefined {
  if ("oneOf" in input_schema || "anyOf" in input_schema || "allOf" in input_schema)
    return `${path}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  return strict === true ? strictSchemaRefusal(input_schema, `${path}.custom`) : undefined;
}
