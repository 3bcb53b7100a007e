// Checks the arguments of a tool call against the tool's schema. The API gets what passes, so a wrong value ends here, with a
// sentence by which an agent can correct it.
import { addFormats, Ajv } from "@modelcontextprotocol/server/validators/ajv";

/** Returns what is wrong with the arguments; undefined if nothing is. */
export type ArgumentCheck = (values: Readonly<Record<string, unknown>>) => string | undefined;

interface Schema {
  properties: Readonly<Record<string, unknown>>;
  required: readonly string[];
}

/** More are not named in one sentence. */
const MAX_PROBLEMS = 8;
/** A format of a configuration that JSON Schema does not have is for readers. */
const ajv = new Ajv({ allErrors: true, strict: false });
(addFormats as (instance: typeof ajv) => unknown)(ajv);

/** Returns the check of a tool. Throws if its schema is not valid. */
export function argumentCheck(name: string, schema: Schema): ArgumentCheck {
  const validate = ajv.compile<Record<string, unknown>>(schema);
  return (values) => {
    const isValid = validate(values);
    const problems = isValid
      ? inexactNumbers(values)
      : [...new Set((validate.errors ?? []).map((error) => problemOf(error, schema)))];
    if (problems.length === 0) return undefined;
    const more = problems.length - MAX_PROBLEMS;
    const listed = [
      ...problems.slice(0, MAX_PROBLEMS),
      ...(more > 0 ? [`and ${String(more)} more problems`] : []),
    ];
    return `The arguments of '${name}' are not valid, so nothing was called: ${listed.join("; ")}.`;
  };
}

/** Whole numbers above 2^53 are other numbers once they are read: an id would name another object. */
function inexactNumbers(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    hasInexactNumber(value)
      ? [
          `'${name}' has a whole number above ${String(Number.MAX_SAFE_INTEGER)}, which JSON readers change`,
        ]
      : [],
  );
}

function hasInexactNumber(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasInexactNumber);
}

/** The members of an error of Ajv that are read. */
interface SchemaError {
  keyword: string;
  instancePath: string;
  params: Readonly<Record<string, unknown>>;
  message?: string | undefined;
}

function problemOf(
  { keyword, instancePath, params, message }: SchemaError,
  schema: Schema,
): string {
  const path = instancePath.slice(1).replaceAll("/", ".");
  const subject = path === "" ? "the object" : `'${path}'`;
  switch (keyword) {
    case "required":
      return `'${joined(path, params["missingProperty"])}' is missing`;
    case "additionalProperties":
      return `'${shown(params["additionalProperty"])}' is not a parameter; the parameters are ${Object.keys(schema.properties).join(", ") || "none"}`;
    case "type":
      return `${subject} must be ${aOrAn(String(params["type"]))}`;
    case "enum":
      return `${subject} must be one of ${list(params["allowedValues"])}`;
    case "format":
      return `${subject} must have the format ${String(params["format"])}`;
    default:
      return `${subject} ${message ?? "is not valid"}`;
  }
}

function aOrAn(type: string): string {
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function joined(path: string, name: unknown): string {
  return path === "" ? String(name) : `${path}.${String(name)}`;
}

/** A client's own text, which can be long. */
function shown(name: unknown): string {
  return String(name).slice(0, 64);
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(", ") : "";
}
