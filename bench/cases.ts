// The cases: what is sent, how fast, and what the gateway has to reach.
import {
  BEDROCK_KEY_MODEL,
  BEDROCK_MODEL,
  CHAT_MODEL,
  chatAgentBody,
  chatBody,
  GEMINI_MODEL,
  MESSAGES_MODEL,
  messagesAgentBody,
  messagesBody,
  RESPONSES_MODEL,
  responsesBody,
  SAFE_MODEL,
} from "./bodies.ts";

export const CHAT = "/v1/chat/completions";
export const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";
const STREAM = { stream: true };

export interface Request {
  path: string;
  body: object;
  /** Besides the usual ones, as `name: value`. */
  headers?: readonly string[];
}

export interface Case {
  name: string;
  what: string;
  request: Request;
  /** What plain Envoy is sent instead, where the provider could not answer the request itself. */
  plainRequest?: Request;
  connections: number;
  /** Open loop; closed without. */
  perSecond?: number;
  /** Whether requests have the headers of OpenAI's SDK, and responses those of its API. */
  hasSdkHeaders?: boolean;
  /** Streams: text deltas of each, and milliseconds between two events. */
  events?: number;
  delay?: number;
  /** The least time of one slice and its warm-up, in seconds. */
  seconds?: number;
  warmUp?: number;
  goal: Goal;
  /** Requests in all, in as many parts as the memory is looked at. Without it the case takes its time. */
  requests?: number;
}

/** Every bound that is given has to be kept. */
export interface Goal {
  /** CPU per request, as a multiple of plain Envoy's in the same case. */
  ratio?: number;
  /** The same, as a multiple of plain Envoy's in another case. */
  ratioTo?: { case: string; ratio: number };
  /** Microseconds later than plain Envoy: median and 99th percentile of the whole answer, median of the first byte. */
  addedP50?: number;
  addedP99?: number;
  addedFirstP50?: number;
  /** Resident memory at the end, and how much of it came after the first tenth of the requests. MB. */
  memory?: number;
  growth?: number;
}

export const shortChat: Request = { path: CHAT, body: chatBody(820) };
const shortStream: Request = { path: CHAT, body: chatBody(780, STREAM) };
/** What plain Envoy is sent, so that the provider replies in the format of a cloud. */
const geminiStream: Request = {
  path: `/v1beta/models/${GEMINI_MODEL}:streamGenerateContent?alt=sse`,
  body: shortStream.body,
};
const converseStream: Request = {
  path: `/model/${encodeURIComponent(BEDROCK_MODEL)}/converse-stream`,
  body: shortStream.body,
};
const translatedStream: Request = { path: MESSAGES, body: messagesBody(CHAT_MODEL, 825, STREAM) };

export const CASES: readonly Case[] = [
  {
    name: "a16",
    what: "chat, 1 KB",
    request: shortChat,
    connections: 16,
    goal: { ratio: 1.3 },
  },
  {
    name: "a16-sdk",
    what: "the same, with the headers of OpenAI's SDK and API",
    request: shortChat,
    hasSdkHeaders: true,
    connections: 16,
    goal: {},
  },
  {
    name: "a16-failover",
    what: "the same, to a model with a fallback",
    request: { path: CHAT, body: chatBody(820, { model: SAFE_MODEL }) },
    plainRequest: shortChat,
    connections: 16,
    goal: { ratio: 1.8 },
  },
  {
    name: "c16-failover",
    what: "chat stream, 200 events at once, to a model with a fallback",
    request: { path: CHAT, body: chatBody(780, { ...STREAM, model: SAFE_MODEL }) },
    plainRequest: shortStream,
    connections: 16,
    events: 200,
    goal: { ratio: 7.5 },
  },
  {
    name: "ak",
    what: "the same, 1,000 a second",
    request: shortChat,
    connections: 32,
    perSecond: 1000,
    seconds: 2,
    goal: { addedP50: 30, addedP99: 80 },
  },
  {
    name: "c16",
    what: "chat stream, 200 events at once",
    request: shortStream,
    connections: 16,
    events: 200,
    goal: { ratio: 6.3 },
  },
  {
    name: "c16-asked",
    what: "the same, the client asks for usage",
    request: {
      path: CHAT,
      body: chatBody(780, { ...STREAM, stream_options: { include_usage: true } }),
    },
    connections: 16,
    events: 200,
    goal: { ratio: 1.4 },
  },
  {
    name: "cpace",
    what: "chat stream, 200 events, 5 ms apart",
    request: shortStream,
    connections: 50,
    events: 200,
    delay: 5,
    warmUp: 1.2,
    seconds: 3,
    goal: { ratio: 1.4, addedFirstP50: 200 },
  },
  {
    name: "d200k",
    what: "chat, 200 KB",
    request: { path: CHAT, body: chatAgentBody(200_000) },
    connections: 4,
    goal: { ratio: 2 },
  },
  {
    name: "d1m",
    what: "chat, 1 MB",
    request: { path: CHAT, body: chatAgentBody(1_000_000) },
    connections: 4,
    goal: { ratio: 2 },
  },
  {
    name: "b16",
    what: "chat → messages, 1 KB",
    request: { path: CHAT, body: chatBody(820, { model: MESSAGES_MODEL }) },
    plainRequest: shortChat,
    connections: 16,
    goal: { ratioTo: { case: "a16", ratio: 1.6 } },
  },
  {
    name: "c16-translated",
    what: "messages → chat stream, 200 events at once",
    request: translatedStream,
    plainRequest: shortStream,
    connections: 16,
    events: 200,
    goal: { ratio: 6.3 },
  },
  {
    name: "r16",
    what: "responses, 1 KB",
    request: { path: RESPONSES, body: responsesBody(RESPONSES_MODEL, 700) },
    connections: 16,
    goal: { ratioTo: { case: "a16", ratio: 1 } },
  },
  {
    name: "rc16",
    what: "responses → chat, 1 KB",
    request: { path: RESPONSES, body: responsesBody(CHAT_MODEL, 700) },
    plainRequest: shortChat,
    connections: 16,
    goal: { ratioTo: { case: "b16", ratio: 1.1 } },
  },
  {
    name: "rs16",
    what: "responses → chat stream, 200 events at once",
    request: { path: RESPONSES, body: responsesBody(CHAT_MODEL, 700, STREAM) },
    plainRequest: shortStream,
    connections: 16,
    events: 200,
    goal: { ratio: 3 },
  },
  {
    name: "g16",
    what: "chat → Gemini stream, 200 events at once",
    request: { path: CHAT, body: chatBody(780, { ...STREAM, model: GEMINI_MODEL }) },
    plainRequest: geminiStream,
    connections: 16,
    events: 200,
    goal: { ratio: 2.2 },
  },
  {
    name: "bk16",
    what: "chat → Bedrock Converse stream, 200 events at once, signed",
    request: { path: CHAT, body: chatBody(780, { ...STREAM, model: BEDROCK_MODEL }) },
    plainRequest: converseStream,
    connections: 16,
    events: 200,
    goal: { ratio: 2.2 },
  },
  {
    name: "bk16-key",
    what: "the same, with an API key",
    request: { path: CHAT, body: chatBody(780, { ...STREAM, model: BEDROCK_KEY_MODEL }) },
    plainRequest: converseStream,
    connections: 16,
    events: 200,
    goal: { ratio: 2.2 },
  },
  {
    name: "cpace-translated",
    what: "messages → chat stream, 200 events, 5 ms apart",
    request: translatedStream,
    plainRequest: shortStream,
    connections: 50,
    events: 200,
    delay: 5,
    warmUp: 1.2,
    seconds: 3,
    goal: { ratio: 1.4, addedFirstP50: 200 },
  },
  {
    name: "dx200k",
    what: "messages → chat, 200 KB",
    request: { path: MESSAGES, body: messagesAgentBody(CHAT_MODEL, 200_000) },
    plainRequest: { path: CHAT, body: chatAgentBody(200_000) },
    connections: 4,
    goal: { ratio: 4 },
  },
  {
    name: "dx1m",
    what: "messages → chat, 1 MB in 310 messages",
    request: { path: MESSAGES, body: messagesAgentBody(CHAT_MODEL, 1_000_000) },
    plainRequest: { path: CHAT, body: chatAgentBody(1_000_000) },
    connections: 4,
    goal: { ratio: 4 },
  },
  {
    name: "mem100k",
    what: "memory over 100,000 chats",
    request: shortChat,
    connections: 16,
    requests: 100_000,
    goal: { memory: 107, growth: 2 },
  },
  {
    name: "streams100k",
    what: "memory over 100,000 streams of 20 events",
    request: shortStream,
    connections: 16,
    events: 20,
    requests: 100_000,
    goal: { memory: 107, growth: 2 },
  },
  {
    name: "streams100k-translated",
    what: "the same, messages → chat",
    request: translatedStream,
    plainRequest: shortStream,
    connections: 16,
    events: 20,
    requests: 100_000,
    goal: { memory: 107, growth: 2 },
  },
];
