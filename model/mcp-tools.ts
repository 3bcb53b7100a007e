// The prompt targets as tools of the Model Context Protocol: a schema of their arguments, and what a call does. Pure.
import { JSON_TYPES } from "./filter-document/document-prompt.ts";
import type { Prompt, PromptParameter, PromptTarget } from "./prompts.ts";

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, JsonSchema>;
    required: string[];
    additionalProperties: false;
  };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
}

type Json = string | number | boolean | null | Json[] | { [member: string]: Json };
type JsonSchema = Record<string, Json>;

export function mcpTools(targets: readonly PromptTarget[]): McpTool[] {
  return targets.map((target) => {
    const { name, description, parameters, method } = target;
    const conversation = hasConversation(target);
    const isRead = method === "GET";
    return {
      name,
      description,
      inputSchema: {
        type: "object",
        properties: {
          ...Object.fromEntries(parameters.map((one) => [one.name, propertyOf(one)])),
          ...(conversation ? { messages: MESSAGES } : {}),
        },
        // The gateway fills in a default.
        required: [
          ...parameters.filter((one) => one.required && one.default === undefined).map(nameOf),
          ...(conversation ? ["messages"] : []),
        ],
        additionalProperties: false,
      },
      // Nothing is known of a POST: it may change or delete something, and a second call may do so again.
      annotations: { readOnlyHint: isRead, destructiveHint: !isRead, idempotentHint: isRead },
    };
  });
}

/** Returns the headers by which limits of targets distinguish clients, so that a tool call needs them. */
export function limitHeaders({ rateLimits = [] }: Prompt): string[] {
  return [
    ...new Set(
      rateLimits.flatMap(({ selector }) => (typeof selector === "object" ? selector.header : [])),
    ),
  ].sort();
}

/** Whether a call sends messages, as a prompt for the default target does. */
function hasConversation({ isDefault, method }: PromptTarget): boolean {
  return isDefault && method === "POST";
}

const MESSAGES: JsonSchema = {
  type: "array",
  description: "The conversation, as messages of chat completions; the last one is the user's.",
  minItems: 1,
  items: {
    type: "object",
    properties: { role: { type: "string", enum: ["user", "assistant"] }, content: {} },
    required: ["role", "content"],
  },
};

function nameOf({ name }: PromptParameter): string {
  return name;
}

function propertyOf(parameter: PromptParameter): JsonSchema {
  const { type, description, enum: allowed, default: fallback } = parameter;
  const { note, ...format } = formatOf(parameter);
  return {
    type: JSON_TYPES[type],
    description: note === undefined ? description : `${description} (${note})`,
    ...(type === "list" ? { items: {} } : {}),
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...format,
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** The formats of JSON Schema that clients and servers check. */
const FORMATS =
  /^(?:date|time|date-time|duration|email|hostname|ipv4|ipv6|uri|uri-reference|uuid|regex|json-pointer)$/;
/** The parts of a written format such as `HH:MM`: as many digits as letters. */
const PARTS = /Y{4}|YY|MM|DD|HH|SS/gi;

/** Returns a configured format as JSON Schema, with a note for readers if JSON Schema has no such format. */
function formatOf({ type, format }: PromptParameter): Record<string, string> {
  if (format === undefined || type !== "str") return {};
  if (FORMATS.test(format)) return { format };
  if (/^(?:YYYY-MM-DD|%Y-%m-%d)$/i.test(format)) return { format: "date" };
  const note = `format: ${format}`;
  // Anything besides parts and what separates them is a name whose form is not known.
  const rest = format.replaceAll(PARTS, "");
  if (rest === format || !/^[-:./, ]*$/.test(rest)) return { note };
  const pattern = format
    .replaceAll(/[./]/g, "\\$&")
    .replaceAll(PARTS, (part) => `\\d{${String(part.length)}}`);
  return { pattern: `^${pattern}$`, note };
}
