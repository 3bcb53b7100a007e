// What is fuzzed, and what has to hold for each: the oracles.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type fc from "fast-check";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { renderBootstrap } from "../../envoy/bootstrap.ts";
import { environmentOf, loadCase, PLACE } from "../exchanges/case.ts";
import type { LoadedCase } from "../exchanges/case.ts";
import { mutate } from "../exchanges/mutate.ts";
import { withoutTimes } from "../exchanges/without-times.ts";
import { random } from "../exchanges/random.ts";
import type { ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { chunkFrame, exceptionFrame } from "../providers/event-stream.ts";
import { checkAnthropicStream, checkOpenaiStream } from "../unit/filter/lifecycle.ts";
import { checkResponsesStream } from "../unit/filter/responses-lifecycle.ts";
import { fuzzedConfigurations } from "./configurations.ts";
import type { FuzzedExchange } from "./exchanges.ts";
import { fuzzedHeads, fuzzedResponses, fuzzedRequests } from "./exchanges.ts";
import { framesOf } from "./frames.ts";
import { fuzzedPrompts } from "./prompts.ts";

export interface FuzzTarget {
  name: string;
  inputs: fc.Arbitrary<unknown>;
  /** Throws when something does not hold. */
  check(input: unknown): void;
}

function target<T>(name: string, inputs: fc.Arbitrary<T>, check: (input: T) => void): FuzzTarget {
  return { name, inputs, check: check };
}

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const module = await compileFilter(FILTER);

function caseOf(file: string): LoadedCase {
  const configuration = readFileSync(join(import.meta.dirname, file), "utf8");
  return loadCase({ name: file, configuration });
}

async function host(loaded: LoadedCase, isSplit: boolean): Promise<FilterHost> {
  const config = isSplit ? loaded.splitConfig : loaded.filterConfig;
  return FilterHost.load(module, { filterConfig: config, environment: loaded.environment });
}

const plainCase = caseOf("config.yaml");
const promptCase = caseOf("../config/prompt-targets/config.yaml");
const whole = await host(plainCase, false);
const split = await host(plainCase, true);
const prompts = await host(promptCase, false);

const TOKENS = [
  "{",
  "}",
  "[",
  "]",
  '"',
  ",",
  ":",
  "\\",
  "\\u",
  "null",
  "\n\n",
  "data: ",
  "event: error\n",
  "\u{0}",
  "1e999",
  "\xff",
  "\xed\xa0\x80",
].map((text) => Buffer.from(text, "latin1"));

function runExchange(input: FuzzedExchange): ExchangeResult {
  const body =
    input.damage === undefined ? Buffer.from(input.body) : damaged(input.body, input.damage);
  return (input.isSplit ? split : whole).exchange({
    listener: "egress",
    request: {
      method: input.method,
      path: input.path,
      headers: [...input.headers, ["content-length", String(body.length)]],
      body: cut(body, input.cut),
    },
    upstream: ({ path, body: asked }) => {
      const { answers, status } = input;
      const isStream = isStreamed(path, asked);
      const answer = answers[dialectOf(path)];
      const text = status >= 400 ? answers.failed : isStream ? answer.stream : answer.complete;
      const isWrapped = isStream && status < 400 && path.startsWith(BEDROCK);
      const isConverse = dialectOf(path) === "converse";
      const whole = isWrapped && isConverse ? framesOf(text) : Buffer.from(text);
      const bytes = isWrapped && !isConverse ? wrapped(text, input) : response(whole, input);
      const streamType = isWrapped ? "application/vnd.amazon.eventstream" : "text/event-stream";
      const asAsked = isStream && status < 400 ? streamType : "application/json";
      const type = input.contentType === "as asked" || isStream ? asAsked : input.contentType;
      return {
        status,
        headers: type === "" ? [] : [["content-type", type]],
        chunks: status === 204 ? [] : cut(bytes, input.cut),
        ending: input.isReset ? "reset" : "complete",
        emptyEnd: input.cut % 2 === 0,
      };
    },
    removed: plainCase.removed,
    ...(input.leavesAfter === undefined ? {} : { clientLeavesAfter: input.leavesAfter }),
  });
}

const BEDROCK = "/model/";

/** Whether a provider is asked for a stream: by the body, or by the path alone. */
function isStreamed(path: string, body: Uint8Array): boolean {
  if (path.startsWith(BEDROCK)) return path.endsWith("-stream");
  if (path.includes(":streamGenerateContent")) return true;
  return /"stream"\s*:\s*true/.test(Buffer.from(body).toString());
}

function response(text: Buffer, { damageResponse }: FuzzedExchange): Buffer {
  return damageResponse === undefined ? text : damaged(text, damageResponse);
}

/** A stream of events in Bedrock's frames, with an exception at its end now and then; damaged inside of the frames, or as a whole. */
function wrapped(text: string, { damageResponse, contentType }: FuzzedExchange): Buffer {
  const seed = text.length;
  const chance = random(seed);
  const isInside = damageResponse !== undefined && damageResponse % 2 === 0;
  const events = [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => data);
  const hit = isInside ? chance.below(events.length + 1) : -1;
  const frames = events.map((data, index) =>
    chunkFrame(index === hit ? damaged(data, damageResponse ?? 0).toString("latin1") : data),
  );
  if (seed % 7 === 0 && contentType === "as asked")
    frames.splice(
      chance.below(frames.length + 1),
      0,
      exceptionFrame(EXCEPTIONS[seed % EXCEPTIONS.length] ?? "", { message: "no" }),
    );
  const bytes = Buffer.concat(frames);
  return damageResponse === undefined || isInside
    ? bytes
    : mutate(bytes, bytes, TOKENS, random(damageResponse));
}
const EXCEPTIONS = ["throttlingException", "modelStreamErrorException", "mystery"];

function damaged(text: string | Buffer, seed: number): Buffer {
  const bytes = Buffer.from(text);
  return mutate(bytes, bytes, TOKENS, random(seed));
}

/** At once, in small pieces or in large ones, by the seed. */
function cut(bytes: Buffer, seed: number): Buffer[] {
  if (seed % 3 === 0) return bytes.length === 0 ? [] : [bytes];
  const chance = random(seed);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + chance.below(seed % 3 === 1 ? 8 : 400);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** The dialect of a path, the client's or the provider's. */
function dialectOf(path: string): "chat" | "messages" | "responses" | "gemini" | "converse" {
  if (path.startsWith("/v1beta/models/")) return "gemini";
  if (/\/converse(?:-stream)?$/.test(path)) return "converse";
  if (path.startsWith(BEDROCK) || path.includes("/publishers/anthropic/")) return "messages";
  if (path.includes("/messages")) return "messages";
  return path.includes("/responses") ? "responses" : "chat";
}

/** Dialects share the list of models: a header decides. */
function isMessages({ path, headers }: FuzzedExchange): boolean {
  // Other spellings of a path are served too (docs/endpoints.md).
  const parts = (path.split("?")[0] ?? "").split("/").filter((part) => !["", "v1"].includes(part));
  const isList = parts.length === 1 && parts[0] === "models";
  return parts[0]?.startsWith("messages") === true || (isList && headers.some(isVersion));
}
const isVersion = ([name]: [string, string]): boolean => name === "anthropic-version";

/** No trap, no fault of the host's, no request that is not JSON, and an answer of the gateway's own in its envelope. */
function checkCommon(
  { trap, faults, sent, response }: ExchangeResult,
  messages: boolean,
  isHead: boolean,
): void {
  must(trap === undefined, `trap: ${String(trap)}`);
  must(faults.length === 0, `faults: ${faults.join("; ")}`);
  for (const request of sent) JSON.parse(utf8(request.body));
  must(
    response.ending !== "complete" || response.status >= 200,
    `status ${String(response.status)}`,
  );
  if (sent.length > 0 || response.status < 400 || isHead) return;
  const body = JSON.parse(utf8(response.body)) as {
    type?: unknown;
    error?: { message?: unknown; type?: unknown };
  };
  must(
    typeof body.error?.message === "string" && body.error.message !== "",
    "an error without a message",
  );
  must(typeof body.error.type === "string", "an error without a type");
  must((body.type === "error") === messages, "an error in the other dialect's envelope");
}

/** A translated stream keeps its lifecycle whatever the provider sends, and says how it ended. */
function checkTranslated(input: FuzzedExchange, { response, sent }: ExchangeResult): void {
  const [request] = sent;
  if (request === undefined || response.ending !== "complete" || response.status !== 200) return;
  const dialect = dialectOf(input.path);
  if (dialectOf(request.path) === dialect) return;
  const text = utf8(response.body);
  if (!isStreamed(request.path, request.body)) JSON.parse(text);
  else if (dialect === "messages") checkAnthropicStream(text);
  else if (dialect === "responses") checkResponsesStream(text);
  else checkOpenaiStream(text, input.body.includes('"include_usage":true'));
}

const requests = target("requests", fuzzedRequests, (input) => {
  const result = runExchange(input);
  checkCommon(result, isMessages(input), false);
  must(
    [200, 400, 404, 413, 415].includes(result.response.status),
    `status ${String(result.response.status)}`,
  );
  must(
    result.sent.length === (result.response.status === 200 ? 1 : 0),
    "neither one request nor one fault",
  );
});

const responses = target("responses", fuzzedResponses, (input) => {
  const result = runExchange(input);
  checkCommon(result, isMessages(input), false);
  checkTranslated(input, result);
  if (input.leavesAfter !== undefined || input.isReset) return;
  // Even or odd decides how the end comes, which a response without a body can tell.
  const atOnce = runExchange({ ...input, cut: input.cut % 2 === 0 ? 0 : 3 });
  must(comparable(atOnce) === comparable(result), "another answer when the reply comes at once");
});

/** What the gateway makes up itself is another text each time. */
function comparable({ response }: ExchangeResult): string {
  const body = Buffer.from(response.body).toString("latin1");
  return `${String(response.status)} ${withoutTimes(body)}`;
}

const heads = target("heads", fuzzedHeads, (input) => {
  const result = runExchange(input);
  checkCommon(result, isMessages(input), input.method === "HEAD");
  for (const { headers } of result.sent) {
    const own = headers.find(
      ([name]) => name.startsWith("x-gateway-") || name.startsWith("x-envoy-"),
    );
    must(own === undefined, `the provider gets ${String(own?.[0])}`);
  }
});

const prompt = target("prompts", fuzzedPrompts, (input) => {
  const body = Buffer.from(input.body);
  const result = prompts.exchange({
    listener: "ingress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [
        ["host", "localhost"],
        ["content-length", String(body.length)],
      ],
      body,
    },
    calls: ({ headers }) => {
      const path = headers.find(([name]) => name === ":path")?.[1] ?? "";
      const answer = Object.hasOwn(input.answers, path) ? input.answers[path] : input.answers[""];
      if (answer === null || answer === undefined) return undefined;
      return { headers: [[":status", answer.status]], body: Buffer.from(answer.body) };
    },
    upstream: ({ body: asked }) => {
      const isStream = /"stream"\s*:\s*true/.test(Buffer.from(asked).toString());
      const text = isStream ? "data: [DONE]\n\n" : "{}";
      const type = isStream ? "text/event-stream" : "application/json";
      return { status: 200, headers: [["content-type", type]], chunks: [Buffer.from(text)] };
    },
    removed: promptCase.removed,
  });
  checkCommon(result, false, false);
  must(result.response.ending === "complete", "the client got no end");
});

const configurations = target("configurations", fuzzedConfigurations, (text) => {
  const loaded = loadConfiguration({ file: "fuzzed.yaml", text }, environmentOf(text));
  if (!loaded.ok) {
    must(loaded.problems.length > 0, "refused without a problem");
    return;
  }
  JSON.stringify(renderBootstrap(loaded.model, PLACE));
  JSON.stringify(filterConfig(loaded.model));
});

export const FUZZ_TARGETS = [requests, responses, heads, prompt, configurations];
