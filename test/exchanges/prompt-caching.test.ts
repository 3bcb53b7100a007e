// An agent of 20 turns reads at least 90 % of its input from the provider's cache, whatever format it has and the provider has; and
// without what the gateway adds it does not.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { anthropicDialect } from "../providers/anthropic.ts";
import { bedrockClaudeDialect, vertexClaudeDialect } from "../providers/cloud.ts";
import { converseDialect } from "../providers/converse.ts";
import { geminiDialect } from "../providers/gemini.ts";
import { openaiDialect } from "../providers/openai.ts";
import * as caches from "../providers/prompt-cache.ts";
import type { CacheUse } from "../providers/prompt-cache.ts";
import { responsesDialect } from "../providers/responses.ts";
import type { Dialect } from "../providers/server.ts";
import { agentRequest, TURNS, usageIn } from "./agent-session.ts";
import type { ClientFormat } from "./agent-session.ts";
import { loadCase } from "./case.ts";
import { respond } from "./respond.ts";
import { egressRequest } from "./egress-request.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const CLAUDE_MINIMUM = 1024;
/** Of OpenAI and xAI in these tests. */
const MACHINES = 8;

interface Pair {
  clients: ClientFormat[];
  /** The entry of the configuration, without `prompt_caching`. */
  entry: string;
  model: string;
  provider(onUse: (use: CacheUse) => void): Dialect;
  /** Clients whose own marks or key are not enough: without the gateway's they read less. */
  needs: ClientFormat[];
}

const OTHERS: ClientFormat[] = ["chat", "responses"];
const ALL: ClientFormat[] = ["chat", "messages", "responses"];

const claude = (dialect: Dialect, onUse: (use: CacheUse) => void): Dialect =>
  caches.withPromptCache(dialect, {
    cache: caches.markedCache(CLAUDE_MINIMUM),
    piecesOf: caches.anthropicPieces,
    usageOf: caches.anthropicUsage,
    onUse,
  });

const chat = (cache: caches.PromptCache, more: Partial<caches.CachingOptions> = {}): Dialect =>
  caches.withPromptCache(openaiDialect({ key: "value-of-KEY" }), {
    cache,
    piecesOf: caches.chatPieces,
    usageOf: caches.chatUsage,
    ...more,
  });

const responses = (cache: caches.PromptCache, more: Partial<caches.CachingOptions>): Dialect =>
  caches.withPromptCache(responsesDialect({ key: "value-of-KEY" }), {
    cache,
    piecesOf: caches.responsesPieces,
    usageOf: caches.responsesUsage,
    ...more,
  });

const converse = (minimum: number, onUse: (use: CacheUse) => void): Dialect =>
  caches.withPromptCache(converseDialect({ key: "value-of-KEY" }), {
    cache: caches.markedCache(minimum),
    piecesOf: caches.conversePieces,
    usageOf: caches.converseUsage,
    onUse,
  });

const PAIRS: Record<string, Pair> = {
  Anthropic: {
    clients: ALL,
    needs: OTHERS,
    model: "anthropic/claude-sonnet-4-5",
    entry: "base_url: http://anthropic.test",
    provider: (onUse) => claude(anthropicDialect({ key: "value-of-KEY" }), onUse),
  },
  "Claude on Vertex AI": {
    clients: ALL,
    needs: OTHERS,
    model: "vertex/claude-sonnet-4-5@20250929",
    entry: "project: my-project, location: europe-west1, base_url: http://vertex.test",
    provider: (onUse) => claude(vertexClaudeDialect({ key: "value-of-KEY" }), onUse),
  },
  "Claude on Bedrock": {
    clients: ALL,
    needs: OTHERS,
    model: "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    entry: "region: eu-central-1, base_url: http://bedrock.test",
    provider: (onUse) => claude(bedrockClaudeDialect({ key: "value-of-KEY" }), onUse),
  },
  "Claude by Converse": {
    clients: ALL,
    needs: OTHERS,
    model: "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    entry: "region: eu-central-1, provider_interface: converse, base_url: http://bedrock.test",
    provider: (onUse) => converse(CLAUDE_MINIMUM, onUse),
  },
  "Nova by Converse": {
    clients: ALL,
    needs: OTHERS,
    model: "bedrock/eu.amazon.nova-pro-v1:0",
    entry: "region: eu-central-1, base_url: http://bedrock.test",
    provider: (onUse) => converse(1000, onUse),
  },
  "Claude at OpenRouter": {
    clients: ["messages", "responses"],
    needs: ["responses"],
    model: "openrouter/anthropic/claude-sonnet-4.5",
    entry:
      "provider_interface: openai, base_url: http://openrouter.test/api/v1, limits: {cache_control: true, caches_by_itself: false}",
    provider: (onUse) => chat(caches.markedCache(CLAUDE_MINIMUM), { hasMarks: true, onUse }),
  },
  "GPT-4o by chat completions": {
    clients: ["messages", "responses"],
    needs: ["messages"],
    model: "openai/gpt-4o",
    entry: "base_url: http://openai.test/v1, limits: {cache_key: prompt_cache_key}",
    provider: (onUse) => chat(caches.automaticCache(1024, MACHINES), { onUse }),
  },
  "GPT-5.6 by chat completions": {
    clients: ["messages", "responses"],
    needs: ["messages"],
    model: "openai/gpt-5.6-sol",
    entry:
      "base_url: http://openai.test/v1, limits: {cache_key: prompt_cache_key, cache_breakpoints: true}",
    provider: (onUse) =>
      chat(caches.breakpointCache(1024, MACHINES), { hasBreakpoints: true, onUse }),
  },
  "GPT-5.4 by the Responses API": {
    clients: ["chat", "messages"],
    needs: ["chat", "messages"],
    model: "second/gpt-5.4",
    entry:
      "provider_interface: openai_responses, base_url: http://second.test/v1, limits: {cache_key: prompt_cache_key}",
    provider: (onUse) => responses(caches.automaticCache(1024, MACHINES), { onUse }),
  },
  "GPT-5.6 by the Responses API": {
    clients: ["chat", "messages"],
    needs: ["chat", "messages"],
    model: "second/gpt-5.6-sol",
    entry:
      "provider_interface: openai_responses, base_url: http://second.test/v1, limits: {cache_key: prompt_cache_key, cache_breakpoints: true}",
    provider: (onUse) =>
      responses(caches.breakpointCache(1024, MACHINES), { hasBreakpoints: true, onUse }),
  },
  xAI: {
    clients: ["messages", "responses"],
    needs: ["messages", "responses"],
    model: "xai/grok-4.5",
    entry: "base_url: http://xai.test/v1",
    provider: (onUse) =>
      chat(caches.automaticCache(1024, MACHINES), { keyHeader: "x-grok-conv-id", onUse }),
  },
  Gemini: {
    clients: ALL,
    needs: [],
    model: "gemini/gemini-2.5-flash",
    entry: "base_url: http://gemini.test",
    provider: (onUse) =>
      caches.withPromptCache(geminiDialect({ key: "value-of-KEY" }), {
        cache: caches.automaticCache(1024, 1),
        piecesOf: caches.geminiPieces,
        usageOf: caches.geminiUsage,
        onUse,
      }),
  },
};

const compiled = compileFilter(FILTER);

async function hostOf({ model, entry }: Pair, caching: "auto" | "client"): Promise<FilterHost> {
  const configuration = `version: v0.1.0
observability: {}
llm_providers:
  - {model: "${model}", access_key: $KEY, prompt_caching: ${caching}, ${entry}}
`;
  const { filterConfig, environment } = loadCase({ name: model, configuration });
  return FilterHost.load(await compiled, { filterConfig, environment });
}

interface Session {
  share: number;
  /** Of each turn: what the provider has counted, what the client is told, what the usage record has. */
  counted: CacheUse[];
  told: CacheUse[];
  recorded: CacheUse[];
}

async function runSession(
  pair: Pair,
  format: ClientFormat,
  caching: "auto" | "client",
  calls = 1,
): Promise<Session> {
  const host = await hostOf(pair, caching);
  const session: Session = { share: 0, counted: [], told: [], recorded: [] };
  const provider = pair.provider((use) => session.counted.push(use));
  for (let turn = 0; turn < TURNS; turn++) {
    const { path, headers, body } = agentRequest(format, pair.model, turn, calls);
    const { response, faults, filterState } = host.exchange({
      ...egressRequest(path, headers, body),
      upstream: (request) => respond(provider, request),
    });
    const text = Buffer.from(response.body).toString();
    expect(faults).toEqual([]);
    expect(response.status, text).toBe(200);
    session.told.push(usageIn(format, JSON.parse(text)));
    const record = JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as Record<string, number>;
    const { input: total = 0, cache_read: read = 0, cache_write: written = 0 } = record;
    session.recorded.push({ total, read, written });
  }
  const sum = (of: (use: CacheUse) => number) =>
    session.counted.reduce((before, use) => before + of(use), 0);
  session.share = sum(({ read }) => read) / sum(({ total }) => total);
  return session;
}

describe.each(Object.entries(PAIRS))("a session of 20 turns with %s", (_, pair) => {
  it.each(pair.clients)(
    "a client of %s reads nine tenths of its input from the cache",
    async (format) => {
      const { share, counted, told, recorded } = await runSession(pair, format, "auto");
      expect(share).toBeGreaterThanOrEqual(0.9);
      expect(told).toEqual(counted);
      expect(recorded).toEqual(counted);
    },
  );

  if (pair.needs.length === 0) return;
  it.each(pair.needs)(
    "a client of %s reads less with its own marks and keys alone",
    async (format) => {
      const { share } = await runSession(pair, format, "client");
      expect(share).toBeLessThan(0.9);
    },
  );
});

/** A mark finds entries at most 20 blocks before itself, and such a turn has 31. */
describe("turns of 15 parallel calls to Anthropic", () => {
  it.each(OTHERS)("a client of %s reads all that its last request has sent", async (format) => {
    const pair = PAIRS["Anthropic"];
    if (pair === undefined) throw new Error("no such pair");
    const { counted } = await runSession(pair, format, "auto", 15);
    const read = counted.slice(1).map((use) => use.read);
    expect(read).toEqual(counted.slice(0, -1).map((use) => use.total));
  });
});
