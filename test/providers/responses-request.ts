// Reads a request to the Responses API as strictly as the real one: its shape here, with the API's own words for what is wrong;
// what concerns several members or items is in responses-rules.ts.
import type { z } from "zod";
import { refuse } from "./openai-request.ts";
import type { Refusal } from "./openai-request.ts";
import { BODIES, ITEMS, USER_MESSAGE } from "./responses-schema.ts";

/** A tool whose shape has been checked. */
export interface ResponsesTool {
  type: string;
  name?: string;
  parameters?: object | null;
  strict?: boolean | null;
  tools?: ResponsesTool[];
}
export type Part = Record<string, unknown> & { type: string; text?: string };
/** An item whose shape has been checked. */
export interface Item {
  type: string;
  id?: string | null;
  role?: string;
  content?: string | Part[];
  call_id?: string;
  output?: string | Part[];
  tools?: ResponsesTool[];
  encrypted_content?: string | null;
}
export type ResponsesRequest = Omit<z.infer<typeof BODIES.create>, "input" | "tools"> & {
  input: Item[];
  tools?: ResponsesTool[] | null;
};

/** Returns the request with its input as typed items, or why its shape is refused. */
export function readResponsesRequest(
  json: unknown,
  kind: keyof typeof BODIES,
): ResponsesRequest | Refusal {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return refuse("We could not parse the JSON body of your request.", null);
  const parsed = BODIES[kind].safeParse(json);
  if (!parsed.success) return shapeRefusal(parsed.error, json, []);
  const { input } = parsed.data;
  if (typeof input === "string" || input == null) {
    const content = input ?? "";
    const items = input == null ? [] : [{ type: "message", role: "user", content }];
    return { ...parsed.data, input: items };
  }
  const items: Item[] = [];
  for (const [index, item] of input.entries()) {
    const type = item.type ?? ("role" in item ? "message" : "item_reference");
    const isUser = type === "message" && item["role"] !== "assistant";
    const schema = isUser ? USER_MESSAGE : ITEMS[type];
    if (schema === undefined)
      return refuse(
        `Invalid value: '${type}'. Supported values are: ${quoted(Object.keys(ITEMS))}.`,
        `input[${index}]`,
        "invalid_value",
      );
    const checked = schema.safeParse(item);
    if (!checked.success) return shapeRefusal(checked.error, json, ["input", index]);
    items.push({ ...(item as object), type });
  }
  return { ...parsed.data, input: items };
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Of a union that nothing fits, the alternative that came farthest. */
function farthest(issue: Issue): { issue: Issue; path: Path } {
  let best: { issue: Issue; path: Path } = { issue, path: issue.path };
  if (issue.code !== "invalid_union") return best;
  for (const [first] of issue.errors) {
    if (first === undefined) continue;
    const inner = farthest(first);
    const path = [...issue.path, ...inner.path];
    if (path.length > best.path.length || best.issue === issue) best = { ...inner, path };
  }
  return best;
}

function shapeRefusal(error: z.ZodError, json: object, before: Path): Refusal {
  const [first] = error.issues;
  if (first === undefined) return refuse("Invalid request.", null);
  const { issue, path } = farthest(first);
  return issueRefusal(issue, [...before, ...path], json);
}

function written(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

function issueRefusal(issue: Issue, path: Path, json: object): Refusal {
  const value = path.reduce<unknown>(
    (inside, key) => (inside as Record<PropertyKey, unknown> | undefined)?.[key],
    json,
  );
  const param = written(path);
  const invalid = (text: string, code: string): Refusal =>
    refuse(`Invalid '${param}': ${text}`, param, code);
  switch (issue.code) {
    case "unrecognized_keys": {
      const unknown = written([...path, issue.keys[0] ?? ""]);
      return refuse(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter");
    }
    case "invalid_value":
      if (value === undefined) return missing(param);
      return unsupported(value, issue.values.map(String), path);
    case "invalid_union":
      if (value === undefined) return missing(param);
      return unsupported(value, optionsOf(issue), path);
    case "invalid_format":
      return invalid("string does not match the expected pattern.", "invalid_value");
    case "too_big":
      if (issue.origin === "string")
        return invalid(
          `string too long. Expected a string with maximum length ${issue.maximum}, but got a string with length ${String(value).length} instead.`,
          "string_above_max_length",
        );
      return invalid(
        `${issue.origin} above maximum value. Expected a value <= ${issue.maximum}, but got ${String(value)} instead.`,
        "integer_above_max_value",
      );
    case "too_small":
      if (issue.origin === "string") return invalid("empty string.", "empty_string");
      return invalid(
        `integer below minimum value. Expected a value >= ${issue.minimum}, but got ${String(value)} instead.`,
        "integer_below_min_value",
      );
    default:
      if (value === undefined) return missing(param);
      return refuse(`Invalid type for '${param}': ${issue.message}`, param, "invalid_type");
  }
}

/** zod names them, but not in its types. */
function optionsOf(issue: object): string[] {
  const { options } = issue as { options?: unknown[] };
  return (options ?? []).map(String);
}

function missing(param: string): Refusal {
  return refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
}

/** The API names the object, if it is the object's type that it does not know. */
function unsupported(value: unknown, supported: string[], path: Path): Refusal {
  const param = written(path.at(-1) === "type" ? path.slice(0, -1) : path);
  return refuse(
    `Invalid value: '${String(value)}'. Supported values are: ${quoted(supported)}.`,
    param,
    "invalid_value",
  );
}

function quoted(words: string[]): string {
  const all = words.map((word) => `'${word}'`);
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
}
