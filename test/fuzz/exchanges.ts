// Whole exchanges: a client, a provider, and how the bytes of both arrive. Plain data, so that one can be kept as a file.
import fc from "fast-check";
import {
  chatResponses,
  converseResponses,
  failedResponses,
  geminiResponses,
  messagesResponses,
  responsesResponses,
} from "./responses.ts";
import { chatRequest, messagesRequest, responsesRequest } from "./requests.ts";

export interface FuzzedExchange {
  path: string;
  method: string;
  headers: [string, string][];
  body: string;
  /** Damages the body too, by this seed; absent: the body is as the grammar has it. */
  damage?: number;
  /** Whether the upstream filter does the provider's half. */
  isSplit: boolean;
  status: number;
  contentType: string;
  /** What the provider answers, by its dialect and by what it was asked; Converse's streams as lines (`frames.ts`). */
  answers: {
    chat: Answers;
    messages: Answers;
    responses: Answers;
    gemini: Answers;
    converse: Answers;
    failed: string;
  };
  damageResponse?: number;
  isReset: boolean;
  /** How the response is cut. */
  cut: number;
  /** The client goes away after so many chunks. */
  leavesAfter?: number;
}

interface Answers {
  complete: string;
  stream: string;
}

const CHAT_STREAM = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: "hello" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
].map((chunk) => `data: ${JSON.stringify({ id: "chatcmpl-1", model: "m", ...chunk })}\n\n`);

const TAME_RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "m",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "hi", annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

/** What a healthy provider says. */
const TAME_GEMINI = JSON.stringify({
  candidates: [{ content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});

const TAME: FuzzedExchange["answers"] = {
  gemini: { complete: TAME_GEMINI, stream: `data: ${TAME_GEMINI}\r\n\r\n` },
  chat: {
    complete:
      '{"id":"chatcmpl-1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}',
    stream: `${CHAT_STREAM.join("")}data: [DONE]\n\n`,
  },
  messages: {
    complete:
      '{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}',
    stream: [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(""),
  },
  responses: {
    complete: JSON.stringify(TAME_RESPONSE),
    stream: [
      {
        type: "response.created",
        response: { ...TAME_RESPONSE, status: "in_progress", output: [] },
      },
      { type: "response.completed", response: TAME_RESPONSE },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(""),
  },
  converse: {
    complete:
      '{"output":{"message":{"role":"assistant","content":[{"text":"hi"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1}}',
    stream: [
      'event messageStart {"role":"assistant"}',
      'event contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"hi"}}',
      'event contentBlockStop {"contentBlockIndex":0}',
      'event messageStop {"stopReason":"end_turn"}',
      'event metadata {"usage":{"inputTokens":1,"outputTokens":1}}',
    ].join("\n"),
  },
  failed: '{"error":{"message":"no","type":"server_error"}}',
};

const HEADER_NAMES = [
  "authorization",
  "x-api-key",
  "anthropic-version",
  "anthropic-beta",
  "x-gateway-llm-provider-hint",
  "x-gateway-cluster",
  "x-request-id",
  "content-type",
  "accept-encoding",
  "openai-organization",
  "cookie",
  "x-forwarded-for",
  "x-envoy-retry-on",
  "expect",
];
/** Envoy's codecs let no control character but the tab through, so the filter cannot meet one. */
const headerValue = fc.oneof(
  fc.constantFrom(
    "",
    "Bearer x",
    "gpt-4o",
    "claude-sonnet-4-5",
    "2023-06-01",
    "gzip",
    "nobody",
    "a, b",
    "100-continue",
    "é",
    "\t",
  ),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCodePoint(code)),
    maxLength: 60,
  }),
  fc.nat({ max: 9000 }).map((length) => "v".repeat(length)),
);
const header = fc.tuple(
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...HEADER_NAMES) },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/) },
  ),
  headerValue,
);

const PATHS = [
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/messages?beta=true",
  "/v1/chat/completions?",
  "/v1/models",
  "/v1/messages/count_tokens",
  "/v1/responses",
  "/v1/responses/resp_1",
  "/v1/embeddings",
  "/healthz",
  "/",
  "//v1/messages",
  "/v1/chat/completions/",
  "*",
  "/%2e%2e/v1/models",
];

const seed = fc.integer({ min: 0, max: 0x7fff_ffff });
const common = {
  isSplit: fc.boolean(),
  cut: seed,
  isReset: fc.oneof(
    { weight: 6, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
};
const damaged = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: seed },
);
const tame = {
  status: fc.constant(200),
  contentType: fc.constant("application/json"),
  answers: fc.constant(TAME),
  damageResponse: fc.constant(undefined),
  leavesAfter: fc.constant(undefined),
};
const dialect = fc.constantFrom(
  { path: "/v1/chat/completions", body: chatRequest },
  { path: "/v1/messages", body: messagesRequest },
  { path: "/v1/responses", body: responsesRequest },
);
const LENGTH_LATER: [string, string][] = [["host", "localhost"]];

type Fields = { [key in keyof FuzzedExchange]: fc.Arbitrary<FuzzedExchange[key] | undefined> };

const isPresent = ([, value]: [string, unknown]): boolean => value !== undefined;

function exchange(fields: Partial<Fields>): fc.Arbitrary<FuzzedExchange> {
  return fc.record(fields).map((record) => {
    const present = Object.entries(record).filter(isPresent);
    return Object.fromEntries(present) as unknown as FuzzedExchange;
  });
}

/** Any request body, and a healthy provider. */
export const fuzzedRequests = dialect.chain(({ path, body }) =>
  exchange({
    ...common,
    ...tame,
    path: fc.constant(path),
    method: fc.constant("POST"),
    headers: fc.constant(LENGTH_LATER),
    body,
    damage: damaged,
    isReset: fc.constant(false),
  }),
);

const ASKS_USAGE = { stream_options: { include_usage: true } };

/** Healthy requests, any response. */
const PROMPT = { max_tokens: 9, messages: [{ role: "user", content: "hi" }] };
const TAME_BODIES: Record<string, object[]> = {
  "/v1/chat/completions": [
    PROMPT,
    { ...PROMPT, stream: true },
    { ...PROMPT, stream: true, ...ASKS_USAGE },
  ],
  "/v1/messages": [PROMPT, { ...PROMPT, stream: true }],
  "/v1/responses": [
    { input: "hi" },
    { input: "hi", stream: true },
    {
      input: "hi",
      stream: true,
      tools: [
        { type: "custom", name: "patch" },
        { type: "namespace", name: "a", tools: [{ type: "function", name: "read" }] },
      ],
    },
  ],
};
const CLOUDS = ["claude-on-vertex", "claude-on-bedrock"];
const tameBody = (path: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom("gpt-4o", "claude-sonnet-4-5", "gpt-5-codex", "nova", ...CLOUDS),
      fc.constantFrom(...(TAME_BODIES[path] ?? [PROMPT])),
    )
    .map(([model, body]) => JSON.stringify({ model, ...body }));

export const fuzzedResponses = fc.constantFrom(...Object.keys(TAME_BODIES)).chain((path) =>
  exchange({
    ...common,
    path: fc.constant(path),
    method: fc.constant("POST"),
    headers: fc.constant(LENGTH_LATER),
    body: tameBody(path),
    status: fc.oneof(
      { weight: 6, arbitrary: fc.constant(200) },
      { weight: 1, arbitrary: fc.constantFrom(201, 204, 400, 401, 408, 429, 500, 503, 529) },
    ),
    contentType: fc.oneof(
      { weight: 8, arbitrary: fc.constant("as asked") },
      {
        weight: 1,
        arbitrary: fc.constantFrom("application/json", "text/html", "text/event-stream", ""),
      },
    ),
    answers: fc.record({
      chat: fc.record(chatResponses),
      messages: fc.record(messagesResponses),
      responses: fc.record(responsesResponses),
      gemini: fc.record(geminiResponses),
      converse: fc.record(converseResponses),
      failed: failedResponses,
    }),
    damageResponse: damaged,
    leavesAfter: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.nat({ max: 3 }) },
    ),
  }),
);

/** Any request line and headers. */
export const fuzzedHeads = fc.constantFrom(...PATHS).chain((path) =>
  exchange({
    ...common,
    ...tame,
    path: fc.oneof(
      { weight: 5, arbitrary: fc.constant(path) },
      {
        weight: 1,
        arbitrary: fc.webPath().map((other) => (other.startsWith("/") ? other : `/${other}`)),
      },
    ),
    method: fc.oneof(
      { weight: 5, arbitrary: fc.constant("POST") },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "GET",
          "HEAD",
          "OPTIONS",
          "PUT",
          "DELETE",
          "PATCH",
          "TRACE",
          "get",
          "X",
        ),
      },
    ),
    headers: fc.array(header, { maxLength: 8 }),
    body: fc.oneof(tameBody(path), fc.constant("")),
    isReset: fc.constant(false),
  }),
);
