// A target's parameter, and the kind of value that it takes, judged by its type, format, name and description.
import { words } from "../similarity.ts";
import type { ParameterDescription } from "../options.ts";

export type ValueType = "string" | "integer" | "number" | "boolean" | "array" | "object";

export interface Parameter {
  name: string;
  description: string;
  required: boolean;
  type: ValueType;
  enum?: readonly (string | number)[] | undefined;
  default?: unknown;
  format?: string | undefined;
}

export type Kind =
  | "enum"
  | "boolean"
  | "number"
  | "email"
  | "url"
  | "date"
  | "time"
  | "currency"
  | "id"
  | "place"
  | "text"
  | "list"
  | "object";

const TYPES: Readonly<Record<string, ValueType>> = {
  str: "string",
  string: "string",
  int: "integer",
  integer: "integer",
  float: "number",
  number: "number",
  bool: "boolean",
  boolean: "boolean",
  list: "array",
  array: "array",
  dict: "object",
  object: "object",
};

/** Returns JSON Schema's name of a configured type; an unknown one takes text. */
export function valueType(type: string): ValueType {
  return TYPES[type.toLowerCase()] ?? "string";
}

export function fromDescription(described: ParameterDescription): Parameter {
  return { ...described, type: valueType(described.type) };
}

const PLACES =
  /\b(?:city|cities|town|place|location|country|region|state|destination|origin|airport|address|where|venue)\b/;
const DATES = /\b(?:date|day of|birthday|deadline|when|check ?in|check ?out|departure|arrival)\b/;
const TIMES = /\btime of (?:the )?day\b|\bHH:MM\b|\b(?:start|end|departure|arrival) time\b/i;
const DATE_TIMES = /\bYYYY\b.{1,8}[ T]HH\b/;
const IDS = /\b(?:ids?|identifier|number|code|sku|serial|reference|ticket|tracking|iban)\b/;

export function kindOf(parameter: Parameter): Kind {
  if (parameter.enum !== undefined && parameter.enum.length > 0) return "enum";
  switch (parameter.type) {
    case "boolean":
      return "boolean";
    case "integer":
    case "number":
      return "number";
    case "array":
      return "list";
    case "object":
      return "object";
    case "string":
      return kindOfText(parameter);
  }
}

function kindOfText({ name, description, format }: Parameter): Kind {
  const called = words(name);
  if (format === "email" || /\be ?mail\b/.test(called)) return "email";
  if (format === "uri" || format === "url" || /\b(?:url|uri|link|website)\b/.test(called)) {
    return "url";
  }
  if (isDateFormat(format) || DATE_TIMES.test(description)) return "date";
  if (isTimeFormat(format) || (format === undefined && TIMES.test(`${called} ${description}`))) {
    return "time";
  }
  if (DATES.test(called) && !PLACES.test(called)) return "date";
  if (/\bcurrency\b/.test(called) || /\bcurrency code\b|\biso 4217\b/i.test(description)) {
    return "currency";
  }
  if (PLACES.test(called)) return "place";
  if (IDS.test(called)) return "id";
  if (/\bcurrency\b/i.test(description)) return "currency";
  if (/\b(?:id|identifier|number)(?: or \w+)? of\b/i.test(description)) return "id";
  if (/\b(?:city|town|place|country|location)\b/i.test(description)) return "place";
  return "text";
}

export function isDateFormat(format: string | undefined): boolean {
  return format !== undefined && /date|y{2,4}|%Y/i.test(format);
}

function isTimeFormat(format: string | undefined): boolean {
  return format !== undefined && /^(?:HH|%H)|^time$/.test(format);
}

/** Returns the words of its name and description, without endings, to compare with words of a prompt. */
export function ownWords({
  name,
  description,
}: {
  name: string;
  description: string;
}): Set<string> {
  const said = `${words(name)} ${withoutExamples(description)}`.match(/\p{L}+/gu) ?? [];
  return new Set(said.map(stem));
}

/** Returns a description without the values that it names only as examples. */
export function withoutExamples(description: string): string {
  return description
    .replace(/\([^)]*\)/g, " ")
    .replace(/[,;]?\s*\b(?:for example|for instance|e\.g\.|such as|like|i\.e\.|eg)\s.*$/i, "")
    .trim();
}

/** Returns a word without the commonest endings: enough to make days and day one. */
export function stem(word: string): string {
  const plain = word.toLowerCase();
  for (const ending of ["ies", "ing", "ed", "es", "s"]) {
    if (plain.length > ending.length + 2 && plain.endsWith(ending)) {
      return plain.slice(0, -ending.length) + (ending === "ies" ? "y" : "");
    }
  }
  return plain;
}
