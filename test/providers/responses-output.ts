// How the Responses API answers: the items of an answer and the response object around them.
import { createHmac, randomUUID } from "node:crypto";
import type { Answer, ToolCall } from "./behaviour.ts";
import type { Item, ResponsesRequest } from "./responses-request.ts";
import type { NamedTool } from "./responses-rules.ts";

const CREATED = 1_764_000_000;

export interface ReasoningItem {
  id: string;
  type: "reasoning";
  summary: { type: "summary_text"; text: string }[];
  encrypted_content?: string;
}
export interface MessageItem {
  id: string;
  type: "message";
  status: string;
  role: "assistant";
  content: (
    | { type: "output_text"; text: string; annotations: object[]; logprobs: object[] }
    | { type: "refusal"; refusal: string }
  )[];
}
export interface FunctionCallItem {
  id: string;
  type: "function_call";
  status: string;
  call_id: string;
  name: string;
  namespace?: string;
  arguments: string;
}
export interface CustomCallItem {
  id: string;
  type: "custom_tool_call";
  status: string;
  call_id: string;
  name: string;
  namespace?: string;
  input: string;
}
export interface SearchCallItem {
  id: string;
  type: "web_search_call";
  status: string;
  action: { type: "search"; query: string; queries: string[] };
}
export type OutputItem =
  ReasoningItem | MessageItem | FunctionCallItem | CustomCallItem | SearchCallItem;

export interface ResponseObject {
  id: string;
  status: string;
  output: OutputItem[];
  usage: object | null;
  store: boolean;
  background: boolean;
  error: object | null;
  incomplete_details: object | null;
}

export function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

/** Returns a carrier of an item that only a provider with the same key can open. */
export function seal(key: string, id: string): string {
  const mark = createHmac("sha256", key).update(id).digest("base64url");
  return `gAAAA${Buffer.from(JSON.stringify({ id, mark })).toString("base64url")}`;
}

/** Returns the item's id inside a carrier, or undefined for any other text. */
export function unseal(key: string, carrier: string): string | undefined {
  try {
    const text = Buffer.from(carrier.slice(5), "base64url").toString();
    const { id } = JSON.parse(text) as { id?: unknown };
    return typeof id === "string" && seal(key, id) === carrier ? id : undefined;
  } catch {
    return undefined;
  }
}

export function itemsOf(
  answer: Answer,
  request: ResponsesRequest,
  tools: NamedTool[],
  key: string,
): OutputItem[] {
  const { text, refusal, toolCalls = [], searches = [], stop } = answer;
  const content: MessageItem["content"] = [];
  if (text !== undefined && text !== "")
    content.push({ type: "output_text", text, annotations: [], logprobs: [] });
  if (refusal !== undefined) content.push({ type: "refusal", refusal });
  const items: OutputItem[] = reasoningItems(answer, request, key);
  const status = "completed";
  for (const query of searches)
    items.push({
      ...{ id: newId("ws"), type: "web_search_call", status },
      action: { type: "search", query, queries: [query] },
    });
  if (content.length > 0)
    items.push({ id: newId("msg"), type: "message", status, role: "assistant", content });
  for (const call of toolCalls) items.push(callItem(call, tools));
  const last = items.at(-1);
  if (stop === "length" && last !== undefined && "status" in last) last.status = "incomplete";
  return items;
}

/** One item for what was thought in a row, a part each; what is encrypted has an item without a summary. */
function reasoningItems(
  { thinking = [] }: Answer,
  { include, reasoning }: ResponsesRequest,
  key: string,
): ReasoningItem[] {
  const items: ReasoningItem[] = [];
  const hasSummary = (reasoning?.summary ?? reasoning?.generate_summary) != null;
  let texts: ReasoningItem["summary"] | undefined;
  for (const thought of [thinking].flat()) {
    if (texts === undefined || typeof thought !== "string") {
      const id = newId("rs");
      texts = [];
      const carrier = include?.includes("reasoning.encrypted_content") === true;
      items.push({
        id,
        type: "reasoning",
        summary: texts,
        ...(carrier ? { encrypted_content: seal(key, id) } : {}),
      });
    }
    if (typeof thought !== "string") texts = undefined;
    else if (hasSummary) texts.push({ type: "summary_text", text: thought });
  }
  return items;
}

function callItem(call: ToolCall, tools: NamedTool[]): FunctionCallItem | CustomCallItem {
  const tool = tools.find(
    ({ name, namespace }) => name === call.name && (call.namespace ?? namespace) === namespace,
  );
  const common = {
    status: "completed",
    call_id: `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
    name: call.name,
    ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
  };
  if (tool?.type === "custom") {
    const { input } = call.arguments as { input?: unknown };
    return { id: newId("ctc"), type: "custom_tool_call", ...common, input: String(input) };
  }
  const text = JSON.stringify(call.arguments);
  return { id: newId("fc"), type: "function_call", ...common, arguments: text };
}

/** Returns the finished response, with the request's members repeated in it. */
export function responseOf(
  request: ResponsesRequest,
  items: Item[],
  { stop, thinking = [] }: Answer,
  output: OutputItem[],
  cachedTokens: number,
): ResponseObject {
  const reason =
    stop === "length" ? "max_output_tokens" : stop === "refusal" ? "content_filter" : undefined;
  const input = Math.ceil(JSON.stringify([request.instructions, items]).length / 4);
  const thought = Math.ceil(JSON.stringify(thinking).length / 4) - 1;
  const written = thought + Math.ceil(JSON.stringify(output).length / 4);
  const { conversation } = request;
  return {
    id: newId("resp"),
    ...{ object: "response", created_at: CREATED },
    status: reason === undefined ? "completed" : "incomplete",
    background: request.background ?? false,
    ...{ completed_at: CREATED + 1 },
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    ...(conversation == null
      ? {}
      : { conversation: typeof conversation === "string" ? { id: conversation } : conversation }),
    ...echo(request),
    output,
    store: request.store ?? true,
    usage: {
      input_tokens: input,
      input_tokens_details: {
        cached_tokens: Math.min(cachedTokens, input),
        cache_write_tokens: 0,
      },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: thought },
      total_tokens: input + written,
    },
  };
}

function echo(request: ResponsesRequest): object {
  return {
    ...{ presence_penalty: 0, frequency_penalty: 0 },
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    // Snapshots have a date after their name.
    model: `${request.model ?? "gpt-5"}-2025-11-20`,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt: request.prompt ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? null,
    },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    temperature: request.temperature ?? 1,
    text: {
      format: request.text?.format ?? { type: "text" },
      verbosity: request.text?.verbosity ?? "medium",
    },
    tool_choice: request.tool_choice ?? "auto",
    tools: (request.tools ?? []).map((tool) =>
      tool.type === "function"
        ? { description: null, parameters: null, strict: true, ...tool }
        : tool,
    ),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    user: request.user ?? null,
  };
}

/** A response of which nothing has been written yet. */
export function unfinished<R extends ResponseObject>(response: R, status: string): R {
  return {
    ...response,
    ...{ status, output: [], usage: null, completed_at: null },
    ...{ error: null, incomplete_details: null },
  };
}

/** What a background response looks like after a cancel, or after an error. */
export function failed<R extends ResponseObject>(response: R, error: object): R {
  return { ...unfinished(response, "failed"), error };
}
