// The text of the demonstration model: the same response to the same request. Pure.
import { z } from "zod";

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const content = z
  .union([z.string(), z.array(z.union([textPart, z.looseObject({ type: z.string() })])), z.null()])
  .optional();

/** A chat completion request as far as this model reads it; everything else in it is welcome and ignored. */
export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        function: z
          .looseObject({ name: z.string(), parameters: z.looseObject({}).optional() })
          .optional(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.string(),
      z.looseObject({ function: z.looseObject({ name: z.string() }).optional() }),
    ])
    .nullish(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export type Completion = { usage: Usage } & (
  | { kind: "text"; /** joined they are the text */ pieces: string[]; isCut: boolean }
  | { kind: "tool"; name: string; /** JSON */ arguments: string }
);

const MAX_ECHO = 200;

/** Returns the completion of a request. */
export function complete(request: ChatRequest): Completion {
  const promptTokens = request.messages.reduce(
    (sum, { content }) => sum + tokens(text(content)),
    0,
  );
  const tool = chosenTool(request);
  if (tool !== undefined) {
    const json = JSON.stringify(sampleOf(tool.parameters ?? {}, 0) ?? {});
    const usage = usageOf(promptTokens, tokens(json));
    return { kind: "tool", name: tool.name, arguments: json, usage };
  }
  const pieces = words(sentence(request));
  const limit = request.max_completion_tokens ?? request.max_tokens ?? pieces.length;
  const kept = pieces.slice(0, limit);
  const isCut = kept.length < pieces.length;
  return { kind: "text", pieces: kept, isCut, usage: usageOf(promptTokens, kept.length) };
}

function sentence(request: ChatRequest): string {
  const last = request.messages.at(-1);
  const what =
    "This is the gateway's built-in demonstration: there is no language model behind it.";
  if (last?.role === "tool") return `${what} The tool returned: ${shorten(text(last.content))}`;
  const question = request.messages.findLast(({ role }) => role === "user");
  return `${what} It was asked: ${shorten(text(question?.content))}`;
}

/** The function to call: the one that `tool_choice` names, the first if one is required, else one that the prompt names. */
function chosenTool(request: ChatRequest): { name: string; parameters?: object } | undefined {
  const functions = (request.tools ?? []).flatMap((tool) => tool.function ?? []);
  const choice = request.tool_choice ?? "auto";
  if (choice === "none" || request.messages.at(-1)?.role === "tool") return undefined;
  if (choice === "required") return functions[0];
  if (typeof choice === "object") {
    return functions.find(({ name }) => name === choice.function?.name);
  }
  const prompt = text(request.messages.findLast(({ role }) => role === "user")?.content);
  return functions.find(({ name }) => name !== "" && prompt.includes(name));
}

interface Schema {
  type?: unknown;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
}

const MAX_SCHEMA_DEPTH = 8;

/** The smallest value that a JSON schema of a tool's parameters takes: required members only, as far as it is simple. */
function sampleOf(schema: Schema, depth: number): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return "demonstration";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "null":
      return null;
    default: {
      const required =
        Array.isArray(schema.required) && depth < MAX_SCHEMA_DEPTH ? schema.required : [];
      return Object.fromEntries(
        required.map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, depth + 1)]),
      );
    }
  }
}

function text(content: ChatRequest["messages"][number]["content"]): string {
  if (typeof content === "string") return content;
  const parts = content ?? [];
  return parts.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join(" ");
}

function shorten(echo: string): string {
  const characters = Array.from(echo);
  if (characters.length <= MAX_ECHO) return echo;
  return `${characters.slice(0, MAX_ECHO).join("")}…`;
}

/** Words with the blanks after them: joined they are the text again. */
function words(sentence: string): string[] {
  return sentence.match(/\S+\s*|\s+/g) ?? [];
}

function tokens(text: string): number {
  return words(text).length;
}

function usageOf(prompt: number, completion: number): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}
