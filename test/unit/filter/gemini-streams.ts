// Streams of Gemini, as recorded by its clients and peers or by the API's reference, and what clients make of them.
type Json = Record<string, unknown>;

export interface GeminiStream {
  name: string;
  /** The responses of the events. */
  responses: Json[];
  /** A messages client's content; the ids of calls are compared as patterns. */
  content: Json[];
  stopReason: string;
  finishReason: string;
  /** Fresh input, cached input, output, reasoning. */
  usage?: [number, number, number, number];
  dropped?: number;
}

const HEAD = { modelVersion: "gemini-3-pro", responseId: "abc_123" };

export function event(candidate: Json, more: Json = {}): Json {
  return { candidates: [{ index: 0, ...candidate }], ...more, ...HEAD };
}

const parts = (...list: Json[]): Json => ({ content: { parts: list, role: "model" } });
const call = (name: string, args?: Json, id?: string): Json => ({
  functionCall: { ...(id === undefined ? {} : { id }), name, ...(args && { args }) },
});
const usageMetadata = (values: Json): Json => ({ usageMetadata: values });
const STOP = { finishReason: "STOP" };
const grounding = (...titles: string[]): Json => ({
  webSearchQueries: ["q"],
  groundingChunks: titles.map((title) => ({ web: { uri: `https://${title}.example`, title } })),
});
const citation = (title: string): Json => ({
  type: "web_search_result_location",
  cited_text: "",
  url: `https://${title}.example`,
  title,
  encrypted_index: "gw1.n",
});

export const GEMINI_STREAMS: GeminiStream[] = [
  {
    name: "a text in pieces",
    responses: [
      event(parts({ text: "Hel" }), usageMetadata({ promptTokenCount: 5, totalTokenCount: 5 })),
      event(parts({ text: 'lo "w"\n' })),
      event(
        { ...parts({ text: "orld ☃ \u{1f600}" }), ...STOP },
        usageMetadata({ promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 }),
      ),
    ],
    content: [{ type: "text", text: 'Hello "w"\norld ☃ \u{1f600}' }],
    stopReason: "end_turn",
    finishReason: "stop",
    usage: [5, 0, 7, -1],
  },
  {
    // langchainjs#9912: early events have some members of the usage only.
    name: "usage in parts, cached and thought tokens",
    responses: [
      event(parts({ text: "A" }), usageMetadata({ cachedContentTokenCount: 40, trafficType: "X" })),
      event(
        parts({ text: "B" }),
        usageMetadata({ promptTokenCount: 100, toolUsePromptTokenCount: 3, thoughtsTokenCount: 9 }),
      ),
      event({ ...STOP }, usageMetadata({ candidatesTokenCount: 2, totalTokenCount: 114 })),
    ],
    content: [{ type: "text", text: "AB" }],
    stopReason: "end_turn",
    finishReason: "stop",
    usage: [63, 40, 11, 9],
  },
  {
    name: "thoughts, then a text; the signature on an empty last part",
    responses: [
      event(parts({ text: "First, ", thought: true })),
      event(parts({ text: "think.", thought: true })),
      event(parts({ text: "Four." })),
      event({ ...parts({ text: "", thoughtSignature: "c2ln" }), ...STOP }),
    ],
    content: [
      { type: "thinking", thinking: "First, think." },
      { type: "text", text: "Four." },
    ],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  {
    // litellm#22900: newer models send the reason in a separate event.
    name: "parallel calls, signed, and the reason behind them",
    responses: [
      event(
        parts({
          ...call("weather", { city: 'Os"lo' }, "fc-1"),
          thoughtSignature: "Z2VtaW5pOvv/+A==",
        }),
      ),
      event(parts(call("now", {}, "fc-2"), call("zone", { a: ["b", { c: 1 }] }, "fc-3"))),
      event({ content: {}, ...STOP }),
    ],
    content: [
      {
        type: "tool_use",
        id: "gw1_g04fc-1Z2VtaW5pOvv_-A",
        name: "weather",
        input: { city: 'Os"lo' },
      },
      { type: "tool_use", id: "fc-2", name: "now", input: {} },
      { type: "tool_use", id: "fc-3", name: "zone", input: { a: ["b", { c: 1 }] } },
    ],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "calls without ids and arguments",
    responses: [
      event({ ...parts({ text: "Well." }, call("now"), call("now", { z: 1 })), ...STOP }),
    ],
    content: [
      { type: "text", text: "Well." },
      { type: "tool_use", id: "call_req1_0", name: "now", input: {} },
      { type: "tool_use", id: "call_req1_1", name: "now", input: { z: 1 } },
    ],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "an id that no other API accepts",
    responses: [event({ ...parts(call("now", {}, "a b/c")), ...STOP })],
    content: [{ type: "tool_use", id: "call_req1_0", name: "now", input: {} }],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "the reason in every event",
    responses: [
      event({ ...parts({ text: "A" }), ...STOP }),
      event({ ...parts({ text: "B" }), ...STOP }),
      event({ ...parts({ text: "C" }), finishReason: "MAX_TOKENS" }),
    ],
    content: [{ type: "text", text: "ABC" }],
    stopReason: "max_tokens",
    finishReason: "length",
  },
  {
    name: "a response that is continued by a token",
    responses: [
      event({ ...parts({ text: "A" }), finishReason: "CONTINUATION", continuationToken: "t" }),
    ],
    content: [{ type: "text", text: "A" }],
    stopReason: "max_tokens",
    finishReason: "length",
  },
  {
    // agent-kit#178: all tokens went into thoughts.
    name: "no content but the reason",
    responses: [event({ content: { role: "model" }, finishReason: "MAX_TOKENS" })],
    content: [],
    stopReason: "max_tokens",
    finishReason: "length",
  },
  {
    name: "output stopped for safety",
    responses: [
      event(parts({ text: "Once" })),
      event({ finishReason: "SAFETY", safetyRatings: [], finishMessage: "Blocked." }),
    ],
    content: [
      { type: "text", text: "Once" },
      { type: "text", text: "Blocked." },
    ],
    stopReason: "refusal",
    finishReason: "content_filter",
  },
  {
    name: "a blocked prompt",
    responses: [
      {
        promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
        ...usageMetadata({ promptTokenCount: 4, totalTokenCount: 4 }),
        ...HEAD,
      },
    ],
    content: [],
    stopReason: "refusal",
    finishReason: "content_filter",
  },
  {
    name: "a blocked prompt with a message, and candidates that are null",
    responses: [
      {
        candidates: null,
        promptFeedback: { blockReason: "JAILBREAK", blockReasonMessage: "No." },
        ...HEAD,
      },
    ],
    content: [{ type: "text", text: "No." }],
    stopReason: "refusal",
    finishReason: "content_filter",
  },
  {
    name: "code that Google ran is blocks, further candidates are dropped, images are a chat client's",
    responses: [
      {
        ...event(parts({ inlineData: { mimeType: "image/png", data: "AA==" } }, { text: "See." })),
        ...HEAD,
      },
      event(parts({ executableCode: { language: "PYTHON", code: "1" } })),
      { candidates: [{ index: 1, ...parts({ text: "Other" }) }], ...HEAD },
      event(STOP),
    ],
    content: [
      { type: "text", text: "See." },
      { type: "server_tool_use", name: "code_execution", input: { code: "1" } },
      { type: "code_execution_tool_result" },
    ],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 2,
  },
  {
    name: "output stopped by Model Armor",
    responses: [event({ finishReason: "MODEL_ARMOR", finishMessage: "Blocked by Model Armor." })],
    content: [{ type: "text", text: "Blocked by Model Armor." }],
    stopReason: "refusal",
    finishReason: "content_filter",
  },
  {
    name: "sources of a search become citations, each once; others are counted",
    responses: [
      event({ ...parts({ text: "Oslo" }), groundingMetadata: {} }),
      event({ ...parts({ text: "." }), groundingMetadata: grounding("A") }),
      event({ ...STOP, groundingMetadata: grounding("A", "B") }),
      event({ groundingMetadata: { groundingChunks: [{}, {}, { image: { imageUri: "x" } }] } }),
    ],
    content: [
      { type: "text", text: "Oslo.", citations: [citation("A"), citation("B")] },
      { type: "server_tool_use", name: "web_search" },
      { type: "web_search_tool_result" },
    ],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "sources of recited texts become citations",
    responses: [
      event({
        ...parts({ text: "x" }),
        ...STOP,
        citationMetadata: {
          citationSources: [
            { startIndex: 0, endIndex: 1, uri: "https://a.example", license: "" },
            { startIndex: 0, endIndex: 1 },
          ],
        },
      }),
    ],
    content: [{ type: "text", text: "x", citations: [{ ...citation("a"), title: null }] }],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "tools that Google ran are counted, signed or not; arguments in parts are counted",
    responses: [
      event(parts({ toolCall: { toolType: "GOOGLE_SEARCH", args: {} }, thoughtSignature: "c2ln" })),
      event(parts({ toolResponse: { toolType: "GOOGLE_SEARCH" } })),
      event(
        parts({
          functionCall: {
            name: "f",
            id: "fc-1",
            partialArgs: [{ jsonPath: "$.a", stringValue: "b" }],
          },
        }),
      ),
      event(STOP),
    ],
    content: [{ type: "tool_use", id: "fc-1", name: "f", input: {} }],
    stopReason: "tool_use",
    finishReason: "tool_calls",
    dropped: 3,
  },
  {
    name: "a reason that nobody knows",
    responses: [event({ ...parts({ text: "A" }), finishReason: "BRAND_NEW" })],
    content: [{ type: "text", text: "A" }],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
];

export interface FailedStream {
  name: string;
  responses: Json[];
  status: number;
  /** A part of the message. */
  message: string;
}

export const GEMINI_FAILURES: FailedStream[] = [
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "OTHER"].map(
    (finishReason) => ({
      name: finishReason,
      responses: [event({ content: {}, finishReason, finishMessage: "print(default_api.f(" })],
      status: 502,
      message: `${finishReason}: print(default_api.f(`,
    }),
  ),
  {
    name: "a malformed call behind a text",
    responses: [event(parts({ text: "Well" })), event({ finishReason: "MALFORMED_FUNCTION_CALL" })],
    status: 502,
    message: "MALFORMED_FUNCTION_CALL",
  },
  {
    name: "an error with a code",
    responses: [
      { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
    ],
    status: 503,
    message: "The model is overloaded.",
  },
  {
    name: "an error without a code",
    responses: [{ error: { message: "Quota exceeded.", status: "RESOURCE_EXHAUSTED" } }],
    status: 429,
    message: "Quota exceeded.",
  },
  {
    name: "no candidate and no reason",
    responses: [{ ...HEAD, ...usageMetadata({ promptTokenCount: 4 }) }],
    status: 502,
    message: "",
  },
];

/** The bytes of a stream: CRLF, and the escapes of Google's servers. */
export function sseOf(responses: readonly Json[]): string {
  return responses
    .map((one) => `data: ${JSON.stringify(one).replaceAll("=", String.raw`\u003d`)}\r\n\r\n`)
    .join("");
}
