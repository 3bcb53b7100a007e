// Strict fakes of providers of open models: what each rejects in the history of a tool loop, and in which member it reasons.
//
// A request with tools and without their results is answered by a call, any other one by a text, both with reasoning.
import { z } from "zod";
import { errorResponse, openaiError } from "./openai.ts";
import { startServer } from "./server.ts";
import type { Dialect, FakeProvider, FakeResponse } from "./server.ts";

export type OpenModelProvider = "mistral" | "groq" | "cerebras" | "deepseek" | "vllm";

export interface Verdict {
  status: number;
  message: string;
  request?: OpenModelRequest;
}

const call = z.strictObject({
  id: z.string(),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const tool = z.looseObject({ type: z.literal("function") });
const thinkingPart = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.array(z.strictObject({ type: z.literal("text"), text: z.string() })),
  signature: z.string().optional(),
});
const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const documentPart = z.strictObject({
  type: z.literal("document_url"),
  document_url: z.string(),
  document_name: z.string().optional(),
});

const common = {
  model: z.string(),
  tools: z.array(tool).min(1).optional(),
  tool_choice: z.unknown().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.number().optional(),
  stop: z.unknown().optional(),
  stream: z.boolean().optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: z.unknown().optional(),
  n: z.number().optional(),
};
const streamOptions = z.strictObject({ include_usage: z.boolean() }).optional();

/** A request whose messages have these members of reasoning and no others. */
function requestOf(reasoning: z.ZodRawShape, more: z.ZodRawShape, parts = false) {
  const assistant = z.strictObject({
    role: z.literal("assistant"),
    content: (parts
      ? z.union([z.string(), z.array(z.union([textPart, thinkingPart]))])
      : z.string()
    ).nullish(),
    tool_calls: z.array(call).min(1).optional(),
    ...reasoning,
  });
  const user = z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.union(parts ? [textPart, documentPart] : [textPart]))]),
  });
  return z.strictObject({
    ...common,
    ...more,
    messages: z.array(
      z.union([
        z.strictObject({ role: z.literal("system"), content: z.string() }),
        user,
        assistant,
        z.strictObject({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
      ]),
    ),
  });
}

const effort = (...words: [string, ...string[]]) => z.enum(words).optional();

const SHAPES: Record<OpenModelProvider, z.ZodType> = {
  // ChatCompletionRequest and AssistantMessage of mistralai 3.7.0; 422 "Extra inputs are not permitted".
  mistral: requestOf(
    { prefix: z.boolean().optional() },
    {
      random_seed: z.number().optional(),
      metadata: z.unknown().optional(),
      presence_penalty: z.number().optional(),
      frequency_penalty: z.number().optional(),
      top_k: z.number().optional(),
      reasoning_effort: effort("none", "high"),
      prompt_cache_key: z.string().optional(),
      service_tier: z.string().optional(),
      prediction: z.unknown().optional(),
    },
    true,
  ),
  // groq 1.7.0 (ChatCompletionAssistantMessageParam.reasoning); 400 "property 'reasoning_content' is unsupported" (jan#8136).
  groq: requestOf(
    { reasoning: z.string().min(1).optional() },
    {
      seed: z.number().optional(),
      user: z.string().optional(),
      reasoning_effort: effort("none", "low", "medium", "high"),
      max_completion_tokens: z.number().optional(),
      service_tier: z.string().optional(),
      stream_options: streamOptions,
    },
  ),
  // cerebras-cloud-sdk 1.91.0; 400 wrong_api_format (qwen-code#11045: "accepts `reasoning` back on input").
  cerebras: requestOf(
    { reasoning: z.string().optional() },
    {
      seed: z.number().optional(),
      user: z.string().optional(),
      reasoning_effort: effort("none", "low", "medium", "high"),
      max_completion_tokens: z.number().optional(),
      prompt_cache_key: z.string().optional(),
      stream_options: streamOptions,
    },
  ),
  // https://api-docs.deepseek.com/api/create-chat-completion
  deepseek: requestOf(
    { reasoning_content: z.string().optional() },
    {
      thinking: z.strictObject({ type: z.enum(["enabled", "disabled"]) }).optional(),
      reasoning_effort: effort("low", "high", "max"),
      stream_options: streamOptions,
    },
  ),
  // vLLM ignores members that it does not know; its own are typed.
  vllm: z.looseObject({
    chat_template_kwargs: z.record(z.string(), z.unknown()).optional(),
    messages: z.array(z.looseObject({ role: z.string() })),
    tools: z.array(tool).optional(),
    stream: z.boolean().optional(),
  }),
};

export interface OpenModelMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: { id: string }[];
  reasoning?: string;
  reasoning_content?: string;
}

export interface OpenModelRequest {
  model: string;
  messages: OpenModelMessage[];
  tools?: unknown[];
  stream?: boolean;
  thinking?: { type: string };
  chat_template_kwargs?: object;
}

/** Returns what the provider says to a request. */
export function judge(provider: OpenModelProvider, json: unknown): Verdict {
  const parsed = SHAPES[provider].safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      status: provider === "mistral" ? 422 : 400,
      message: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
    };
  }
  const request = parsed.data as OpenModelRequest;
  const broken = ruleBroken(provider, request);
  return broken === undefined
    ? { status: 200, message: "", request }
    : { status: 400, message: broken };
}

function ruleBroken(provider: OpenModelProvider, request: OpenModelRequest): string | undefined {
  const isMistral = provider === "mistral" || /mistral|devstral|magistral/i.test(request.model);
  if (isMistral) {
    const broken = mistralBroken(request.messages);
    if (broken !== undefined) return broken;
    // vllm, tokenizers/mistral.py: validate_request_params
    if (provider === "vllm" && request.chat_template_kwargs !== undefined)
      return "chat_template is not supported for Mistral tokenizers.";
  }
  const turns = request.messages.filter(({ role }) => role === "assistant");
  // pydantic-ai 2.68.0 (profiles/groq): models that do not reason reject it.
  if (provider === "groq" && request.model.startsWith("llama"))
    if (turns.some(({ reasoning }) => reasoning !== undefined))
      return "property 'reasoning' is unsupported";
  // https://api-docs.deepseek.com/guides/thinking_mode, hermes-agent#17341: the empty text is rejected as well.
  if (provider === "deepseek" && request.tools !== undefined)
    if (request.thinking?.type !== "disabled" && turns.some((turn) => !turn.reasoning_content))
      return "The `reasoning_content` in the thinking mode must be passed back to the API.";
  return undefined;
}

/** 3280 and 3230: langchain#24668, litellm#17761; the same in the chat templates of its open models (hermes-agent#20154). */
function mistralBroken(messages: OpenModelMessage[]): string | undefined {
  for (const [index, { role, tool_calls: calls = [], tool_call_id: id }] of messages.entries()) {
    for (const one of [...calls.map((one) => one.id), ...(id === undefined ? [] : [id])])
      if (!/^[a-zA-Z0-9]{9}$/.test(one))
        return `Tool call id was ${one} but must be a-z, A-Z, 0-9, with a length of 9.`;
    if (role === "user" && messages[index - 1]?.role === "tool")
      return "Unexpected role 'user' after role 'tool'";
  }
  return undefined;
}

export const THOUGHT = "The user wants the weather, so I call the tool.";
const SIGNATURE = "c2lnbmVkLWJ5LW1pc3RyYWw=";

/** Returns the members of a message or delta with the thought, in the provider's form. */
export function thoughtOf(provider: OpenModelProvider, model: string): object {
  if (provider === "mistral")
    return {
      content: [
        {
          type: "thinking",
          thinking: [{ type: "text", text: THOUGHT }],
          signature: SIGNATURE,
        },
      ],
    };
  if (provider === "groq" && model.startsWith("llama")) return {};
  return provider === "deepseek" ? { reasoning_content: THOUGHT } : { reasoning: THOUGHT };
}

/** Returns the body of a response to a request that it accepts: a call, or a text after the tool's result. */
export function partsOf(provider: OpenModelProvider, request: OpenModelRequest): string[] {
  const thought = thoughtOf(provider, request.model);
  const isCall = request.tools !== undefined && request.messages.at(-1)?.role !== "tool";
  const said = isCall
    ? {
        tool_calls: [
          { id: "D681PevKs", type: "function", function: { name: "f", arguments: "{}" } },
        ],
      }
    : { content: "Sunny." };
  const finish = isCall ? "tool_calls" : "stop";
  const base = { id: "c1", created: 1_764_000_000, model: request.model };
  const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
  if (request.stream !== true) {
    const message = { role: "assistant", content: null, ...thought, ...joined(thought, said) };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return [JSON.stringify({ ...base, object: "chat.completion", choices, usage })];
  }
  const deltas = [{ role: "assistant", ...thought }, withIndexes(said)];
  return [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: finish },
  ]
    .map((choice) => ({ ...base, object: "chat.completion.chunk", choices: [choice] }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat("data: [DONE]\n\n");
}

/** A text behind thinking parts is a part. */
function joined(thought: { content?: unknown }, said: { content?: string }): object {
  if (said.content === undefined || !Array.isArray(thought.content)) return said;
  return { content: [...(thought.content as unknown[]), { type: "text", text: said.content }] };
}

function withIndexes(said: { tool_calls?: object[] }): object {
  if (said.tool_calls === undefined) return said;
  return { tool_calls: said.tool_calls.map((one, index) => ({ index, ...one })) };
}

/** Starts the provider as a server. */
export function startOpenModels(provider: OpenModelProvider): Promise<FakeProvider> {
  const dialect: Dialect = {
    path: /\/chat\/completions$/,
    error: openaiError,
    errorEvent: () => `data: {"error":{"message":"failed"}}\n\n`,
    handle({ json }) {
      const { status, message, request } = judge(provider, json);
      const response: FakeResponse =
        request === undefined
          ? errorResponse({ status, message, param: null, code: null })
          : {
              status: 200,
              headers: {
                "content-type": request.stream === true ? "text/event-stream" : "application/json",
              },
              parts: partsOf(provider, request),
              isStream: request.stream === true,
            };
      return { response, behaviour: { kind: "answer" } };
    },
  };
  return startServer(dialect);
}
