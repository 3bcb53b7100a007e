// docs/configuration.md: one part for each section of the schema, one heading for each key.
import { NOT_SUPPORTED_YET } from "../../control-plane/config/diagnostics/not-supported-yet.ts";
import type { JsonSchema } from "../../control-plane/config/json-schema.ts";
import { SECTIONS } from "../../control-plane/config/schema.ts";
import { plainJsonSchema } from "./editor-schema.ts";
import { code, table } from "./markdown.ts";
import {
  BASE_URLS,
  EXAMPLE,
  HEADERS,
  INTRODUCTION,
  LIMITS,
  LISTENER_FORMS,
  NAMES,
  PROMPT_TARGETS,
  PROVIDERS_TEXT,
  REFERENCES,
  WITHOUT_A_FILE,
} from "./reference-page-text.ts";

/** What a section's part of the page has besides its keys. */
const TEXT: Readonly<Record<string, { before?: string; after?: () => readonly string[] }>> = {
  listeners: { before: LISTENER_FORMS },
  llm_providers: {
    after: () => [HEADERS, BASE_URLS, PROVIDERS_TEXT, LIMITS],
  },
  model_aliases: { after: () => [NAMES] },
  prompt_targets: { before: PROMPT_TARGETS },
};

/** Returns Markdown; the caller formats it. */
export function referencePage(): string {
  const schema = plainJsonSchema();
  const sections = SECTIONS.flatMap(({ key }): [string, JsonSchema][] => {
    const found = schema.properties?.[key];
    // `model_providers` has the keys of `llm_providers`.
    return found === undefined || !isSupported(found) || key === "model_providers"
      ? []
      : [[key, found]];
  });
  return [
    INTRODUCTION,
    WITHOUT_A_FILE,
    EXAMPLE,
    "## Keys at the top level",
    table(
      ["Key", "Meaning"],
      sections.map(([key, { description = "" }]) => [
        `[${code(key)}](#${key})`,
        firstSentence(description),
      ]),
    ),
    ...sections.flatMap(([key, section]) => sectionPart(key, section)),
    REFERENCES,
    "## Not supported yet",
    "These keys are known and checked. A configuration that sets one is rejected: no key is accepted and then ignored.",
    notSupportedList(),
  ].join("\n\n");
}

function sectionPart(key: string, schema: JsonSchema): string[] {
  const { before, after } = TEXT[key] ?? {};
  return [
    `## ${code(key)}`,
    facts(schema),
    meaning(schema),
    ...(before === undefined ? [] : [before]),
    ...keys(key, schema, false),
    ...(after?.() ?? []),
  ];
}

/** Returns a heading with type, default and meaning for each key below `path`. */
function keys(path: string, schema: JsonSchema, isListed = true): string[] {
  const { items, properties, additionalProperties, anyOf, required = [] } = schema;
  // Of a value with several forms the first one: the list form of `listeners` has the same keys.
  const [form] = anyOf ?? [];
  if (form?.type === "object") return keys(path, form, isListed);
  const [item] = items?.anyOf ?? [items];
  if (item?.type === "object") return keys(`${path}[]`, item, isListed);
  if (typeof additionalProperties === "object" && additionalProperties.type === "object") {
    return keys(`${path}.<name>`, additionalProperties, isListed);
  }
  return Object.entries(properties ?? {}).flatMap(([name, child]) => {
    if (!isSupported(child)) return [];
    const at = `${path}.${name}`;
    return [
      `### ${code(at)}`,
      facts(child, required.includes(name)),
      meaning(child),
      ...keys(at, child),
    ];
  });
}

/** A mapping without a supported key is not supported either. */
function isSupported({ deprecationMessage, properties }: JsonSchema): boolean {
  if (deprecationMessage !== undefined) return false;
  return properties === undefined || Object.values(properties).some(isSupported);
}

/** `whole number from 1 to 65535 · required`. */
function facts(schema: JsonSchema, isRequired = false): string {
  const words = [typeName(schema)];
  if (isRequired) words.push("required");
  if (schema.default !== undefined) words.push(`default ${code(String(schema.default))}`);
  return `_${words.join(" · ")}_`;
}

function meaning({ description = "", examples = [] }: JsonSchema): string {
  const linked = description.replaceAll(/docs\/([\w-]+)\.md/g, "[$1]($1.md)");
  if (examples.length === 0) return linked;
  const shown = examples.map((example) => code(String(example)));
  return `${linked} ${shown.length === 1 ? "Example" : "Examples"}: ${shown.join(", ")}.`;
}

function typeName({ anyOf, ...schema }: JsonSchema): string {
  if (anyOf !== undefined) {
    const types = anyOf.map(({ type }) => type);
    if (!types.includes("array")) return "size";
    return types.includes("object") ? "mapping or list" : "text or list";
  }
  if (schema.enum !== undefined) return schema.enum.map((word) => code(String(word))).join(" or ");
  if (schema.pattern?.includes("ms|s") === true) return "duration";
  if (Array.isArray(schema.type)) return "text, number or boolean";
  if (schema.type === "array") return "list";
  if (schema.type === "object") return "mapping";
  if (schema.type === "string") return "text";
  if (schema.type === "boolean") return "`true` or `false`";
  const { minimum, maximum } = schema;
  const range =
    minimum === undefined || maximum === undefined ? "" : ` from ${minimum} to ${maximum}`;
  return `${schema.type === "integer" ? "whole number" : "number"}${range}`;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}

function notSupportedList(): string {
  return NOT_SUPPORTED_YET.filter(({ path }) => path[0] !== "model_providers")
    .map(({ path, what, isPartial }) => {
      const key = path
        .join(".")
        .replaceAll(/(providers|targets)\.\*/g, "$1[]")
        .replaceAll("*", "<name>");
      return `- ${code(key)}${isPartial === true ? " (some values)" : ""}: ${what}`;
    })
    .join("\n");
}
