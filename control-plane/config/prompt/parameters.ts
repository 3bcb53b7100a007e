// `prompt_targets[].parameters`: names, and values (`default`, `enum`) that fit the type.
import { z } from "zod";
import { JSON_SCHEMA_TYPES, PARAMETER_TYPES } from "../../../model/prompts.ts";
import type { ParameterType, PromptParameter } from "../../../model/prompts.ts";
import type { Path } from "../../report/problem.ts";
import { readSystemPrompt } from "../provider/system-prompt.ts";
import type { Reading } from "../reading.ts";
import { flag, list, mapping, oneOf, text } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const JSON_TYPES = Object.keys(JSON_SCHEMA_TYPES) as (keyof typeof JSON_SCHEMA_TYPES)[];

export const parameter = mapping(
  {
    name: text("Parameter name: a letter or `_`, then letters, digits, `_`, `-` and `.`."),
    description: text("What the parameter means; also used to ask the user for it."),
    required: flag({
      description: "Whether the parameter is required; the user is asked for a missing value.",
      default: false,
    }).optional(),
    type: oneOf([...PARAMETER_TYPES, ...JSON_TYPES], {
      description: "Type of the value. The last six are the JSON Schema names of the first six.",
      default: "str",
    }).optional(),
    in_path: flag({
      description: "The parameter is substituted into the endpoint's path.",
      default: false,
    }).optional(),
    allow_slashes: flag({
      description:
        "Whether a value in the path may contain `/` and `\\`. They are sent encoded, but some servers decode paths before routing. Empty segments and segments of dots are always rejected.",
      default: false,
    }).optional(),
    default: z
      .union([z.string(), z.number(), z.boolean()], { error: "a text, a number, true or false" })
      .meta({
        description: "Value if the prompt contains none. It must match `type` and `enum`.",
      })
      .optional(),
    enum: list(z.union([z.string(), z.number()]), "The values that are allowed.").optional(),
    format: text({
      description: "Format of the value, used for the extraction.",
      examples: ["YYYY-MM-DD"],
    }).optional(),
  },
  "One parameter to extract from the prompt.",
);

type Entry = Draft<z.output<typeof parameter>>;
type Value = string | number | boolean;

/** What OpenAI and Anthropic take as the name of a tool's parameter. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

export function readParameters(
  reading: Reading,
  path: Path,
  entries: readonly (Entry | undefined)[],
): PromptParameter[] {
  return entries.flatMap((entry, index) => {
    const parameter = entry && readParameter(reading, [...path, index], entry);
    return parameter === undefined ? [] : [parameter];
  });
}

function readParameter(reading: Reading, path: Path, entry: Entry): PromptParameter | undefined {
  const { name, required = false, in_path: inPath = false } = entry;
  const type = typeOf(entry.type);
  const at = [...path, "name"];
  if (name !== undefined && !NAME.test(name)) {
    reading.problem(at, `${reading.show(at, name)} cannot be the name of a parameter`, {
      hint: "a letter or _, then up to 63 letters, digits, _ . and -",
    });
    return undefined;
  }
  const description = readSystemPrompt(reading, [...path, "description"], entry.description);
  const allowed = readEnum(reading, path, entry, type);
  const fallback = readDefault(reading, path, entry, type, allowed);
  const format = readSystemPrompt(reading, [...path, "format"], entry.format);
  if (name === undefined) return undefined;
  return {
    name,
    description: description ?? name,
    required,
    type,
    inPath,
    ...(entry.allow_slashes === true ? { allowsSlashes: true } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...(format === undefined ? {} : { format }),
  };
}

function typeOf(written: Entry["type"]): ParameterType {
  if (written === undefined) return "str";
  return isJsonType(written) ? JSON_SCHEMA_TYPES[written] : written;
}

function isJsonType(type: string): type is keyof typeof JSON_SCHEMA_TYPES {
  return Object.hasOwn(JSON_SCHEMA_TYPES, type);
}

function readEnum(
  reading: Reading,
  path: Path,
  entry: Entry,
  type: ParameterType,
): (string | number)[] | undefined {
  const values = entry.enum;
  if (values === undefined) return undefined;
  const at = [...path, "enum"];
  if (values.length === 0) {
    reading.problem(at, "enum is empty: no value would be allowed", { hint: "leave it out" });
  } else if (type !== "str" && type !== "int" && type !== "float") {
    reading.problem(at, `a parameter of type ${type} has no enum; expected str, int or float`);
    return undefined;
  }
  const kept: (string | number)[] = [];
  values.forEach((value, index) => {
    if (value === undefined) return;
    const here = [...at, index];
    if (!fits(value, type)) reportSchemaIssue(reading, here, value, type);
    else if (kept.includes(value)) reading.problem(here, "this value is in the enum twice");
    else kept.push(value);
  });
  return kept.length === 0 ? undefined : kept;
}

function readDefault(
  reading: Reading,
  path: Path,
  entry: Entry,
  type: ParameterType,
  allowed: readonly Value[] | undefined,
): Value | undefined {
  const value = entry.default;
  if (value === undefined) return undefined;
  const at = [...path, "default"];
  if (!fits(value, type)) {
    reportSchemaIssue(reading, at, value, type);
    return undefined;
  }
  if (allowed !== undefined && !allowed.includes(value)) {
    reading.problem(at, `the default ${reading.show(at, value)} is not in enum`);
  }
  return value;
}

function fits(value: Value, type: ParameterType): boolean {
  if (type === "str") return typeof value === "string" && isPlain(value);
  if (type === "int") return Number.isSafeInteger(value);
  if (type === "float") return typeof value === "number" && Number.isFinite(value);
  return type === "bool" && typeof value === "boolean";
}

function isPlain(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
}

function reportSchemaIssue(reading: Reading, path: Path, value: Value, type: ParameterType): void {
  const shown = reading.show(path, value);
  const hint =
    type === "str" && typeof value !== "string"
      ? `put it in quotes: "${String(value)}"`
      : undefined;
  reading.problem(path, `expected a value of type ${type}, not ${shown}`, { hint });
}
