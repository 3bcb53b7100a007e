// A target and its parameters in the words that the extractor was trained on (scripts/extractor/model.py).

export interface Described {
  name: string;
  description: string;
}
export interface DescribedParameter extends Described {
  type: string;
  enum?: readonly (string | number)[] | undefined;
  format?: string | undefined;
}

/** Options of an enum that are shown. */
const MAX_OPTIONS = 8;

export function targetText({ name, description }: Described): string {
  return description === "" ? spaced(name) : `${spaced(name)}: ${description}`;
}

export function parameterText(parameter: DescribedParameter): string {
  const text = targetText(parameter);
  const kind = kindText(parameter);
  return kind === undefined ? text : `${text} (${kind})`;
}

const TYPES: Readonly<Record<string, string>> = {
  int: "number",
  integer: "number",
  float: "number",
  number: "number",
  bool: "yes or no",
  boolean: "yes or no",
  list: "list",
  array: "list",
};

function kindText({ type, enum: options, format }: DescribedParameter): string | undefined {
  if (options !== undefined && options.length > 0) return options.slice(0, MAX_OPTIONS).join(", ");
  if (format !== undefined && format !== "") {
    if (format.includes("HH")) return "time";
    return format.includes("YY") ? "date" : undefined;
  }
  return TYPES[type.toLowerCase()];
}

/** Returns a configured name as words: `startDate` and `start_date` are both "start date". */
function spaced(name: string): string {
  return name
    .split(/[_\-.\s]+/)
    .filter((piece) => piece !== "")
    .map((piece) => piece.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 "))
    .join(" ")
    .toLowerCase();
}
