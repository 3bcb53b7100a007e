// Providers in one server that report random tokens from a fixed seed, and book what they report: the ledger that usage records
// are compared with. A request's text selects what they do: `plan <number> <word>`.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { chunkFrame, eventFrame } from "../providers/event-stream.ts";
import { listen } from "./behaving-provider.ts";
import type { Listening } from "./behaving-provider.ts";

/** What a provider reported for one response, in parts as the usage records have them. */
export interface Booking {
  /** The model that was requested. */
  model: string;
  /** All input tokens, cached ones included. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
}

/**
 * `answer`: a whole response or stream. `cut`: a stream that stops at its first token, for a client that hangs up; `long`: the same
 * with much text in that event. `broken`: an
 * error event behind the first token. `fail`: status 503. `refuse`: status 400.
 */
export type Word = "answer" | "cut" | "long" | "broken" | "fail" | "refuse";

export interface LedgerProvider extends Listening {
  /** One for each response with usage. */
  bookings: Booking[];
}

/** The first token of every stream. */
export const MARKER = "Hello-first-token";

/** 10,000 tokens. */
export const LONG = MARKER.padStart(40_000, "word ");

export async function startLedgerProvider(seed: number): Promise<LedgerProvider> {
  const bookings: Booking[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      respond(incoming.url ?? "", body, response, seed, bookings);
    });
  });
  const listening = await listen(server, () => {
    server.closeAllConnections();
  });
  return { ...listening, bookings };
}

/** Returns a generator of whole numbers below a limit (mulberry32). */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

/** A dialect as one of its providers writes it. */
interface Wire {
  path: RegExp;
  isStream: (path: string, body: Json) => boolean;
  /** The events until the first token, and what they report. */
  begin: (tokens: Tokens) => { parts: Part[]; reported?: Tokens };
  end: (tokens: Tokens, body: Json) => { parts: Part[]; reported?: Tokens };
  whole: (tokens: Tokens) => object;
  error: Part;
  type?: string;
}

type Json = Record<string, unknown>;
type Part = string | Buffer;
type Tokens = Omit<Booking, "model" | "input"> & { fresh: number };

function respond(
  path: string,
  text: string,
  response: ServerResponse,
  seed: number,
  bookings: Booking[],
): void {
  const body = JSON.parse(text) as Json;
  const [, number = "0", word = "answer"] = /plan (\d+) (\w+)/.exec(text) ?? [];
  const wire = WIRES.find((one) => one.path.test(path));
  if (wire === undefined) throw new Error(`no provider has the path ${path}`);
  const [, named = ""] = wire.path.exec(path) ?? [];
  const model = named === "" ? String(body["model"]) : decodeURIComponent(named);
  const send = (status: number, type: string, ...parts: Part[]) => {
    response.writeHead(status, { "content-type": type });
    for (const part of parts) response.write(part);
  };
  if (word === "fail" && model.startsWith("failing")) {
    send(503, "application/json", JSON.stringify({ error: { message: "No." } }));
    response.end();
    return;
  }
  if (word === "refuse") {
    send(400, "application/json", JSON.stringify({ error: { message: "No." } }));
    response.end();
    return;
  }
  const tokens = tokensOf(wire, randomFrom(seed + Number(number)));
  if (!wire.isStream(path, body)) {
    book(bookings, model, tokens);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(wire.whole(tokens)));
    return;
  }
  const { parts, reported } = wire.begin(tokens);
  const isCut = word === "cut" || word === "long";
  if (isCut || word === "broken") book(bookings, model, reported);
  const sent = word === "long" ? parts.map((part) => String(part).replace(MARKER, LONG)) : parts;
  send(200, wire.type ?? "text/event-stream", ...sent);
  if (isCut) return;
  if (word === "broken") {
    response.end(wire.error);
    return;
  }
  const rest = wire.end(tokens, body);
  book(bookings, model, rest.reported ?? reported);
  for (const part of rest.parts) response.write(part);
  response.end();
}

function book(bookings: Booking[], model: string, tokens: Tokens | undefined): void {
  if (tokens === undefined) return;
  const { fresh, cacheRead, cacheWrite, output, reasoning } = tokens;
  const input = fresh + cacheRead + cacheWrite;
  bookings.push({ model, input, cacheRead, cacheWrite, output, reasoning });
}

function tokensOf({ path }: Wire, random: (limit: number) => number): Tokens {
  const output = 2 + random(900);
  const tokens = { fresh: 1 + random(5000), cacheRead: 0, cacheWrite: 0, output, reasoning: 0 };
  const kind = random(4);
  if (path !== EMBEDDINGS && kind > 0) tokens.cacheRead = random(3000);
  // Gemini reports no writing.
  if (path !== EMBEDDINGS && path !== GEMINI && kind > 1) tokens.cacheWrite = random(500);
  // Converse reports no reasoning.
  if (path !== EMBEDDINGS && path !== CONVERSE && kind > 2) tokens.reasoning = random(output);
  return path === EMBEDDINGS ? { ...tokens, output: 0 } : tokens;
}

const EMBEDDINGS = /\/v1\/embeddings$/;
const GEMINI = /\/models\/(gemini[^/:]+):/;
const CONVERSE = /\/model\/([^/]+)\/converse/;

const isStreamInBody = (_: string, body: Json) => body["stream"] === true;
const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const line = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const inputOf = ({ fresh, cacheRead, cacheWrite }: Tokens) => fresh + cacheRead + cacheWrite;

const chatUsage = (tokens: Tokens): object => ({
  prompt_tokens: inputOf(tokens),
  completion_tokens: tokens.output,
  total_tokens: inputOf(tokens) + tokens.output,
  prompt_tokens_details: {
    cached_tokens: tokens.cacheRead,
    cache_write_tokens: tokens.cacheWrite,
  },
  completion_tokens_details: { reasoning_tokens: tokens.reasoning },
});
const chunk = (delta: object, reason: string | null = null): string =>
  line({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });

const CHAT: Wire = {
  path: /\/v1\/chat\/completions$/,
  isStream: isStreamInBody,
  begin: () => ({ parts: [chunk({ role: "assistant", content: "" }), chunk({ content: MARKER })] }),
  end(tokens, body) {
    const isAsked = (body["stream_options"] as Json | undefined)?.["include_usage"] === true;
    const usage = { id: "c1", object: "chat.completion.chunk", model: "m", choices: [] };
    return {
      parts: [
        ...Array.from({ length: 5 }, () => chunk({ content: ' "usage": {' })),
        chunk({}, "stop"),
        ...(isAsked ? [line({ ...usage, usage: chatUsage(tokens) })] : []),
        "data: [DONE]\n\n",
      ],
      ...(isAsked ? { reported: tokens } : {}),
    };
  },
  whole: (tokens) => ({
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: MARKER }, finish_reason: "stop" }],
    usage: chatUsage(tokens),
    service_tier: "default",
  }),
  error: line({ error: { message: "It broke.", type: "server_error" } }),
};

const anthropicUsage = (tokens: Tokens): object => ({
  input_tokens: tokens.fresh,
  cache_read_input_tokens: tokens.cacheRead,
  cache_creation_input_tokens: tokens.cacheWrite,
  output_tokens: tokens.output,
  output_tokens_details: { thinking_tokens: tokens.reasoning },
});
const MESSAGE = { id: "m1", type: "message", role: "assistant", model: "m", content: [] };

const MESSAGES: Wire = {
  path: /\/v1\/messages$/,
  isStream: isStreamInBody,
  begin(tokens) {
    const reported = { ...tokens, output: 1, reasoning: 0 };
    const message = { ...MESSAGE, stop_reason: null, usage: anthropicUsage(reported) };
    return {
      parts: [
        event("message_start", { message }),
        event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
        event("content_block_delta", { index: 0, delta: { type: "text_delta", text: MARKER } }),
      ],
      reported,
    };
  },
  end: (tokens) => ({
    parts: [
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: anthropicUsage(tokens),
      }),
      event("message_stop", {}),
    ],
    reported: tokens,
  }),
  whole: (tokens) => ({
    ...MESSAGE,
    content: [{ type: "text", text: MARKER }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: anthropicUsage(tokens),
  }),
  error: event("error", { error: { type: "api_error", message: "It broke." } }),
};

/** Claude at Google Cloud: the same, by another path. */
const VERTEX: Wire = {
  ...MESSAGES,
  path: /\/publishers\/anthropic\/models\/([^/:]+):/,
  isStream: (path) => path.endsWith(":streamRawPredict"),
};

/** Claude at AWS: each event in a binary frame. */
const INVOKE: Wire = {
  ...MESSAGES,
  path: /\/model\/([^/]+)\/invoke/,
  type: "application/vnd.amazon.eventstream",
  isStream: (path) => path.endsWith("-with-response-stream"),
  begin(tokens) {
    const { parts, ...rest } = MESSAGES.begin(tokens);
    return { parts: parts.map(framed), ...rest };
  },
  end(tokens, body) {
    const { parts, ...rest } = MESSAGES.end(tokens, body);
    return { parts: parts.map(framed), ...rest };
  },
  error: framed(MESSAGES.error),
};

function framed(part: Part): Buffer {
  return chunkFrame(/^data: (.*)$/m.exec(String(part))?.[1] ?? "");
}

const PLACE = { output_index: 0, content_index: 0, item_id: "msg_1" };
const ITEM = { type: "message", id: "msg_1", role: "assistant" };
const DONE_ITEM = {
  ...ITEM,
  status: "completed",
  content: [{ type: "output_text", text: MARKER, annotations: [] }],
};
/** The echo of a tool whose parameter has the name of a response's member. */
const TOOLS = [
  {
    type: "function",
    name: "f",
    parameters: { type: "object", properties: { usage: { type: "object", input_tokens: 7 } } },
  },
];
const RESPONSE = { id: "resp_1", object: "response", created_at: 1, model: "m", tools: TOOLS };
const completed = (tokens: Tokens): object => ({
  ...RESPONSE,
  status: "completed",
  output: [DONE_ITEM],
  usage: {
    input_tokens: inputOf(tokens),
    input_tokens_details: {
      cached_tokens: tokens.cacheRead,
      cache_write_tokens: tokens.cacheWrite,
    },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: inputOf(tokens) + tokens.output,
  },
});

const RESPONSES: Wire = {
  path: /\/v1\/responses$/,
  isStream: isStreamInBody,
  begin: () => ({
    parts: [
      event("response.created", {
        sequence_number: 0,
        response: { ...RESPONSE, status: "in_progress", output: [], usage: null },
      }),
      event("response.output_item.added", {
        ...PLACE,
        sequence_number: 1,
        item: { ...ITEM, content: [] },
      }),
      event("response.content_part.added", {
        ...PLACE,
        sequence_number: 2,
        part: { type: "output_text", text: "", annotations: [] },
      }),
      event("response.output_text.delta", { ...PLACE, sequence_number: 3, delta: MARKER }),
    ],
  }),
  end: (tokens) => ({
    parts: [
      event("response.output_item.done", { ...PLACE, sequence_number: 4, item: DONE_ITEM }),
      event("response.completed", { sequence_number: 5, response: completed(tokens) }),
    ],
    reported: tokens,
  }),
  whole: completed,
  error: event("error", { code: "server_error", message: "It broke.", sequence_number: 9 }),
};

const geminiUsage = ({ fresh, cacheRead, output, reasoning }: Tokens): object => ({
  promptTokenCount: fresh + cacheRead,
  cachedContentTokenCount: cacheRead,
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: fresh + cacheRead + output,
});
const candidate = (text: string, tokens: Tokens, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  usageMetadata: geminiUsage(tokens),
  modelVersion: "m",
});

const GEMINI_WIRE: Wire = {
  path: GEMINI,
  isStream: (path) => path.includes(":streamGenerateContent"),
  begin(tokens) {
    const reported = { ...tokens, output: 1, reasoning: 0 };
    return { parts: [line(candidate(MARKER, reported))], reported };
  },
  end: (tokens) => ({
    parts: [line(candidate(".", tokens, { finishReason: "STOP" }))],
    reported: tokens,
  }),
  whole: (tokens) => candidate(MARKER, tokens, { finishReason: "STOP" }),
  error: line({ error: { code: 500, message: "It broke.", status: "INTERNAL" } }),
};

const converseUsage = (tokens: Tokens): object => ({
  inputTokens: tokens.fresh,
  outputTokens: tokens.output,
  totalTokens: inputOf(tokens) + tokens.output,
  cacheReadInputTokens: tokens.cacheRead,
  cacheWriteInputTokens: tokens.cacheWrite,
});

const CONVERSE_WIRE: Wire = {
  path: CONVERSE,
  type: "application/vnd.amazon.eventstream",
  isStream: (path) => path.endsWith("converse-stream"),
  begin: () => ({
    parts: [
      eventFrame("messageStart", { role: "assistant" }),
      eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: MARKER } }),
    ],
  }),
  end: (tokens) => ({
    parts: [
      eventFrame("contentBlockStop", { contentBlockIndex: 0 }),
      eventFrame("messageStop", { stopReason: "end_turn" }),
      eventFrame("metadata", { usage: converseUsage(tokens) }),
    ],
    reported: tokens,
  }),
  whole: (tokens) => ({
    output: { message: { role: "assistant", content: [{ text: MARKER }] } },
    stopReason: "end_turn",
    usage: converseUsage(tokens),
  }),
  error: Buffer.alloc(0),
};

const EMBEDDINGS_WIRE: Wire = {
  ...CHAT,
  path: EMBEDDINGS,
  isStream: () => false,
  whole: ({ fresh }) => ({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: [0.5] }],
    model: "m",
    usage: { prompt_tokens: fresh, total_tokens: fresh },
  }),
};

const WIRES = [
  CHAT,
  MESSAGES,
  VERTEX,
  INVOKE,
  RESPONSES,
  GEMINI_WIRE,
  CONVERSE_WIRE,
  EMBEDDINGS_WIRE,
];
