// A strict fake of Gemini's generateContent, of the Gemini API and of Vertex AI: what it refuses and how its responses look.
import { createHash, randomUUID } from "node:crypto";
import type { Answer, Behaviour, Prompt } from "./behaviour.ts";
import { answerTo, directionIn, pieces, thoughtOf } from "./behaviour.ts";
import type { Brain } from "./brain.ts";
import { readGeminiRequest } from "./gemini-request.ts";
import type { GeminiContent, GeminiPart, GeminiRequest } from "./gemini-request.ts";
import { signsCalls } from "./gemini-rules.ts";
import { startServer } from "./server.ts";
import { geminiSession } from "./session.ts";
import type { Dialect, FakeProvider, ProviderRequest, FakeResponse } from "./server.ts";
import type { ProviderOptions } from "./scripted-provider.ts";

export interface GeminiOptions extends ProviderOptions {
  /** The only key that is accepted, as `x-goog-api-key`. */
  key?: string;
  /** The only access token that is accepted, as bearer: Vertex AI. */
  token?: string;
  /** The models that exist; undefined: all do. */
  models?: string[];
  /** Prompt tokens that came from the cache. */
  cachedTokens?: number;
  /** Decides each answer; absent: the prompt decides (`answerTo`). */
  brain?: Brain;
}

const PATH = /\/models\/([^/:?]+):(generateContent|streamGenerateContent|countTokens)(\?.*)?$/;

export function startGeminiProvider(options: GeminiOptions = {}): Promise<FakeProvider> {
  return startServer(geminiDialect(options), options);
}

export function geminiDialect(options: GeminiOptions): Dialect {
  /** What has been searched for before a call, by the call's id. */
  const searched = new Map<string, string>();
  return {
    path: PATH,
    error: geminiError,
    errorEvent: (_, code) => {
      const error = { message: "An internal error has occurred.", status: code ?? "INTERNAL" };
      return `data: ${JSON.stringify({ error })}\r\n\r\n`;
    },
    handle(request, next) {
      const answer: Behaviour = { kind: "answer" };
      const [, escaped = "", method, query] = PATH.exec(request.path) ?? [];
      const model = decodeURIComponent(escaped);
      const refusal = headerRefusal(request, options) ?? methodRefusal(method, query);
      if (refusal !== undefined) return { response: refusal, behaviour: answer };
      if (options.models?.includes(model) === false)
        return {
          response: geminiError(404, `models/${model} is not found for API version v1beta`),
          behaviour: answer,
        };
      const counted =
        method === "countTokens" ? countedRequest(request.json, model, options) : undefined;
      const read = readGeminiRequest(
        counted ?? request.json,
        model,
        isSignature,
        options.token !== undefined,
      );
      if (typeof read === "string") return { response: geminiError(400, read), behaviour: answer };
      if (misses(read, searched))
        return {
          response: geminiError(
            400,
            "Parts of server-side tools before a function call are missing.",
          ),
          behaviour: answer,
        };
      if (counted !== undefined) return { response: countOf(read), behaviour: answer };
      const prompt = promptOf(read);
      const behaviour = next ?? directionIn(prompt.text) ?? answer;
      const isStream = method === "streamGenerateContent";
      return {
        response: responseTo(read, model, prompt, behaviour, isStream, options, searched),
        behaviour,
      };
    },
  };
}

function headerRefusal(
  { method, headers }: ProviderRequest,
  { key, token }: GeminiOptions,
): FakeResponse | undefined {
  if (method !== "POST") return geminiError(404, "Not found");
  if (!(headers["content-type"] ?? "").startsWith("application/json"))
    return geminiError(400, "Invalid content type.");
  if (headers["x-api-key"] !== undefined || headers["api-key"] !== undefined)
    return geminiError(403, "a credential of somebody else reached the provider");
  const bearer = token === undefined ? undefined : `Bearer ${token}`;
  if (headers["authorization"] !== bearer)
    return geminiError(401, "Request had invalid authentication credentials.");
  if (headers["x-goog-api-key"] === key) return undefined;
  // A wrong key is a bad request here.
  return geminiError(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID");
}

function methodRefusal(
  method: string | undefined,
  query: string | undefined,
): FakeResponse | undefined {
  const expected = method === "streamGenerateContent" ? "?alt=sse" : undefined;
  return query === expected ? undefined : geminiError(400, `Unexpected query ${String(query)}`);
}

const STATUS: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** `reason`: of the details. */
export function geminiError(status: number, message: string, reason?: string): FakeResponse {
  const type = (name: string): string => `type.googleapis.com/google.rpc.${name}`;
  const details = [
    ...(reason === undefined
      ? []
      : [{ "@type": type("ErrorInfo"), reason, domain: "googleapis.com" }]),
    ...(status === 429 ? [{ "@type": type("RetryInfo"), retryDelay: "34.074824224s" }] : []),
  ];
  const error = {
    code: status,
    message,
    status: STATUS[status] ?? "UNKNOWN",
    ...(details.length > 0 ? { details } : {}),
  };
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8" },
    parts: [JSON.stringify({ error }, null, 2)],
    isStream: false,
  };
}

/** What is counted: Vertex AI takes some members of a request, the Gemini API a whole one with its model. */
function countedRequest(json: unknown, model: string, { token }: GeminiOptions): unknown {
  if (token !== undefined) {
    const isKnown = (name: string): boolean =>
      ["contents", "systemInstruction", "tools", "generationConfig"].includes(name);
    return Object.keys(json as object).every(isKnown) ? json : null;
  }
  const { generateContentRequest, ...others } = json as { generateContentRequest?: object };
  const { model: named, ...request } = (generateContentRequest ?? {}) as { model?: string };
  return named === `models/${model}` && Object.keys(others).length === 0 ? request : null;
}

function countOf(request: GeminiRequest): FakeResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=UTF-8" },
    parts: [JSON.stringify({ totalTokens: promptTokens(request) }, null, 2)],
    isStream: false,
  };
}

function promptTokens({ contents }: GeminiRequest): number {
  return Math.ceil(JSON.stringify(contents).length / 4);
}

const isServerPart = (part: GeminiPart): boolean => "toolCall" in part || "toolResponse" in part;

/** Returns whether a call that followed a search comes back without it, or with another one: "return all parts" (tool-combination). */
function misses({ contents }: GeminiRequest, searched: ReadonlyMap<string, string>): boolean {
  return contents.some(({ parts }) =>
    parts.some((part) => {
      const expected =
        "functionCall" in part ? searched.get(part.functionCall.id ?? "") : undefined;
      return expected !== undefined && expected !== JSON.stringify(parts.filter(isServerPart));
    }),
  );
}

/** A search before the calls of a step, if the request has one beside its functions. */
function searchOf({ toolConfig, tools = [] }: GeminiRequest, text: string): GeminiPart[] {
  const hasSearch = tools.some(({ googleSearch }) => googleSearch !== undefined);
  if (toolConfig?.includeServerSideToolInvocations !== true || !hasSearch) return [];
  const id = randomUUID().slice(0, 8);
  const toolType = "GOOGLE_SEARCH_WEB" as const;
  return [
    {
      toolCall: { id, toolType, args: { queries: [text, `${text} "now"`] } },
      thoughtSignature: signatureOf(`call ${id}`),
    },
    {
      toolResponse: { id, toolType, response: { search_suggestions: "<div>\n\u2028</div>" } },
      thoughtSignature: signatureOf(`response ${id}`),
    },
  ];
}

const SIGNED = "gemini:";

/** Signatures are opaque; these have every character of base64. */
function signatureOf(text: string): string {
  const hash = createHash("sha512").update(text).digest();
  return Buffer.concat([Buffer.from(SIGNED), hash, Buffer.from([0xfb, 0xff, 0xfe])]).toString(
    "base64",
  );
}

function isSignature(signature: string): boolean {
  const bytes = Buffer.from(signature, "base64");
  return (
    bytes.toString("base64") === signature && bytes.subarray(0, SIGNED.length).toString() === SIGNED
  );
}

function promptOf({ contents, tools = [], generationConfig }: GeminiRequest): Prompt {
  const isOwn = (part: GeminiPart): boolean => !("functionResponse" in part);
  const asks = ({ role, parts }: GeminiContent): boolean => role === "user" && parts.some(isOwn);
  const last = contents.findLast(asks)?.parts ?? [];
  return {
    text: last.map((part) => ("text" in part ? part.text : "")).join(""),
    images: last.filter((part) => "inlineData" in part || "fileData" in part).length,
    toolResults: (contents.at(-1)?.parts ?? []).flatMap((part) =>
      "functionResponse" in part
        ? [Object.values(part.functionResponse.response).map(textOf).join("")]
        : [],
    ),
    tools: tools.flatMap((one) => (one.functionDeclarations ?? []).map(({ name }) => name)),
    isThinking: generationConfig?.thinkingConfig?.includeThoughts === true,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function finishOf({ stop }: Answer): string {
  if (stop === "length") return "MAX_TOKENS";
  return stop === "refusal" ? "SAFETY" : "STOP";
}

/** The parts of an answer, cut as they are streamed: only the first call of a step is signed. */
function partsOf(
  answer: Answer,
  model: string,
  count: number | undefined,
  search: GeminiPart[],
): GeminiPart[] {
  const { text, toolCalls = [] } = answer;
  const thoughts = pieces(thoughtOf(answer)).map((piece) => ({ text: piece, thought: true }));
  const calls = toolCalls.map((call, index) => ({
    functionCall: {
      ...(signsCalls(model) ? { id: randomUUID().slice(0, 8) } : {}),
      name: call.name,
      args: { ...call.arguments },
    },
    ...(index === 0 ? { thoughtSignature: signatureOf(JSON.stringify(call)) } : {}),
  }));
  return [
    ...thoughts,
    ...(text === undefined ? [] : pieces(text, count).map((piece) => ({ text: piece }))),
    ...(calls.length > 0 ? search : []),
    ...calls,
    // Without calls the signature stands on a last part, which may have no text.
    ...(calls.length === 0 ? [{ text: "", thoughtSignature: signatureOf(text ?? "") }] : []),
  ];
}

function responseTo(
  request: GeminiRequest,
  model: string,
  prompt: Prompt,
  behaviour: Behaviour,
  isStream: boolean,
  { cachedTokens = 0, brain }: GeminiOptions,
  searched: Map<string, string>,
): FakeResponse {
  const fixed = behaviour.kind === "answer" ? behaviour.answer : undefined;
  const answer = fixed ?? brain?.(geminiSession(request)) ?? answerTo(prompt);
  const count = behaviour.kind === "answer" ? behaviour.pieces : undefined;
  const parts = partsOf(answer, model, count, searchOf(request, prompt.text));
  const search = JSON.stringify(parts.filter(isServerPart));
  if (search !== "[]")
    for (const { id = "" } of parts.flatMap((part) =>
      "functionCall" in part ? part.functionCall : [],
    ))
      searched.set(id, search);
  const common = { modelVersion: model, responseId: randomUUID().replaceAll("-", "_") };
  const prompted = promptTokens(request);
  const thoughts = Math.ceil(thoughtOf(answer).length / 4);
  const candidates = Math.ceil(JSON.stringify(parts).length / 4);
  const early = {
    ...(cachedTokens > 0 ? { cachedContentTokenCount: Math.min(cachedTokens, prompted) } : {}),
    trafficType: "ON_DEMAND",
  };
  const usageMetadata = {
    promptTokenCount: prompted,
    candidatesTokenCount: candidates,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    totalTokenCount: prompted + candidates + thoughts,
    ...early,
  };
  const finishReason = finishOf(answer);
  const { candidateCount = 1, responseLogprobs, logprobs } = request.generationConfig ?? {};
  const indexes = Array.from({ length: candidateCount }, (_, index) => index);
  const scored = (some: object[]): object =>
    responseLogprobs === true ? { logprobsResult: logprobsOf(some, logprobs ?? 0) } : {};
  if (!isStream) {
    const candidates = indexes.map((index) => ({
      content: { parts, role: "model" },
      finishReason,
      index,
      ...scored(parts),
    }));
    return {
      status: 200,
      headers: { "content-type": "application/json; charset=UTF-8" },
      // The real one indents, and escapes what HTML would read.
      parts: [escaped(JSON.stringify({ candidates, usageMetadata, ...common }, null, 2))],
      isStream: false,
    };
  }
  const event = (candidate: object, usage: object): string =>
    `data: ${escaped(JSON.stringify({ candidates: [candidate], usageMetadata: usage, ...common }))}\r\n\r\n`;
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    parts: [
      ...parts.flatMap((one) =>
        indexes.map((index) =>
          event({ content: { parts: [one], role: "model" }, index, ...scored([one]) }, early),
        ),
      ),
      // The reason comes in a separate event, without the calls.
      ...indexes.map((index) =>
        event({ content: { role: "model" }, finishReason, index }, usageMetadata),
      ),
    ],
    isStream: true,
  };
}

/** A token is a word; each has itself and others as its top candidates. */
function logprobsOf(parts: object[], count: number): object {
  const text = parts.map((part) => ("text" in part ? String(part.text) : "")).join("");
  const tokens = text.match(/\s*\S+|\s+$/g) ?? [];
  const scored = (token: string, place: number): object => ({
    token,
    tokenId: token.length,
    logProbability: -0.5 * (place + 1),
  });
  return {
    chosenCandidates: tokens.map((token) => scored(token, 0)),
    ...(count === 0
      ? {}
      : {
          topCandidates: tokens.map((token) => ({
            candidates: Array.from({ length: count }, (_, place) =>
              scored(place === 0 ? token : `${token}${place}`, place),
            ),
          })),
        }),
  };
}

function escaped(json: string): string {
  return json.replaceAll("=", String.raw`\u003d`).replaceAll("<", String.raw`\u003c`);
}
