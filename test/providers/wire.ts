// What a provider of each dialect writes: a response or its events, from a text, an id, a model and a usage. For the scripts, which
// judge no request; the strict fakes write more.
import { chunkFrame, eventFrame, exceptionFrame } from "./event-stream.ts";

/** The dialects that clients have. */
export type DialectName = "chat" | "messages" | "responses";
/** Also those that only providers have. */
export type ProviderDialect = DialectName | "gemini" | "converse";

export type Part = string | Buffer;

export interface Usage {
  /** Input tokens that no cache has. */
  input: number;
  cacheRead?: number;
  cacheWrite?: number;
  output: number;
  reasoning?: number;
}

export interface Facts {
  id?: string;
  model?: string;
  /** Not reported if absent. */
  usage?: Usage | undefined;
  /** Further members of a complete response, or of the response inside events. */
  members?: object;
}

export interface Wire {
  /** Of a stream. */
  contentType: string;
  /** The events before the first content. */
  begin: (facts?: Facts) => Part[];
  delta: (text: string, facts?: Facts) => Part;
  /** The events after the content, which is `text`. */
  end: (facts?: Facts, text?: string) => Part[];
  complete: (text: string, facts?: Facts) => object;
  error: (message: string) => object;
  /** An error inside a stream. */
  errorEvent: (message: string) => Part;
}

const EVENT_STREAM = "text/event-stream";
const FRAMES = "application/vnd.amazon.eventstream";

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const line = (data: object, end = "\n\n"): string => `data: ${JSON.stringify(data)}${end}`;
const inputOf = ({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number =>
  input + cacheRead + cacheWrite;
/** The member is absent if the usage is. */
const reported = (name: string, usage: Usage | undefined, write: (usage: Usage) => object) =>
  usage === undefined ? {} : { [name]: write(usage) };

const chatUsage = (usage: Usage): object => ({
  prompt_tokens: inputOf(usage),
  completion_tokens: usage.output,
  total_tokens: inputOf(usage) + usage.output,
  prompt_tokens_details: {
    cached_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
  },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
});
const chunk = ({ id = "c1", model = "m" }: Facts, choices: object[], more: object = {}): string =>
  line({ id, object: "chat.completion.chunk", created: 1, model, choices, ...more });
const choice = (delta: object, reason: string | null = null): object[] => [
  { index: 0, delta, finish_reason: reason },
];
const openaiError = (message: string): object => ({
  error: { message, type: "server_error", param: null, code: null },
});

const chat: Wire = {
  contentType: EVENT_STREAM,
  begin: (facts = {}) => [chunk(facts, choice({ role: "assistant", content: "" }))],
  delta: (text, facts = {}) => chunk(facts, choice({ content: text })),
  end: (facts = {}) => [
    chunk(facts, choice({}, "stop")),
    ...(facts.usage === undefined ? [] : [chunk(facts, [], { usage: chatUsage(facts.usage) })]),
    "data: [DONE]\n\n",
  ],
  complete: (content, { id = "c1", model = "m", usage, members } = {}) => ({
    ...{ id, object: "chat.completion", created: 1, model },
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    ...reported("usage", usage, chatUsage),
    ...members,
  }),
  error: openaiError,
  errorEvent: (message) => line(openaiError(message)),
};

const messagesUsage = (usage: Usage): object => ({
  input_tokens: usage.input,
  cache_read_input_tokens: usage.cacheRead,
  cache_creation_input_tokens: usage.cacheWrite,
  output_tokens: usage.output,
  output_tokens_details:
    usage.reasoning === undefined ? undefined : { thinking_tokens: usage.reasoning },
});
const messagesError = (message: string): object => ({ type: "api_error", message });

const messages: Wire = {
  contentType: EVENT_STREAM,
  begin: ({ id = "m1", model = "m", usage } = {}) => [
    event("message_start", {
      message: {
        ...{ id, type: "message", role: "assistant", model, content: [] },
        ...{ stop_reason: null, stop_sequence: null },
        // The first event has the input, and one token of the output.
        usage: usage === undefined ? {} : messagesUsage({ ...usage, output: 1, reasoning: 0 }),
      },
    }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  ],
  delta: (text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
  end: ({ usage } = {}) => [
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: usage === undefined ? {} : messagesUsage(usage),
    }),
    event("message_stop", {}),
  ],
  complete: (text, { id = "m1", model = "m", usage, members } = {}) => ({
    ...{ id, type: "message", role: "assistant", model },
    content: [{ type: "text", text }],
    ...{ stop_reason: "end_turn", stop_sequence: null },
    usage: usage === undefined ? {} : messagesUsage(usage),
    ...members,
  }),
  error: (message) => ({ type: "error", error: messagesError(message), request_id: "r1" }),
  errorEvent: (message) => event("error", { error: messagesError(message) }),
};

const PLACE = { output_index: 0, content_index: 0, item_id: "msg_1" };
const ITEM = { type: "message", id: "msg_1", role: "assistant" };
const textPart = (text: string): object => ({ type: "output_text", text, annotations: [] });
const doneItem = (text: string): object => ({
  ...ITEM,
  status: "completed",
  content: [textPart(text)],
});
const response = ({ id = "resp_1", model = "m", members }: Facts, more: object): object => ({
  ...{ id, object: "response", created_at: 1, model },
  ...more,
  ...members,
});
const responsesUsage = (usage: Usage): object => ({
  input_tokens: inputOf(usage),
  input_tokens_details: {
    cached_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
  },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: inputOf(usage) + usage.output,
});
const completedResponse = (text: string, facts: Facts = {}): object =>
  response(facts, {
    status: "completed",
    output: [doneItem(text)],
    ...reported("usage", facts.usage, responsesUsage),
  });

const responses: Wire = {
  contentType: EVENT_STREAM,
  begin: (facts = {}) => [
    event("response.created", {
      sequence_number: 0,
      response: response(facts, { status: "in_progress", output: [], usage: null }),
    }),
    event("response.output_item.added", {
      ...PLACE,
      sequence_number: 1,
      item: { ...ITEM, content: [] },
    }),
    event("response.content_part.added", { ...PLACE, sequence_number: 2, part: textPart("") }),
  ],
  delta: (delta) => event("response.output_text.delta", { ...PLACE, sequence_number: 3, delta }),
  end: (facts = {}, text = "") => [
    event("response.output_item.done", { ...PLACE, sequence_number: 5, item: doneItem(text) }),
    event("response.completed", { sequence_number: 6, response: completedResponse(text, facts) }),
  ],
  complete: completedResponse,
  error: openaiError,
  errorEvent: (message) =>
    event("error", { code: "server_error", message, param: null, sequence_number: 9 }),
};

const geminiUsage = ({ input, cacheRead = 0, output, reasoning = 0 }: Usage): object => ({
  promptTokenCount: input + cacheRead,
  cachedContentTokenCount: cacheRead,
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + cacheRead + output,
});
const candidate = (content: object, { model = "m", usage, members }: Facts, more = {}): object => ({
  candidates: [{ content, index: 0, ...more }],
  ...reported("usageMetadata", usage, geminiUsage),
  modelVersion: model,
  ...members,
});
const modelText = (text: string): object => ({ role: "model", parts: [{ text }] });
const geminiError = (message: string): object => ({
  error: { code: 500, message, status: "INTERNAL" },
});

const gemini: Wire = {
  contentType: EVENT_STREAM,
  begin: () => [],
  delta: (text, facts = {}) => line(candidate(modelText(text), facts), "\r\n\r\n"),
  end: (facts = {}) => [line(candidate({}, facts, { finishReason: "STOP" }), "\r\n\r\n")],
  complete: (text, facts = {}) => candidate(modelText(text), facts, { finishReason: "STOP" }),
  error: geminiError,
  errorEvent: (message) => line(geminiError(message), "\r\n\r\n"),
};

const converseUsage = (usage: Usage): object => ({
  inputTokens: usage.input,
  outputTokens: usage.output,
  totalTokens: inputOf(usage) + usage.output,
  cacheReadInputTokens: usage.cacheRead,
  cacheWriteInputTokens: usage.cacheWrite,
});

const converse: Wire = {
  contentType: FRAMES,
  begin: () => [eventFrame("messageStart", { role: "assistant" })],
  delta: (text) => eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
  end: ({ usage } = {}) => [
    eventFrame("contentBlockStop", { contentBlockIndex: 0 }),
    eventFrame("messageStop", { stopReason: "end_turn" }),
    eventFrame("metadata", reported("usage", usage, converseUsage)),
  ],
  complete: (text, { usage, members } = {}) => ({
    output: { message: { role: "assistant", content: [{ text }] } },
    stopReason: "end_turn",
    ...reported("usage", usage, converseUsage),
    ...members,
  }),
  error: (message) => ({ message }),
  errorEvent: (message) => exceptionFrame("internalServerException", { message }),
};

export const WIRES: Record<ProviderDialect, Wire> = {
  chat,
  messages,
  responses,
  gemini,
  converse,
};

/** Claude at AWS: the events of Messages, each in a binary frame. */
export const INVOKE_WIRE: Wire = {
  ...messages,
  contentType: FRAMES,
  begin: (facts) => messages.begin(facts).map(framed),
  delta: (text, facts) => framed(messages.delta(text, facts)),
  end: (facts) => messages.end(facts).map(framed),
  errorEvent: (message) => framed(messages.errorEvent(message)),
};

/** The frame of an event of Messages. */
export function framed(part: Part): Buffer {
  return chunkFrame(/^data: (.*)$/m.exec(String(part))?.[1] ?? "");
}

/** The text of the usual response, and the message of the usual error. */
export const RESPONSE_TEXT = "Hello, world.";
export const ERROR_TEXT = "The model is on fire.";
const USAGE: Usage = { input: 1, output: 3 };

export type ResponseKind = "complete" | "stream" | "error";

export interface ResponseParts {
  status: number;
  type: string;
  /** One for each event of a stream; else the whole body. Frames of Converse are latin1. */
  parts: string[];
}

/** The usual response of a provider of that dialect. A stream has its text in two events. */
export function responseParts(dialect: ProviderDialect, kind: ResponseKind): ResponseParts {
  const wire = WIRES[dialect];
  if (kind === "stream") {
    // A client of Chat Completions has to request the usage of a stream.
    const usage = dialect === "chat" ? undefined : USAGE;
    const parts = [
      ...wire.begin({ usage }),
      wire.delta("Hello, "),
      wire.delta("world."),
      ...wire.end({ usage }, RESPONSE_TEXT),
    ];
    return { status: 200, type: wire.contentType, parts: parts.map(latin1) };
  }
  const [status, body] =
    kind === "error"
      ? [500, wire.error(ERROR_TEXT)]
      : [200, wire.complete(RESPONSE_TEXT, { usage: USAGE })];
  return { status, type: "application/json", parts: [JSON.stringify(body)] };
}

/** The events of the usual stream until the first text. */
export function untilFirstText(dialect: ProviderDialect): string {
  const wire = WIRES[dialect];
  return [...wire.begin({ usage: USAGE }), wire.delta("Hello, ")].map(latin1).join("");
}

export function latin1(part: Part): string {
  return typeof part === "string" ? part : part.toString("latin1");
}

/** The dialect that a provider's path is for. */
export function dialectOfPath(path: string): DialectName {
  if (path.startsWith("/v1/messages")) return "messages";
  return path.startsWith("/v1/responses") ? "responses" : "chat";
}
