// Providers in one server that report random tokens from a fixed seed, and book what they report: the ledger that usage records
// are compared with. A request's text selects what they do: `plan <number> <word>`.
import type { ServerResponse } from "node:http";
import {
  type ReceivedRequest,
  type ScriptedProvider,
  sendJson,
  startProvider,
} from "../scripted-provider.ts";
import { type Facts, INVOKE_WIRE, type Part, type Usage, type Wire, WIRES } from "../wire.ts";

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
 * error event after the first token. `fail`: status 503. `refuse`: status 400.
 */
export type Word = "answer" | "cut" | "long" | "broken" | "fail" | "refuse";

export interface LedgerProvider extends ScriptedProvider {
  /** One for each response with usage. */
  bookings: Booking[];
}

/** The first token of every stream. */
export const MARKER = "Hello-first-token";

/** 10,000 tokens. */
export const LONG = MARKER.padStart(40_000, "word ");

export async function startLedgerProvider(seed: number): Promise<LedgerProvider> {
  const bookings: Booking[] = [];
  const provider = await startProvider(
    (response, request) => {
      respond(request, response, seed, bookings);
    },
    { keepsRequests: false },
  );
  return Object.assign(provider, { bookings });
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

type Tokens = Required<Usage>;
type Json = Record<string, unknown>;

/** A provider of one dialect. */
interface Row extends Wire {
  path: RegExp;
  isStream: (path: string, body: Json) => boolean;
  /** What the events until the first token report; absent if nothing. */
  reportedFirst?: (tokens: Tokens) => Tokens;
  /** False if this client has not requested the usage of a stream. */
  reportsUsage?: (body: Json) => boolean;
  members?: object;
}

function respond(
  { path, body: text }: ReceivedRequest,
  response: ServerResponse,
  seed: number,
  bookings: Booking[],
): void {
  const body = JSON.parse(text) as Json;
  const [, number = "0", word = "answer"] = /plan (\d+) (\w+)/.exec(text) ?? [];
  const row = ROWS.find((one) => one.path.test(path));
  if (row === undefined) throw new Error(`no provider has the path ${path}`);
  const [, named = ""] = row.path.exec(path) ?? [];
  const model = named === "" ? String(body["model"]) : decodeURIComponent(named);
  if ((word === "fail" && model.startsWith("failing")) || word === "refuse") {
    sendJson(response, { error: { message: "No." } }, word === "fail" ? 503 : 400);
    return;
  }
  const book = (tokens: Tokens | undefined): void => {
    if (tokens === undefined) return;
    const { input: fresh, cacheRead, cacheWrite, output, reasoning } = tokens;
    const input = fresh + cacheRead + cacheWrite;
    bookings.push({ model, input, cacheRead, cacheWrite, output, reasoning });
  };
  const tokens = tokensOf(row, randomFrom(seed + Number(number)));
  const facts: Facts = { ...(row.members === undefined ? {} : { members: row.members }) };
  if (!row.isStream(path, body)) {
    book(tokens);
    sendJson(response, row.complete(MARKER, { ...facts, usage: tokens }));
    return;
  }
  const first = row.reportedFirst?.(tokens);
  const send = (parts: Part[]): void => {
    for (const part of parts) response.write(part);
  };
  const isCut = word === "cut" || word === "long";
  if (isCut || word === "broken") book(first);
  response.writeHead(200, { "content-type": row.contentType });
  send(row.begin({ ...facts, usage: tokens }));
  send([row.delta(word === "long" ? LONG : MARKER, { usage: first })]);
  if (isCut) return;
  if (word === "broken") {
    response.end(row.errorEvent("It broke."));
    return;
  }
  const usage = row.reportsUsage?.(body) === false ? undefined : tokens;
  book(usage ?? first);
  // Text that looks like a usage.
  if (row === CHAT) send(Array.from({ length: 5 }, () => row.delta(' "usage": {')));
  send(row.end({ ...facts, usage }, MARKER));
  response.end();
}

function tokensOf({ path }: Row, random: (limit: number) => number): Tokens {
  const output = 2 + random(900);
  const tokens = { input: 1 + random(5000), cacheRead: 0, cacheWrite: 0, output, reasoning: 0 };
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
const oneOutputToken = (tokens: Tokens): Tokens => ({ ...tokens, output: 1, reasoning: 0 });

const CHAT: Row = {
  ...WIRES.chat,
  path: /\/v1\/chat\/completions$/,
  isStream: isStreamInBody,
  reportsUsage: (body) => (body["stream_options"] as Json | undefined)?.["include_usage"] === true,
  members: { service_tier: "default" },
};

const MESSAGES: Row = {
  ...WIRES.messages,
  path: /\/v1\/messages$/,
  isStream: isStreamInBody,
  reportedFirst: oneOutputToken,
};

/** The echo of a tool whose parameter has the name of a response's member. */
const TOOLS = [
  {
    type: "function",
    name: "f",
    parameters: { type: "object", properties: { usage: { type: "object", input_tokens: 7 } } },
  },
];

const ROWS: Row[] = [
  CHAT,
  MESSAGES,
  // Claude at Google Cloud and at AWS.
  {
    ...MESSAGES,
    path: /\/publishers\/anthropic\/models\/([^/:]+):/,
    isStream: (path) => path.endsWith(":streamRawPredict"),
  },
  {
    ...MESSAGES,
    ...INVOKE_WIRE,
    path: /\/model\/([^/]+)\/invoke/,
    isStream: (path) => path.endsWith("-with-response-stream"),
  },
  {
    ...WIRES.responses,
    path: /\/v1\/responses$/,
    isStream: isStreamInBody,
    members: { tools: TOOLS },
  },
  {
    ...WIRES.gemini,
    path: GEMINI,
    isStream: (path) => path.includes(":streamGenerateContent"),
    reportedFirst: oneOutputToken,
  },
  { ...WIRES.converse, path: CONVERSE, isStream: (path) => path.endsWith("converse-stream") },
  {
    ...WIRES.chat,
    path: EMBEDDINGS,
    isStream: () => false,
    complete: (_, { usage } = {}) => ({
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.5] }],
      model: "m",
      usage: { prompt_tokens: usage?.input, total_tokens: usage?.input },
    }),
  },
];
