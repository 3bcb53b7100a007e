// Replies of providers in each dialect, as short as they can be, and what a client of either dialect makes of an answer.
import type { DialectName } from "./ask.ts";

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

const STREAMS: Record<DialectName, string[]> = {
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
};

const COMPLETES: Record<DialectName, object> = {
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
};

const ERRORS: Record<DialectName, object> = {
  chat: { error: { message: ERROR_SAID, type: "server_error", param: null, code: null } },
  messages: { type: "error", error: { type: "api_error", message: ERROR_SAID }, request_id: "r1" },
};

export function replyParts(dialect: DialectName, kind: ReplyKind): ReplyParts {
  if (kind === "stream") return { status: 200, type: "text/event-stream", parts: STREAMS[dialect] };
  const [status, body] = kind === "error" ? [500, ERRORS[dialect]] : [200, COMPLETES[dialect]];
  return { status, type: "application/json", parts: [JSON.stringify(body)] };
}

/** The dialect that a provider is asked in. */
export function dialectOfPath(path: string): DialectName {
  return path.startsWith("/v1/messages") ? "messages" : "chat";
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
  delta?: { text?: string };
  choices?: { delta?: { content?: string } }[];
  error?: { type: string; message: string };
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

function readEvent(dialect: DialectName, data: Event, seen: StreamSeen): void {
  if (data.error !== undefined) {
    if ((data.type === "error") !== (dialect === "messages"))
      throw new Error(`an error of the wrong dialect: ${JSON.stringify(data)}`);
    seen.error = data.error;
  } else if (dialect === "chat") {
    if (data.choices === undefined) throw new Error(`no chunk: ${JSON.stringify(data)}`);
    seen.text += data.choices[0]?.delta?.content ?? "";
  } else {
    if (data.type === undefined) throw new Error(`no event: ${JSON.stringify(data)}`);
    seen.text += data.delta?.text ?? "";
    if (data.type === "message_stop") seen.isFinished = true;
  }
}

interface Complete {
  choices?: { message: { content: string } }[];
  content?: { text: string }[];
}

/** The text of a complete answer in that dialect. */
export function readComplete(dialect: DialectName, body: string): string {
  const answer = JSON.parse(body) as Complete;
  const text =
    dialect === "chat" ? answer.choices?.[0]?.message.content : answer.content?.[0]?.text;
  if (text === undefined) throw new Error(`not an answer in ${dialect}: ${body}`);
  return text;
}
