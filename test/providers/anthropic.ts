// A strict fake of Anthropic's messages API: what it refuses, how its responses look, and thinking that it signs.
import { createHmac, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Brain } from "./brain.ts";
import { blocksOf, readAnthropicRequest } from "./anthropic-request.ts";
import type { AnthropicBlock, AnthropicRequest } from "./anthropic-request.ts";
import type { Answer, Behaviour, Prompt } from "./behaviour.ts";
import { answerTo, directionIn, pieces } from "./behaviour.ts";
import { startServer } from "./server.ts";
import { messagesSession } from "./session.ts";
import type { Dialect, FakeProvider, ProviderRequest, FakeResponse } from "./server.ts";
import type { ProviderOptions } from "./scripted-provider.ts";

export interface AnthropicOptions extends ProviderOptions {
  key: string;
  /** The models that exist; undefined: all do. */
  models?: string[];
  /** Input tokens that came from the cache, and that were written to it; not part of `input_tokens`. */
  cachedTokens?: number;
  cacheWrittenTokens?: number;
  /** Thinking comes back encrypted, as it may at any time. */
  redactsThinking?: boolean;
  /** Runs the searches of an answer: the pages come encrypted. */
  runsSearches?: boolean;
  /** Decides each answer; absent: the prompt decides (`answerTo`). */
  brain?: Brain;
}

/** The second one is what the SDKs send since October 2026. */
const VERSIONS = ["2023-06-01", "2026-10-21"];

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function startAnthropicProvider(options: AnthropicOptions): Promise<FakeProvider> {
  return startServer(anthropicDialect(options), options);
}

/** The API behind any front: a cloud has another (cloud.ts). */
export function anthropicDialect(options: AnthropicOptions): Dialect {
  /** What was answered, by the id of each call in it. */
  const answered = new Map<string, Block[]>();
  return {
    path: /\/v1\/messages$/,
    error: errorResponse,
    errorEvent: () =>
      event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    handle(request, next) {
      const refused = headerRefusal(request, options);
      if (refused !== undefined) return { response: refused, behaviour: { kind: "answer" } };
      const betas = request.headers["anthropic-beta"] ?? "";
      const read = readAnthropicRequest(withoutBetas(request.json, betas), verify);
      const wrong = typeof read === "string" ? read : changedAnswer(read, answered);
      if (typeof read === "string" || wrong !== undefined)
        return { response: errorResponse(400, wrong ?? ""), behaviour: { kind: "answer" } };
      if (options.models?.includes(read.model) === false)
        return {
          response: errorResponse(404, `model: ${read.model}`),
          behaviour: { kind: "answer" },
        };
      const prompt = promptOf(read);
      const behaviour: Behaviour = next ?? directionIn(prompt.text) ?? { kind: "answer" };
      const fixed = behaviour.kind === "answer" ? behaviour.answer : undefined;
      const answer = fixed ?? options.brain?.(messagesSession(read)) ?? answerTo(prompt);
      const content = responseContent(answer, behaviour, options);
      for (const block of content) if (block.type === "tool_use") answered.set(block.id, content);
      return { response: responseTo(read, answer, behaviour, content, options), behaviour };
    },
  };
}

/** Without what the betas of the request permit; the rest is as strict as everywhere. */
function withoutBetas(json: unknown, betas: string): unknown {
  const { messages, tools, ...rest } = (json ?? {}) as Record<string, unknown>;
  if (!Array.isArray(messages)) return json;
  const bare: Record<string, unknown> = { ...rest, messages, tools };
  if (betas.includes("mid-conversation-"))
    bare["messages"] = messages.filter(({ role }: { role: string }) => role !== "system");
  if (betas.includes("advanced-tool-use-") && Array.isArray(tools))
    bare["tools"] = tools.map(({ defer_loading: _, ...tool }: Record<string, unknown>) => tool);
  return bare;
}

function headerRefusal(
  { method, headers }: ProviderRequest,
  { key }: AnthropicOptions,
): FakeResponse | undefined {
  if (method !== "POST") return errorResponse(405, "Method Not Allowed");
  if (!(headers["content-type"] ?? "").startsWith("application/json"))
    return errorResponse(400, "Content type must be application/json");
  const said = [headers["x-api-key"], headers["authorization"]?.replace(/^Bearer /, "")];
  if (said.every((one) => one === undefined))
    return errorResponse(401, "x-api-key header is required");
  // Older SDKs say it as x-api-key, newer ones as a bearer; whatever else stands there is somebody else's.
  if (said.some((one) => one !== undefined && one !== key))
    return errorResponse(401, "invalid x-api-key");
  const version = headers["anthropic-version"];
  if (version === undefined) return errorResponse(400, "anthropic-version: header is required");
  if (!VERSIONS.includes(version))
    return errorResponse(400, `anthropic-version: "${version}" is not a valid version`);
  return undefined;
}

function requestId(): string {
  return `req_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

function commonHeaders(type: string, id: string): Record<string, string> {
  return {
    "content-type": type,
    "request-id": id,
    "anthropic-organization-id": "00000000-0000-4000-8000-00000000fa4e",
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "49",
    "anthropic-ratelimit-requests-reset": "2025-11-20T00:00:00Z",
  };
}

function errorResponse(status: number, message: string): FakeResponse {
  const id = requestId();
  const type = ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return {
    status,
    headers: commonHeaders("application/json", id),
    parts: [JSON.stringify({ type: "error", error: { type, message }, request_id: id })],
    isStream: false,
  };
}

const SIGNING_KEY = "the provider's own";

export function sign(content: string): string {
  return createHmac("sha256", SIGNING_KEY).update(content).digest("base64");
}

/** Redacted thinking is its text in base64, a dot, and its signature: opaque to everybody else. */
function redact(content: string): string {
  return `${Buffer.from(content).toString("base64")}.${sign(content)}`;
}

function verify(kind: "thinking" | "redacted", content: string, signature: string): boolean {
  if (kind === "thinking") return sign(content) === signature;
  const [text = "", mark = ""] = signature.split(".");
  return sign(Buffer.from(text, "base64").toString()) === mark;
}

function textOf(block: AnthropicBlock): string {
  if (block.type === "text") return block.text;
  if (block.type !== "tool_result") return "";
  const { content = "", is_error: isError } = block;
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => ("text" in part ? part.text : "")).join("");
  return isError === true ? `error: ${text}` : text;
}

function promptOf({ messages, tools = [], thinking }: AnthropicRequest): Prompt {
  const users = messages.filter(({ role }) => role === "user");
  const withText = users.findLast((one) => blocksOf(one).some(({ type }) => type === "text"));
  const last = messages.at(-1);
  const results =
    last === undefined ? [] : blocksOf(last).filter(({ type }) => type === "tool_result");
  const blocks = withText === undefined ? [] : blocksOf(withText);
  return {
    text: blocks
      .filter(({ type }) => type === "text")
      .map(textOf)
      .join(""),
    images: blocks.filter(({ type }) => type === "image").length,
    toolResults: results.map(textOf),
    tools: tools.map(({ name }) => name),
    isThinking: thinking !== undefined && thinking.type !== "disabled",
  };
}

/** While thinking is on, the blocks of each answer of the running tool loop come back as they were, in their places. */
function changedAnswer(
  { messages, thinking }: AnthropicRequest,
  answered: Map<string, Block[]>,
): string | undefined {
  if (thinking === undefined || thinking.type === "disabled") return undefined;
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const call = blocks.find((block) => block.type === "tool_use");
    const original = call?.type === "tool_use" ? answered.get(call.id) : undefined;
    // Without any of them it is another rule's business (anthropic-request.ts).
    if (original === undefined || !blocks.some(({ type }) => type.endsWith("thinking"))) continue;
    if (isDeepStrictEqual(blocks.map(bare), original.map(bare))) continue;
    return `messages.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
  }
  return undefined;
}

/** Without what a client may add or leave out. */
function bare(block: AnthropicBlock | Block): object {
  const free = ["cache_control", "citations", "caller"];
  return Object.fromEntries(Object.entries(block).filter(([name]) => !free.includes(name)));
}

function responseContent(answer: Answer, behaviour: Behaviour, options: AnthropicOptions): Block[] {
  const count = behaviour.kind === "answer" ? behaviour.pieces : undefined;
  const text = count === undefined ? answer.text : pieces("", count).join("");
  return contentOf({ ...answer, ...(text === undefined ? {} : { text }) }, options);
}

function responseTo(
  request: AnthropicRequest,
  answer: Answer,
  behaviour: Behaviour,
  content: Block[],
  options: AnthropicOptions,
): FakeResponse {
  const count = behaviour.kind === "answer" ? behaviour.pieces : undefined;
  const message = {
    id: `msg_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
    type: "message",
    role: "assistant",
    model: `${request.model}-20251120`,
    content,
    stop_reason: stopOf(answer),
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      cache_creation: null,
      inference_geo: null,
      output_tokens_details: null,
      server_tool_use: null,
      input_tokens: Math.ceil(JSON.stringify(request.messages).length / 4),
      cache_creation_input_tokens: options.cacheWrittenTokens ?? 0,
      cache_read_input_tokens: options.cachedTokens ?? 0,
      output_tokens: Math.ceil(JSON.stringify(content).length / 4),
      service_tier: "standard",
    },
  };
  const headers = commonHeaders("application/json", requestId());
  if (request.stream !== true)
    return { status: 200, headers, parts: [JSON.stringify(message)], isStream: false };
  return {
    status: 200,
    headers: {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    },
    parts: streamOf(message, content, count),
    isStream: true,
  };
}

type Block =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "server_tool_use"; id: string; name: string; input: object; caller: { type: "direct" } }
  | {
      type: "web_search_tool_result";
      tool_use_id: string;
      content: object[];
      caller: { type: "direct" };
    }
  | { type: "text"; text: string; citations: null }
  | { type: "tool_use"; id: string; name: string; input: object; caller: { type: "direct" } };

function searchOf(query: string): Block[] {
  const id = `srvtoolu_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
  const caller = { type: "direct" as const };
  const page = {
    type: "web_search_result",
    url: "https://weather.example/?a=1&b=2",
    title: `A page about "${query}"`,
    encrypted_content: redact(`What is known of ${query}.\n\u2028`),
    page_age: null,
  };
  return [
    { type: "server_tool_use", id, name: "web_search", input: { query }, caller },
    { type: "web_search_tool_result", tool_use_id: id, content: [page], caller },
  ];
}

function contentOf(answer: Answer, { redactsThinking, runsSearches }: AnthropicOptions): Block[] {
  const { thinking = [], text, toolCalls = [] } = answer;
  const reasoning = [thinking].flat().map((one): Block => {
    const text = typeof one === "string" ? one : one.redacted;
    return redactsThinking === true || typeof one !== "string"
      ? { type: "redacted_thinking", data: redact(text) }
      : { type: "thinking", thinking: text, signature: sign(text) };
  });
  return [
    ...reasoning,
    ...(runsSearches === true ? (answer.searches ?? []).flatMap(searchOf) : []),
    ...(text === undefined || text === ""
      ? []
      : [{ type: "text" as const, text, citations: null }]),
    ...toolCalls.map((call) => ({
      type: "tool_use" as const,
      id: `toolu_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
      name: call.name,
      input: call.arguments,
      caller: { type: "direct" as const },
    })),
  ];
}

function stopOf({ toolCalls = [], stop }: Answer): string {
  if (stop === "length") return "max_tokens";
  if (stop === "refusal") return "refusal";
  return toolCalls.length > 0 || stop === "tools" ? "tool_use" : "end_turn";
}

function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function streamOf(
  message: { stop_reason: string; usage: { output_tokens: number } },
  content: Block[],
  count: number | undefined,
): string[] {
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...message.usage, output_tokens: 1 },
  };
  return [
    event({ type: "message_start", message: start }),
    ...content.flatMap((block, index) => [
      event({ type: "content_block_start", index, content_block: emptied(block) }),
      ...(index === 0 ? [event({ type: "ping" })] : []),
      ...deltas(block, count).map((delta) => event({ type: "content_block_delta", index, delta })),
      event({ type: "content_block_stop", index }),
    ]),
    event({
      type: "message_delta",
      delta: { stop_reason: message.stop_reason, stop_sequence: null, stop_details: null },
      // Cumulative, and the only ones that count.
      usage: { output_tokens: message.usage.output_tokens },
    }),
    event({ type: "message_stop" }),
  ];
}

function emptied(block: Block): Block {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  return block.type === "tool_use" || block.type === "server_tool_use"
    ? { ...block, input: {} }
    : block;
}

function deltas(block: Block, count: number | undefined): object[] {
  switch (block.type) {
    case "text":
      return pieces(block.text, count).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "tool_use":
    case "server_tool_use":
      return ["", ...pieces(JSON.stringify(block.input))].map((part) => ({
        type: "input_json_delta",
        partial_json: part,
      }));
    default:
      return [];
  }
}
