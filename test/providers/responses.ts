// A strict fake of OpenAI's Responses API: its endpoints, what it stores, and which answer it gives.
import type { Answer, Behaviour, Prompt } from "./behaviour.ts";
import { answerTo, directionIn, pieces } from "./behaviour.ts";
import type { Brain } from "./brain.ts";
import {
  commonHeaders,
  errorResponse,
  headerRefusal,
  openaiError,
  unknownModel,
} from "./openai.ts";
import { isRefusal, refuse } from "./openai-request.ts";
import type { Refusal } from "./openai-request.ts";
import {
  failed,
  itemsOf,
  newId,
  responseOf,
  seal,
  unfinished,
  unseal,
} from "./responses-output.ts";
import type { ResponseObject } from "./responses-output.ts";
import { sse, streamOf } from "./responses-stream.ts";
import { memberRefusal, readItems, toolsOf } from "./responses-rules.ts";
import type { Memory } from "./responses-rules.ts";
import { readResponsesRequest } from "./responses-request.ts";
import type { Item, Part, ResponsesRequest } from "./responses-request.ts";
import { startServer } from "./server.ts";
import { responsesSession } from "./session.ts";
import type { Dialect, FakeProvider, ProviderRequest, FakeResponse } from "./server.ts";
import type { ProviderOptions } from "./scripted-provider.ts";

export interface ResponsesOptions extends ProviderOptions {
  /** The only key that is accepted; undefined: no key may be sent, as to a model server of one's own. */
  key?: string;
  /** The models that exist; undefined: all do. */
  models?: string[];
  /** Input tokens that came from the cache. */
  cachedTokens?: number;
  /** Decides each answer; absent: the prompt decides (`answerTo`). */
  brain?: Brain;
}

/** A stored response with what it answered. */
interface Stored {
  response: ResponseObject;
  /** The input items of its request, with ids. */
  input: Item[];
  /** The conversation up to and with its output. */
  items: Item[];
  events: string[];
}

interface State extends Memory {
  options: ResponsesOptions;
  stored: Map<string, Stored>;
}

type Handled = ReturnType<Dialect["handle"]>;
const ANSWER: Behaviour = { kind: "answer" };

export function startResponsesProvider(options: ResponsesOptions = {}): Promise<FakeProvider> {
  return startServer(responsesDialect(options), options);
}

export function responsesDialect(options: ResponsesOptions): Dialect {
  const state: State = {
    options,
    stored: new Map(),
    items: new Map(),
    reasonedBy: new Map(),
    open: (carrier) => unseal(options.key ?? "", carrier),
  };
  return {
    path: /\/responses(?:\/\w+(?:\/(?:cancel|input_items))?)?$/,
    error: openaiError,
    errorEvent(sent, code = "server_error") {
      const message = "The server had an error while processing your request.";
      const [created = "{}"] = sent;
      const { response } = JSON.parse(created.slice(created.indexOf("{"))) as {
        response: ResponseObject;
      };
      const error = { type: code, code, message, param: null };
      return (
        sse({ type: "error", error }, sent.length) +
        sse(
          { type: "response.failed", response: failed(response, { code, message }) },
          sent.length + 1,
        )
      );
    },
    handle(request, next) {
      const handled = answer(request, next, state);
      return isRefusal(handled) ? { response: errorResponse(handled), behaviour: ANSWER } : handled;
    },
  };
}

function answer(
  request: ProviderRequest,
  next: Behaviour | undefined,
  state: State,
): Handled | Refusal {
  const [path = "", query = ""] = request.path.split("?");
  const [name, action] = path
    .slice(path.lastIndexOf("/responses") + 1)
    .split("/")
    .slice(1);
  const methods = name?.startsWith("resp_") === true ? ["GET", "POST", "DELETE"] : ["POST"];
  const refusal = headerRefusal(request, state.options.key, methods);
  if (refusal !== undefined) return refusal;
  switch (name) {
    case undefined:
      return create(request, next, state);
    case "input_tokens":
    case "compact":
      return count(request, name, state);
    default:
      return ofStored(request.method, name, action, new URLSearchParams(query), state);
  }
}

interface Checked {
  request: ResponsesRequest;
  items: Item[];
}

/** The request and its whole conversation, or why it is refused. */
function check(
  json: unknown,
  kind: "create" | "input_tokens" | "compact",
  state: State,
): Checked | Refusal {
  const request = readResponsesRequest(json, kind);
  if (isRefusal(request)) return request;
  const { model, previous_response_id: previousId } = request;
  const previous = state.stored.get(previousId ?? "");
  if (previousId != null && previous === undefined)
    return refuse(
      `Previous response with id '${previousId}' not found.`,
      "previous_response_id",
      "previous_response_not_found",
    );
  const items = readItems(request.input, previous?.items ?? [], state);
  if (isRefusal(items)) return items;
  if (model != null && state.options.models?.includes(model) === false) return unknownModel(model);
  return memberRefusal(request, items, toolsOf(request, items)) ?? { request, items };
}

function create(
  { json }: ProviderRequest,
  next: Behaviour | undefined,
  state: State,
): Handled | Refusal {
  const checked = check(json, "create", state);
  if (isRefusal(checked)) return checked;
  const { request, items } = checked;
  const prompt = promptOf(request, items);
  const behaviour = next ?? directionIn(prompt.text) ?? ANSWER;
  const {
    answer: fixed,
    pieces: count,
    keepalives,
  } = { ...ANSWER, ...behaviour } as Extract<Behaviour, { kind: "answer" }>;
  const tools = toolsOf(request, items);
  const brain = state.options.brain?.(responsesSession(items, tools));
  const said = fixed ?? brain ?? answerTo(prompt);
  const whole: Answer = count === undefined ? said : { ...said, text: pieces("", count).join("") };
  const key = state.options.key ?? "";
  const output = itemsOf(whole, request, tools, key);
  const response = responseOf(request, items, whole, output, state.options.cachedTokens ?? 0);
  const events = streamOf(response, {
    ...(count === undefined ? {} : { pieces: count }),
    ...(keepalives === undefined ? {} : { keepalives }),
    isObfuscated: request.stream_options?.include_obfuscation !== false,
  });
  remember({ response, input: request.input, items, events }, state);
  if (request.stream === true) return { response: stream(events), behaviour };
  if (behaviour.kind === "errorEvent") {
    const { code = "server_error" } = behaviour;
    return {
      response: whole200(failed(response, { code, message: "It failed." })),
      behaviour: ANSWER,
    };
  }
  const first = response.background ? unfinished(response, "queued") : response;
  return { response: whole200(first), behaviour };
}

function remember(stored: Stored, state: State): void {
  const { response, input, items } = stored;
  for (const [index, { id }] of response.output.entries()) {
    const before = response.output[index - 1];
    if (before?.type === "reasoning" && response.output[index]?.type !== "reasoning")
      state.reasonedBy.set(id, before.id);
  }
  if (!response.store) return;
  const output = response.output as Item[];
  for (const item of output) state.items.set(item.id ?? "", item);
  const withIds = input.map((item) => ({ ...item, id: item.id ?? newId("msg") }));
  state.stored.set(response.id, { ...stored, input: withIds, items: [...items, ...output] });
}

function count(
  { json }: ProviderRequest,
  kind: "input_tokens" | "compact",
  state: State,
): Handled | Refusal {
  const checked = check(json, kind, state);
  if (isRefusal(checked)) return checked;
  const { request, items } = checked;
  const tokens = Math.ceil(JSON.stringify([request.instructions, items]).length / 4);
  if (kind === "input_tokens")
    return {
      response: whole200({ object: "response.input_tokens", input_tokens: tokens }),
      behaviour: ANSWER,
    };
  const id = newId("cmp");
  const compaction = {
    id: newId("resp"),
    object: "response.compaction",
    created_at: 1_764_000_000,
    output: [{ id, type: "compaction", encrypted_content: seal(state.options.key ?? "", id) }],
    usage: {
      input_tokens: tokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokens + 10,
    },
  };
  return { response: whole200(compaction), behaviour: ANSWER };
}

/** GET, DELETE, cancel and the input items of a stored response. */
function ofStored(
  method: string,
  id: string,
  action: string | undefined,
  query: URLSearchParams,
  state: State,
): Handled | Refusal {
  const stored = state.stored.get(id);
  const notFound = refuse(`Response with id '${id}' not found.`, null, null, 404);
  if (stored === undefined) return notFound;
  const { response, events } = stored;
  const reply = (json: object): Handled => ({ response: whole200(json), behaviour: ANSWER });
  if (action === "input_items" && method === "GET") return reply(page(stored.input, query));
  if (action === "cancel" && method === "POST") {
    if (!response.background) return refuse("Cannot cancel a synchronous response.", null);
    stored.response = unfinished(response, "cancelled");
    return reply(stored.response);
  }
  if (action !== undefined || method === "POST")
    return refuse(`Not allowed to ${method} on /v1/responses/${id}`, null, null, 405);
  if (method === "DELETE") {
    state.stored.delete(id);
    return reply({ id, object: "response.deleted", deleted: true });
  }
  if (query.get("stream") !== "true") return reply(response);
  if (!response.background)
    return refuse(
      "Streaming is only available for responses that run in the background.",
      "stream",
    );
  const after = Number(query.get("starting_after") ?? -1);
  return { response: stream(events.slice(after + 1)), behaviour: ANSWER };
}

function page(items: Item[], query: URLSearchParams): object {
  const ordered = query.get("order") === "asc" ? items : items.toReversed();
  const after = query.get("after");
  const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const limit = Number(query.get("limit") ?? 20);
  const data = ordered.slice(from, from + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < ordered.length,
  };
}

function textOf(content: string | Part[] | undefined): string {
  if (content === undefined) return "";
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("");
}

function promptOf(request: ResponsesRequest, items: Item[]): Prompt {
  const at = items.findLastIndex(({ role }) => role === "user");
  const { content } = items[at] ?? {};
  const results = items.slice(at + 1).filter(({ type }) => type.endsWith("_call_output"));
  const isAfterCalls = items.at(-1)?.type.endsWith("_call_output") === true;
  const { effort, summary } = request.reasoning ?? {};
  return {
    text: textOf(content),
    images: Array.isArray(content)
      ? content.filter(({ type }) => type === "input_image").length
      : 0,
    toolResults: isAfterCalls ? results.map(({ output }) => textOf(output)) : [],
    tools: toolsOf(request, items).map(({ name = "" }) => name),
    isThinking: (effort ?? summary ?? "none") !== "none",
  };
}

function whole200(json: object): FakeResponse {
  return {
    status: 200,
    headers: commonHeaders("application/json"),
    // The real one indents.
    parts: [JSON.stringify(json, null, 2)],
    isStream: false,
  };
}

function stream(parts: string[]): FakeResponse {
  return {
    status: 200,
    headers: commonHeaders("text/event-stream; charset=utf-8"),
    parts,
    isStream: true,
  };
}
