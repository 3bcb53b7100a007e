// A strict fake of OpenAI's chat completions API: what it refuses and how its responses look.
import { randomUUID } from "node:crypto";
import type { Answer, Behaviour, Prompt } from "./behaviour.ts";
import { answerTo, directionIn, pieces, thoughtOf } from "./behaviour.ts";
import type { Brain } from "./brain.ts";
import { isRefusal, readOpenaiRequest, refuse } from "./openai-request.ts";
import type { OpenaiMessage, OpenaiRequest, Refusal } from "./openai-request.ts";
import { startServer } from "./server.ts";
import { chatSession } from "./session.ts";
import type { Dialect, FakeProvider, ProviderRequest, FakeResponse } from "./server.ts";
import type { ProviderOptions } from "./scripted-provider.ts";

export interface OpenaiOptions extends ProviderOptions {
  /** The only key that is accepted, or several; undefined: no key may be sent, as to a model server of one's own. */
  key?: string | readonly string[];
  /** The models that exist; undefined: all do. */
  models?: string[];
  /** Some servers send the usage chunk although nobody asked. */
  alwaysSendsUsage?: boolean;
  /** Prompt tokens that came from the cache. */
  cachedTokens?: number;
  /** Shows its reasoning as `reasoning_content`; `back`: and wants it back with its calls, as DeepSeek does. */
  thinksAloud?: "only" | "back";
  /** Decides each answer; absent: the prompt decides (`answerTo`). */
  brain?: Brain;
}

const CREATED = 1_764_000_000;

export function startOpenaiProvider(options: OpenaiOptions = {}): Promise<FakeProvider> {
  return startServer(openaiDialect(options), options);
}

export function openaiDialect(options: OpenaiOptions): Dialect {
  /** What was thought, by the id of each call that followed from it. */
  const thoughts = new Map<string, string>();
  return {
    path: /\/chat\/completions$/,
    error: openaiError,
    errorEvent: () =>
      `data: ${JSON.stringify({ error: { message: "The server had an error while processing your request", type: "server_error", param: null, code: null } })}\n\n`,
    handle(request, next) {
      const refusal = headerRefusal(request, options.key);
      if (refusal !== undefined)
        return { response: errorResponse(refusal), behaviour: { kind: "answer" } };
      if (options.thinksAloud === "back") {
        const forgotten = forgottenThought(request.json, thoughts);
        if (forgotten !== undefined)
          return {
            response: errorResponse(refuse(forgotten, null)),
            behaviour: { kind: "answer" },
          };
      }
      const read = readOpenaiRequest(
        options.thinksAloud === "back" ? withoutThoughts(request.json) : request.json,
      );
      if (isRefusal(read)) return { response: errorResponse(read), behaviour: { kind: "answer" } };
      if (options.models?.includes(read.model) === false)
        return { response: errorResponse(unknownModel(read.model)), behaviour: { kind: "answer" } };
      const prompt = promptOf(read);
      const behaviour: Behaviour = next ?? directionIn(prompt.text) ?? { kind: "answer" };
      return { response: responseTo(read, prompt, behaviour, options, thoughts), behaviour };
    },
  };
}

interface LooseTurn {
  reasoning_content?: string;
  tool_calls?: { id: string }[];
}

function turnsOf(json: unknown): LooseTurn[] {
  const { messages } = (json ?? {}) as { messages?: LooseTurn[] };
  return Array.isArray(messages) ? messages : [];
}

function forgottenThought(json: unknown, thoughts: Map<string, string>): string | undefined {
  for (const { reasoning_content: said, tool_calls: calls = [] } of turnsOf(json))
    for (const { id } of calls) {
      const thought = thoughts.get(id);
      if (thought !== undefined && said !== thought)
        return `Missing or changed \`reasoning_content\` field in the assistant message: ${JSON.stringify(said)} is not ${JSON.stringify(thought)}`;
    }
  return undefined;
}

/** The rest of the request is as strict as everywhere. */
function withoutThoughts(json: unknown): unknown {
  if (turnsOf(json).length === 0) return json;
  const messages = turnsOf(json).map((turn) =>
    Object.fromEntries(Object.entries(turn).filter(([name]) => name !== "reasoning_content")),
  );
  return { ...(json as object), messages };
}

/** Why the request's method, content type or key is refused. */
export function headerRefusal(
  { method, path, headers, body }: ProviderRequest,
  key: OpenaiOptions["key"],
  methods = ["POST"],
): Refusal | undefined {
  if (!methods.includes(method))
    return refuse(`Not allowed to ${method} on ${path}`, null, null, 405);
  if (body !== "" && !(headers["content-type"] ?? "").startsWith("application/json"))
    return refuse("you must provide a JSON content-type", null);
  const keys = typeof key === "string" ? [key] : (key ?? []);
  const expected: (string | undefined)[] =
    key === undefined ? [undefined] : keys.map((one) => `Bearer ${one}`);
  if (headers["x-api-key"] !== undefined || headers["api-key"] !== undefined)
    return refuse(
      "a credential of somebody else reached the provider",
      null,
      "foreign_credential",
      401,
    );
  if (expected.includes(headers["authorization"])) return undefined;
  return headers["authorization"] === undefined
    ? refuse("You didn't provide an API key.", null, null, 401)
    : refuse("Incorrect API key provided.", null, "invalid_api_key", 401);
}

export function unknownModel(model: string): Refusal {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return refuse(message, null, "model_not_found", 404);
}

export function openaiError(status: number, message: string, code = codeOf(status)): FakeResponse {
  return errorResponse({ status, message, param: null, code });
}

function codeOf(status: number): string | null {
  if (status === 401) return "invalid_api_key";
  return status === 429 ? "rate_limit_exceeded" : null;
}

export function errorResponse({ status, message, param, code }: Refusal): FakeResponse {
  const type =
    status === 429 ? "requests" : status < 500 ? "invalid_request_error" : "server_error";
  return {
    status,
    headers: commonHeaders("application/json"),
    parts: [JSON.stringify({ error: { message, type, param, code } }, null, 2)],
    isStream: false,
  };
}

export function commonHeaders(type: string): Record<string, string> {
  return {
    "content-type": type,
    "x-request-id": `req_${randomUUID().replaceAll("-", "")}`,
    "openai-organization": "org-fake",
    "openai-processing-ms": "12",
    "openai-version": "2020-10-01",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-reset-requests": "6ms",
  };
}

function textOf(content: OpenaiMessage["content"]): string {
  if (content == null) return "";
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : "")).join("");
}

function promptOf({ messages, tools = [] }: OpenaiRequest): Prompt {
  const lastUser = messages.findLast(({ role }) => role === "user");
  const afterUser = messages.slice(messages.lastIndexOf(lastUser ?? messages[0] ?? never()) + 1);
  const parts =
    lastUser?.role === "user" && Array.isArray(lastUser.content) ? lastUser.content : [];
  return {
    text: textOf(lastUser?.content),
    images: parts.filter(({ type }) => type === "image_url").length,
    toolResults:
      messages.at(-1)?.role === "tool"
        ? afterUser.filter(({ role }) => role === "tool").map(({ content }) => textOf(content))
        : [],
    tools: tools.map((tool) => tool.function.name),
    // The API keeps its reasoning to itself; only its tokens show.
    isThinking: false,
  };
}

function never(): never {
  throw new Error("messages cannot be empty here");
}

function responseTo(
  request: OpenaiRequest,
  prompt: Prompt,
  behaviour: Behaviour,
  options: OpenaiOptions,
  thoughts: Map<string, string>,
): FakeResponse {
  const fixed = behaviour.kind === "answer" ? behaviour.answer : undefined;
  const answer = fixed ?? options.brain?.(chatSession(request)) ?? answerTo(prompt);
  const count = behaviour.kind === "answer" ? behaviour.pieces : undefined;
  const text = count === undefined ? answer.text : pieces("", count).join("");
  const whole: Answer = { ...answer, ...(text === undefined ? {} : { text }) };
  const common = {
    id: `chatcmpl-${randomUUID().replaceAll("-", "").slice(0, 24)}`,
    created: CREATED,
    // Snapshots have a date after their name.
    model: `${request.model}-2025-11-20`,
    service_tier: "default",
    system_fingerprint: "fp_fake",
  };
  const usage = usageOf(request, whole, options);
  const thought = options.thinksAloud === undefined ? "" : thoughtOf(whole);
  const content = { ...whole, calls: toolCallsOf(whole), thought };
  if (thought !== "") for (const { id } of content.calls) thoughts.set(id, thought);
  return request.stream === true
    ? streamResponse(request, common, content, usage, count, options)
    : completeResponse(request, common, content, usage);
}

function usageOf(request: OpenaiRequest, answer: Answer, { cachedTokens = 0 }: OpenaiOptions) {
  const prompt = Math.ceil(JSON.stringify(request.messages).length / 4);
  const completion = Math.ceil(JSON.stringify(answer).length / 4);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: Math.min(cachedTokens, prompt), audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

function toolCallsOf({ toolCalls = [] }: Answer) {
  return toolCalls.map((call, index) => ({
    id: `call_${index}_${randomUUID().slice(0, 8)}`,
    type: "function" as const,
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

/** An answer with the ids of its calls, and what is shown of its thinking. */
interface Content extends Answer {
  calls: ReturnType<typeof toolCallsOf>;
  thought: string;
}

function finishOf({ toolCalls = [], stop }: Answer): string {
  if (stop === "length") return "length";
  if (stop === "refusal") return "content_filter";
  return toolCalls.length > 0 || stop === "tools" ? "tool_calls" : "stop";
}

function completeResponse(
  { n }: OpenaiRequest,
  common: object,
  answer: Content,
  usage: object,
): FakeResponse {
  const choices = Array.from({ length: n ?? 1 }, (_, index) => {
    const calls = index === 0 ? answer.calls : toolCallsOf(answer);
    return {
      index,
      message: {
        role: "assistant",
        content: answer.text ?? null,
        ...(answer.thought === "" ? {} : { reasoning_content: answer.thought }),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
        refusal: answer.refusal ?? null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: finishOf(answer),
    };
  });
  return {
    status: 200,
    headers: commonHeaders("application/json"),
    // The real one indents.
    parts: [JSON.stringify({ object: "chat.completion", ...common, choices, usage }, null, 2)],
    isStream: false,
  };
}

function streamResponse(
  request: OpenaiRequest,
  common: object,
  answer: Content,
  usage: object,
  count: number | undefined,
  options: OpenaiOptions,
): FakeResponse {
  const sendsUsage =
    request.stream_options?.include_usage === true || options.alwaysSendsUsage === true;
  const chunk = (choices: object[], more: object = sendsUsage ? { usage: null } : {}): string =>
    `data: ${JSON.stringify({ object: "chat.completion.chunk", ...common, choices, ...more })}\n\n`;
  const delta = (value: object, finish: string | null = null): string =>
    chunk([{ index: 0, delta: value, logprobs: null, finish_reason: finish }]);
  const text = answer.text === undefined ? [] : pieces(answer.text, count);
  const calls = answer.calls.flatMap((call, index) => [
    delta({
      tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }],
    }),
    ...pieces(call.function.arguments).map((part) =>
      delta({ tool_calls: [{ index, function: { arguments: part } }] }),
    ),
  ]);
  return {
    status: 200,
    headers: commonHeaders("text/event-stream; charset=utf-8"),
    parts: [
      delta({ role: "assistant", content: answer.text === undefined ? null : "", refusal: null }),
      ...(answer.thought === "" ? [] : pieces(answer.thought)).map((part) =>
        delta({ reasoning_content: part }),
      ),
      ...text.map((content) => delta({ content })),
      ...pieces(answer.refusal ?? "").map((refusal) => delta({ refusal })),
      ...calls,
      delta({}, finishOf(answer)),
      ...(sendsUsage ? [chunk([], { usage })] : []),
      "data: [DONE]\n\n",
    ],
    isStream: true,
  };
}
