// Replies of providers in each dialect, as short as they can be, and what a client of either dialect makes of an answer.
import { eventFrame } from "../providers/event-stream.ts";
import type { DialectName, ProviderDialect } from "./ask.ts";

export type ReplyKind = "complete" | "stream" | "error";

/** What the provider says, and the client should find. */
export const SAID = "Hello, world.";
export const ERROR_SAID = "The model is on fire.";

interface ReplyParts {
  status: number;
  type: string;
  /** One for each event of a stream; else the whole body. */
  parts: string[];
}

const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;

const PLACE = { output_index: 0, content_index: 0, item_id: "msg_1" };
const MESSAGE = { type: "message", id: "msg_1", role: "assistant", content: [] as object[] };
const SAID_MESSAGE = {
  ...MESSAGE,
  status: "completed",
  content: [{ type: "output_text", text: SAID, annotations: [] }],
};
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "in_progress",
};
const USAGE = { input_tokens: 1, output_tokens: 3, total_tokens: 4 };

const geminiEvent = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`;
const candidate = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  modelVersion: "m",
});
const GEMINI_USAGE = { promptTokenCount: 1, candidatesTokenCount: 3, totalTokenCount: 4 };

const frame = (type: string, payload: object): string =>
  eventFrame(type, payload).toString("latin1");

/** Those of Converse are bytes, as latin1. */
const STREAMS: Record<ProviderDialect, string[]> = {
  converse: [
    frame("messageStart", { role: "assistant" }),
    frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hello, " } }),
    frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "world." } }),
    frame("contentBlockStop", { contentBlockIndex: 0 }),
    frame("messageStop", { stopReason: "end_turn" }),
    frame("metadata", { usage: { inputTokens: 1, outputTokens: 3, totalTokens: 4 } }),
  ],
  gemini: [
    geminiEvent(candidate("Hello, ")),
    geminiEvent(candidate("world.")),
    geminiEvent({
      candidates: [{ content: {}, finishReason: "STOP" }],
      usageMetadata: GEMINI_USAGE,
      modelVersion: "m",
    }),
  ],
  chat: [
    chunk({ delta: { role: "assistant", content: "Hello, " }, finish_reason: null }),
    chunk({ delta: { content: "world." }, finish_reason: null }),
    chunk({ delta: {}, finish_reason: "stop" }),
    "data: [DONE]\n\n",
  ],
  messages: [
    event("message_start", {
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hello, " } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "world." } }),
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 3 },
    }),
    event("message_stop", {}),
  ],
  responses: [
    event("response.created", { sequence_number: 0, response: { ...RESPONSE, output: [] } }),
    event("response.output_item.added", { ...PLACE, sequence_number: 1, item: MESSAGE }),
    event("response.content_part.added", {
      ...PLACE,
      sequence_number: 2,
      part: { type: "output_text", text: "", annotations: [] },
    }),
    event("response.output_text.delta", { ...PLACE, sequence_number: 3, delta: "Hello, " }),
    event("response.output_text.delta", { ...PLACE, sequence_number: 4, delta: "world." }),
    event("response.output_item.done", { ...PLACE, sequence_number: 5, item: SAID_MESSAGE }),
    event("response.completed", {
      sequence_number: 6,
      response: { ...RESPONSE, status: "completed", output: [SAID_MESSAGE], usage: USAGE },
    }),
  ],
};

const COMPLETES: Record<ProviderDialect, object> = {
  converse: {
    output: { message: { role: "assistant", content: [{ text: SAID }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 1, outputTokens: 3, totalTokens: 4 },
  },
  gemini: { ...candidate(SAID, { finishReason: "STOP" }), usageMetadata: GEMINI_USAGE },
  chat: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: SAID }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
  },
  messages: {
    id: "m1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: SAID }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 3 },
  },
  responses: { ...RESPONSE, status: "completed", output: [SAID_MESSAGE], usage: USAGE },
};

const OPENAI_ERROR = {
  error: { message: ERROR_SAID, type: "server_error", param: null, code: null },
};
const ERRORS: Record<ProviderDialect, object> = {
  converse: { message: ERROR_SAID },
  gemini: { error: { code: 500, message: ERROR_SAID, status: "INTERNAL" } },
  chat: OPENAI_ERROR,
  responses: OPENAI_ERROR,
  messages: { type: "error", error: { type: "api_error", message: ERROR_SAID }, request_id: "r1" },
};

export function replyParts(dialect: ProviderDialect, kind: ReplyKind): ReplyParts {
  const type = dialect === "converse" ? "application/vnd.amazon.eventstream" : "text/event-stream";
  if (kind === "stream") return { status: 200, type, parts: STREAMS[dialect] };
  const [status, body] = kind === "error" ? [500, ERRORS[dialect]] : [200, COMPLETES[dialect]];
  return { status, type: "application/json", parts: [JSON.stringify(body)] };
}

/** The dialect that a provider is asked in. */
export function dialectOfPath(path: string): DialectName {
  if (path.startsWith("/v1/messages")) return "messages";
  return path.startsWith("/v1/responses") ? "responses" : "chat";
}

/** What a stream told a client of that dialect. */
export interface StreamSeen {
  text: string;
  /** Whether the dialect's own last event came. */
  isFinished: boolean;
  /** The error event that ended it. */
  error?: { type: string; message: string };
}

interface Event {
  type?: string;
  delta?: { text?: string } | string;
  choices?: { delta?: { content?: string } }[];
  error?: { type: string; message: string } | null;
}

/** Reads a stream as the dialect's SDK does. Throws at an event that is not of the dialect. */
export function readStream(dialect: DialectName, body: string): StreamSeen {
  const seen: StreamSeen = { text: "", isFinished: false };
  for (const block of body.split("\n\n").slice(0, -1)) {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) continue;
    if (data === "[DONE]") {
      seen.isFinished = dialect === "chat";
      continue;
    }
    readEvent(dialect, JSON.parse(data) as Event, seen);
  }
  return seen;
}

const LAST_EVENT = { messages: "message_stop", responses: "response.completed" };

function readEvent(dialect: DialectName, data: Event, seen: StreamSeen): void {
  if (data.error !== undefined && data.error !== null) {
    if ((data.type === "error") !== (dialect !== "chat"))
      throw new Error(`an error of the wrong dialect: ${JSON.stringify(data)}`);
    seen.error = data.error;
  } else if (dialect === "chat") {
    if (data.choices === undefined) throw new Error(`no chunk: ${JSON.stringify(data)}`);
    seen.text += data.choices[0]?.delta?.content ?? "";
  } else {
    if (data.type === undefined) throw new Error(`no event: ${JSON.stringify(data)}`);
    seen.text += (typeof data.delta === "string" ? data.delta : data.delta?.text) ?? "";
    if (data.type === LAST_EVENT[dialect]) seen.isFinished = true;
  }
}

interface Complete {
  choices?: { message: { content: string } }[];
  content?: { text: string }[];
  output?: { content: { text: string }[] }[];
}

/** The text of a complete answer in that dialect. */
export function readComplete(dialect: DialectName, body: string): string {
  const answer = JSON.parse(body) as Complete;
  const text = {
    chat: answer.choices?.[0]?.message.content,
    messages: answer.content?.[0]?.text,
    responses: answer.output?.[0]?.content[0]?.text,
  }[dialect];
  if (text === undefined) throw new Error(`not an answer in ${dialect}: ${body}`);
  return text;
}
