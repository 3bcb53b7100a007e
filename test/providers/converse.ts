// A strict fake of Amazon Bedrock's Converse API: what it refuses, how its responses look, and reasoning that it signs.
import { randomUUID } from "node:crypto";
import { sign } from "./anthropic.ts";
import type { Answer, Behaviour, Prompt } from "./behaviour.ts";
import { answerTo, directionIn, pieces } from "./behaviour.ts";
import type { Brain } from "./brain.ts";
import { readConverseRequest } from "./converse-request.ts";
import type { ConverseRequest } from "./converse-request.ts";
import { eventFrame, exceptionFrame } from "./event-stream.ts";
import { startServer } from "./server.ts";
import { converseSession } from "./session.ts";
import type { Dialect, FakeProvider, ProviderRequest, FakeResponse } from "./server.ts";
import type { ProviderOptions } from "./scripted-provider.ts";

export interface ConverseOptions extends ProviderOptions {
  /** A Bedrock API key. */
  key: string;
  /** The models that exist; undefined: all do. */
  models?: string[];
  /** Decides each answer; absent: the prompt decides (`answerTo`). */
  brain?: Brain;
}

type Json = Record<string, unknown>;
type Block = Json;

const ERROR_TYPES: Record<number, string> = {
  400: "ValidationException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

export function startConverseProvider(options: ConverseOptions): Promise<FakeProvider> {
  return startServer(converseDialect(options), options);
}

export function converseDialect(options: ConverseOptions): Dialect {
  return {
    path: /^\/model\/[^/]+\/(?:converse(?:-stream)?|count-tokens)$/,
    error: errorResponse,
    errorEvent: () => exceptionFrame("serviceUnavailableException", { message: "Overloaded" }),
    handle(request, next) {
      const model = modelOf(request);
      const refused = headerRefusal(request, options) ?? modelRefusal(model, options);
      if (refused !== undefined) return { response: refused, behaviour: { kind: "answer" } };
      const isCount = request.path.endsWith("/count-tokens");
      const isStream = request.path.endsWith("-stream");
      const json = isCount ? countedRequest(request.json) : request.json;
      const read = readConverseRequest(json, isStream);
      const wrong = typeof read === "string" ? read : changedReasoning(read);
      if (typeof read === "string" || wrong !== undefined)
        return { response: errorResponse(400, wrong ?? ""), behaviour: { kind: "answer" } };
      if (isCount) return { response: countOf(read), behaviour: { kind: "answer" } };
      const prompt = promptOf(read);
      const behaviour: Behaviour = next ?? directionIn(prompt.text) ?? { kind: "answer" };
      return { response: responseTo(read, prompt, behaviour, isStream, options), behaviour };
    },
  };
}

/** The request inside of a request to count tokens, which has some members of it. */
function countedRequest(json: unknown): unknown {
  const request = (json as { input?: { converse?: object } }).input?.converse;
  const members = ["messages", "system", "toolConfig", "additionalModelRequestFields"];
  return Object.keys(request ?? {}).every((name) => members.includes(name)) ? request : null;
}

function countOf({ messages }: ConverseRequest): FakeResponse {
  return {
    status: 200,
    headers: headersOf("application/json"),
    parts: [JSON.stringify({ inputTokens: Math.ceil(JSON.stringify(messages).length / 4) })],
    isStream: false,
  };
}

function modelOf({ path }: ProviderRequest): string {
  return decodeURIComponent(path.split("/")[2] ?? "");
}

function headerRefusal(
  { method, headers }: ProviderRequest,
  { key }: ConverseOptions,
): FakeResponse | undefined {
  if (method !== "POST") return errorResponse(405, "Method Not Allowed");
  if (!(headers["content-type"] ?? "").startsWith("application/json"))
    return errorResponse(400, "Content type must be application/json");
  if (headers["authorization"] !== `Bearer ${key}`)
    return errorResponse(403, "Authentication failed: Please make sure your API Key is valid.");
  return undefined;
}

function modelRefusal(model: string, { models }: ConverseOptions): FakeResponse | undefined {
  if (models?.includes(model) !== false) return undefined;
  return errorResponse(400, "The provided model identifier is invalid.");
}

/** Reasoning comes back as it was. */
function changedReasoning({ messages }: ConverseRequest): string | undefined {
  for (const [index, { content }] of messages.entries()) {
    for (const block of content) {
      if (!("reasoningContent" in block) || !("reasoningText" in block.reasoningContent)) continue;
      const { text, signature } = block.reasoningContent.reasoningText;
      if (sign(text) !== signature)
        return `messages.${index}.content: Invalid \`signature\` in \`thinking\` block`;
    }
  }
  return undefined;
}

function headersOf(type: string): Record<string, string> {
  return { "content-type": type, "x-amzn-requestid": randomUUID() };
}

function errorResponse(status: number, message: string, code?: string): FakeResponse {
  const type = code ?? ERROR_TYPES[status] ?? "InternalServerException";
  return {
    status,
    headers: {
      ...headersOf("application/json"),
      "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    },
    parts: [JSON.stringify({ message })],
    isStream: false,
  };
}

function promptOf({
  messages,
  toolConfig,
  additionalModelRequestFields = {},
}: ConverseRequest): Prompt {
  const blocks: { role: string; content: readonly Block[] }[] = messages;
  const isText = (block: Block): boolean => "text" in block;
  const withText = blocks.findLast(
    ({ role, content }) => role === "user" && content.some((block) => isText(block)),
  );
  const results = (blocks.at(-1)?.content ?? []).flatMap(({ toolResult }) =>
    toolResult === undefined ? [] : [toolResult as { content: Block[]; status?: string }],
  );
  const { thinking } = additionalModelRequestFields as { thinking?: { type: string } };
  const given = withText?.content ?? [];
  return {
    text: textOf(given),
    images: given.filter((block) => "image" in block).length,
    toolResults: results.map(({ content, status }) => {
      const text = textOf(content);
      return status === "error" ? `error: ${text}` : text;
    }),
    tools: (toolConfig?.tools ?? []).flatMap((tool) =>
      "toolSpec" in tool ? [tool.toolSpec.name] : [],
    ),
    isThinking: thinking !== undefined && thinking.type !== "disabled",
  };
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

function stopOf({ toolCalls = [], stop }: Answer): string {
  if (stop === "length") return "max_tokens";
  if (stop === "refusal") return "content_filtered";
  return toolCalls.length > 0 || stop === "tools" ? "tool_use" : "end_turn";
}

function contentOf({ thinking = [], text, toolCalls = [] }: Answer): Block[] {
  const reasoning = [thinking]
    .flat()
    .map((one) =>
      typeof one === "string"
        ? { reasoningText: { text: one, signature: sign(one) } }
        : { redactedContent: Buffer.from(one.redacted).toString("base64") },
    );
  return [
    ...reasoning.map((reasoningContent) => ({ reasoningContent })),
    ...(text === undefined || text === "" ? [] : [{ text }]),
    ...toolCalls.map(({ name, arguments: input }) => ({
      toolUse: { toolUseId: `tooluse_${randomUUID().slice(0, 22)}`, name, input },
    })),
  ];
}

/** What the fake's guardrail blocks. */
const FORBIDDEN = /\bforbidden\b/;

/** Returns what the guardrail says of a prompt; undefined if it has nothing against it, or there is none. */
function interventionOf(
  { guardrailConfig }: ConverseRequest,
  { text }: Prompt,
): { trace?: object } | undefined {
  const id = guardrailConfig?.guardrailIdentifier ?? "";
  if (id === "" || !FORBIDDEN.test(text)) return undefined;
  const isTraced = (guardrailConfig?.trace ?? "disabled") !== "disabled";
  const assessment = { topicPolicy: { topics: [{ name: "Forbidden", action: "BLOCKED" }] } };
  return isTraced ? { trace: { guardrail: { inputAssessment: { [id]: assessment } } } } : {};
}

interface Source {
  name?: string;
  title?: string;
  source: unknown;
  citations?: { enabled: boolean };
}

/** Returns the text of a response with a citation of the request's first source, if it wants citations. */
function withCitations(content: Block[], { messages }: ConverseRequest): Block[] {
  const blocks: Block[] = messages.flatMap((message): Block[] => message.content);
  const sources = blocks.flatMap(({ document, searchResult }) => {
    const source = (document ?? searchResult) as Source | undefined;
    return source?.citations?.enabled === true ? [source] : [];
  });
  const [first] = sources;
  if (first === undefined) return content;
  const location =
    first.name === undefined
      ? { searchResultLocation: { searchResultIndex: 0, start: 0, end: 1 } }
      : { documentChar: { documentIndex: 0, start: 0, end: 5 } };
  const citation = {
    title: first.name ?? first.title,
    ...(typeof first.source === "string" && { source: first.source }),
    sourceContent: [{ text: "cited" }],
    location,
  };
  return content.map((block) =>
    "text" in block
      ? { citationsContent: { content: [{ text: block["text"] }], citations: [citation] } }
      : block,
  );
}

function responseTo(
  request: ConverseRequest,
  prompt: Prompt,
  behaviour: Behaviour,
  isStream: boolean,
  { brain }: ConverseOptions,
): FakeResponse {
  const fixed = behaviour.kind === "answer" ? behaviour.answer : undefined;
  const count = behaviour.kind === "answer" ? behaviour.pieces : undefined;
  const intervention = interventionOf(request, prompt);
  const said = fixed ?? brain?.(converseSession(request)) ?? answerTo(prompt);
  const answer: Answer = intervention === undefined ? said : { text: "The guardrail says no." };
  const content = withCitations(
    contentOf(count === undefined ? answer : { ...answer, text: pieces("", count).join("") }),
    request,
  );
  const stopReason = intervention === undefined ? stopOf(answer) : "guardrail_intervened";
  const inputTokens = Math.ceil(JSON.stringify(request.messages).length / 4);
  const outputTokens = Math.ceil(JSON.stringify(content).length / 4);
  const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  const metrics = { latencyMs: 321 };
  if (!isStream) {
    const body = {
      metrics,
      output: { message: { role: "assistant", content } },
      stopReason,
      usage,
      ...intervention,
    };
    const parts = [JSON.stringify(body)];
    return { status: 200, headers: headersOf("application/json"), parts, isStream };
  }
  return {
    status: 200,
    headers: headersOf("application/vnd.amazon.eventstream"),
    parts: [
      event("messageStart", { role: "assistant" }),
      ...content.flatMap((block, index) => blockEvents(block, index, count)),
      event("messageStop", { stopReason }),
      event("metadata", { metrics, ...intervention, usage }),
    ],
    isStream,
  };
}

/** Padded, so that its length reveals nothing. */
function event(type: string, payload: Json): Buffer {
  return eventFrame(type, { ...payload, p: "abcdefghijklmnop".slice(Math.random() * 16) });
}

/** A block of text or reasoning has no start. */
function blockEvents(block: Block, contentBlockIndex: number, count?: number): Buffer[] {
  const tool = block["toolUse"] as { toolUseId: string; name: string; input: object } | undefined;
  const start =
    tool === undefined ? [] : [{ toolUse: { toolUseId: tool.toolUseId, name: tool.name } }];
  return [
    ...start.map((one) => event("contentBlockStart", { contentBlockIndex, start: one })),
    ...deltasOf(block, count).map((delta) =>
      event("contentBlockDelta", { contentBlockIndex, delta }),
    ),
    event("contentBlockStop", { contentBlockIndex }),
  ];
}

function deltasOf(block: Block, count?: number): Json[] {
  const { text, toolUse, reasoningContent, citationsContent } = block as {
    text?: string;
    citationsContent?: { content: { text: string }[]; citations: object[] };
    toolUse?: { input: object };
    reasoningContent?: { reasoningText?: { text: string; signature: string } };
  };
  if (text !== undefined) return pieces(text, count).map((piece) => ({ text: piece }));
  if (citationsContent !== undefined) {
    const { content, citations } = citationsContent;
    return [...content, ...citations.map((citation) => ({ citation }))];
  }
  if (toolUse !== undefined) {
    // A call without arguments has no delta.
    if (Object.keys(toolUse.input).length === 0) return [];
    return pieces(JSON.stringify(toolUse.input)).map((input) => ({ toolUse: { input } }));
  }
  const signed = reasoningContent?.reasoningText;
  if (signed === undefined) return [{ reasoningContent }];
  return [
    ...pieces(signed.text).map((piece) => ({ reasoningContent: { text: piece } })),
    { reasoningContent: { signature: signed.signature } },
  ];
}
