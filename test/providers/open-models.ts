// Strict fakes of providers of open models: what each rejects in the history of a tool loop, and in which member it reasons.
//
// A request with tools and without their results is answered by a call, any other one by a text, both with reasoning; with a
// brain, it decides.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Answer } from "./behaviour.ts";
import { pieces, thoughtOf as thoughtIn } from "./behaviour.ts";
import type { Brain } from "./brain.ts";
import { errorResponse, openaiError } from "./openai.ts";
import { startServer } from "./server.ts";
import { chatSession } from "./session.ts";
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
const tool = z.looseObject({ type: z.enum(["function", "browser_search"]) });
const thinkingPart = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.array(z.strictObject({ type: z.literal("text"), text: z.string() })),
  signature: z.string().optional(),
});
const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.union([
    z.string(),
    z.strictObject({ url: z.string(), detail: z.string().optional() }),
  ]),
});
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
    content: z.union([
      z.string(),
      z.array(z.union(parts ? [textPart, documentPart, imagePart] : [textPart])),
    ]),
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
  // https://api-docs.deepseek.com/api/create-chat-completion; members of OpenAI that it does not know are ignored (openclaw#72630
  // measured with prompt_cache_key), parts that are no text are an error (rikkahub#1433: "unknown variant `image_url`").
  deepseek: requestOf(
    { reasoning_content: z.string().optional() },
    {
      user: z.string().optional(),
      prompt_cache_key: z.string().optional(),
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
  tool_calls?: { id: string; function: { name: string } }[];
  reasoning?: string;
  reasoning_content?: string;
}

export interface OpenModelRequest {
  model: string;
  messages: OpenModelMessage[];
  tools?: { type?: string; function?: { name: string } }[];
  response_format?: unknown;
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
  const broken =
    provider === "vllm" ? undefined : (callsBroken(request.messages) ?? namesBroken(request));
  if (broken !== undefined) return broken;
  const hosted = request.tools?.find((one) => one.function === undefined);
  // https://console.groq.com/docs/browser-search
  if (hosted !== undefined) {
    if (provider !== "groq" || !request.model.includes("gpt-oss"))
      return "'tools.0.type' : value must be \"function\"";
    if (request.response_format !== undefined)
      return "browser_search is not compatible with structured outputs";
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

/** The same at OpenAI; DeepSeek's and Groq's words for it are OpenAI's. */
function callsBroken(messages: OpenModelMessage[]): string | undefined {
  for (const [index, { tool_calls: calls = [] }] of messages.entries()) {
    if (calls.length === 0) continue;
    const rest = messages.slice(index + 1);
    const end = rest.findIndex(({ role }) => role !== "tool");
    const given = rest.slice(0, end < 0 ? rest.length : end).map(({ tool_call_id: id }) => id);
    const missing = calls.filter(({ id }) => !given.includes(id));
    if (missing.length > 0 || given.length !== calls.length)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.map(({ id }) => id).join(", ")}`;
  }
  return undefined;
}

/**
 * Mistral: mistral-common, protocol/instruct/validator.py (`_validate_function`); DeepSeek and Groq: "a maximum length of 64" in
 * the reference of `tools[].function.name`.
 */
function namesBroken({ messages, tools = [] }: OpenModelRequest): string | undefined {
  const names = [
    ...tools.flatMap((one) => one.function?.name ?? []),
    ...messages.flatMap(({ tool_calls: calls = [] }) => calls.map((one) => one.function.name)),
  ];
  const wrong = names.find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
  return wrong === undefined
    ? undefined
    : `Function name was ${wrong} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`;
}

export const THOUGHT = "The user wants the weather, so I call the tool.";
const SIGNATURE = "c2lnbmVkLWJ5LW1pc3RyYWw=";

/** Returns the members of a message or delta with the thought, in the provider's form. */
function thoughtMembers(provider: OpenModelProvider, model: string, thought: string): object {
  if (provider === "mistral")
    return {
      content: [
        {
          type: "thinking",
          thinking: [{ type: "text", text: thought }],
          signature: SIGNATURE,
        },
      ],
    };
  if (provider === "groq" && model.startsWith("llama")) return {};
  return provider === "deepseek" ? { reasoning_content: thought } : { reasoning: thought };
}

/** What the providers answer without a brain: a call, or a text after the tool's result. */
function usualAnswer(request: OpenModelRequest): Answer {
  const isCall = request.tools !== undefined && request.messages.at(-1)?.role !== "tool";
  return isCall
    ? { thinking: THOUGHT, toolCalls: [{ name: "f", arguments: {} }] }
    : { thinking: THOUGHT, text: "Sunny." };
}

/** Nine characters of letters and digits, as Mistral's are. */
function newCallId(): string {
  return randomBytes(9).toString("hex").slice(0, 9);
}

/** Returns the body of a response to a request that it accepts. */
export function partsOf(
  provider: OpenModelProvider,
  request: OpenModelRequest,
  answer = usualAnswer(request),
  newId: () => string = () => "D681PevKs",
): string[] {
  const thought = thoughtMembers(provider, request.model, thoughtIn(answer));
  const calls = (answer.toolCalls ?? []).map((call) => ({
    id: newId(),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const said = {
    ...(answer.text === undefined ? {} : { content: answer.text }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  // Claude Code merges turns with the same id.
  const base = { id: `chatcmpl-${newCallId()}`, created: 1_764_000_000, model: request.model };
  const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
  if (request.stream !== true) {
    const message = { role: "assistant", content: null, ...thought, ...joined(thought, said) };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return [JSON.stringify({ ...base, object: "chat.completion", choices, usage })];
  }
  const deltas = [
    { role: "assistant", ...thought },
    ...pieces(answer.text ?? "").map((content) => ({ content })),
    ...(calls.length === 0 ? [] : [{ tool_calls: calls.map((one, index) => ({ index, ...one })) }]),
  ];
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
  return {
    ...said,
    content: [...(thought.content as unknown[]), { type: "text", text: said.content }],
  };
}

export interface OpenModelOptions {
  /** Decides each answer; absent: a call, then a text. */
  brain?: Brain;
}

/** Starts the provider as a server. */
export function startOpenModels(
  provider: OpenModelProvider,
  { brain }: OpenModelOptions = {},
): Promise<FakeProvider> {
  /** What was thought, by the id of each call that followed from it. */
  const thoughts = new Map<string, string>();
  const respond = (request: OpenModelRequest): FakeResponse => {
    const isStream = request.stream === true;
    const answer = brain?.(chatSession(request)) ?? usualAnswer(request);
    const newId = (): string => {
      const id = newCallId();
      thoughts.set(id, thoughtIn(answer));
      return id;
    };
    return {
      status: 200,
      headers: { "content-type": isStream ? "text/event-stream" : "application/json" },
      parts:
        brain === undefined
          ? partsOf(provider, request)
          : partsOf(provider, request, answer, newId),
      isStream,
    };
  };
  const dialect: Dialect = {
    path: /\/chat\/completions$/,
    error: openaiError,
    errorEvent: () => `data: {"error":{"message":"failed"}}\n\n`,
    handle({ json }) {
      const { status, message, request } = judge(provider, json);
      const changed = request && changedThought(provider, request.messages, thoughts);
      const refused = (code: number, text: string): FakeResponse =>
        errorResponse({ status: code, message: text, param: null, code: null });
      const response =
        request === undefined
          ? refused(status, message)
          : changed === undefined
            ? respond(request)
            : refused(400, changed);
      return { response, behaviour: { kind: "answer" } };
    },
  };
  return startServer(dialect);
}

/**
 * Reasoning that comes back is that of the call, letter by letter; whether it must come back is the provider's rule. DeepSeek
 * takes another text for reasoning that the client has lost (hermes-agent#18263).
 */
function changedThought(
  provider: OpenModelProvider,
  messages: OpenModelMessage[],
  thoughts: Map<string, string>,
): string | undefined {
  for (const { content, reasoning, reasoning_content: text, tool_calls: calls = [] } of messages) {
    const [part] = Array.isArray(content) ? (content as { thinking?: { text: string }[] }[]) : [];
    const given = reasoning ?? text ?? part?.thinking?.map((one) => one.text).join("");
    for (const { id } of given === undefined ? [] : calls) {
      const own = thoughts.get(id);
      const isOther = provider === "deepseek" && given?.slice(0, 5) !== own?.slice(0, 5);
      if (own !== undefined && own !== given && !isOther)
        return `The reasoning of call ${id} was changed: ${JSON.stringify(given)}`;
    }
  }
  return undefined;
}
