// A session whose requests go through the release filter to fake providers with prompt caches, and what the doctor reports of it.
import { join } from "node:path";
import { expect } from "vitest";
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { reportSession } from "../../control-plane/prompt-cache/session-doctor.ts";
import type { TurnReport } from "../../control-plane/prompt-cache/turn-report.ts";
import { PICO_PER_MILLION } from "../../model/prices.ts";
import type { Price } from "../../model/prices.ts";
import type { UsageLine, UsageRecord } from "../../control-plane/usage/usage-line.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { anthropicDialect } from "../providers/anthropic.ts";
import { openaiDialect } from "../providers/openai.ts";
import * as caches from "../providers/prompt-cache.ts";
import { responsesDialect } from "../providers/responses.ts";
import type { Dialect } from "../providers/server.ts";
import type { AgentRequest } from "./agent-session.ts";
import { loadCase } from "./case.ts";
import { respond } from "./respond.ts";
import { egressRequest } from "./egress-request.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const compiled = compileFilter(FILTER);

const CONFIGURATION = `version: v0.1.0
observability: {}
llm_providers:
  - {model: anthropic/claude-sonnet-4-5, access_key: $KEY, base_url: "http://anthropic.test"}
  - {model: second/claude-sonnet-4-5, provider_interface: claude, access_key: $KEY, base_url: "http://second.test"}
  - {model: openai/gpt-5.4, access_key: $KEY, base_url: "http://openai.test/v1"}
  - {model: codex/gpt-5.4, provider_interface: openai_responses, access_key: $KEY, base_url: "http://codex.test/v1"}
  - {model: keys/claude-sonnet-4-5, provider_interface: claude, access_key: [$KEY, $SECOND_KEY], base_url: "http://keys.test"}
model_aliases:
  weighted: {affinity: off, targets: [{model: anthropic/claude-sonnet-4-5}, {model: second/claude-sonnet-4-5}]}
  failing: {target: anthropic/claude-sonnet-4-5, fallbacks: [second/claude-sonnet-4-5]}
`;
const { filterConfig, environment } = loadCase({ name: "doctor", configuration: CONFIGURATION });
const host = (async () => FilterHost.load(await compiled, { filterConfig, environment }))();

export const CLAUDE = "anthropic/claude-sonnet-4-5";
export const OTHER_CLAUDE = "second/claude-sonnet-4-5";
/** A target with two keys. */
export const TWO_KEYS = "keys/claude-sonnet-4-5";
export const CODEX = "codex/gpt-5.4";
export const CHAT = "openai/gpt-5.4";

const key = "value-of-KEY";

/** Dollars of a million tokens: 3, from the cache 0.30, to the cache 3.75. */
const PRICE: Price = {
  source: "yours",
  tiers: [
    {
      start: 0,
      input: 3 * PICO_PER_MILLION,
      output: 15 * PICO_PER_MILLION,
      cacheRead: 0.3 * PICO_PER_MILLION,
      cacheWrite: 3.75 * PICO_PER_MILLION,
      cacheWriteHour: 6 * PICO_PER_MILLION,
    },
  ],
};

const SECOND_KEY = "value-of-SECOND_KEY";

/** Fake providers by the first part of their hosts, and those of the second key, with empty caches. */
function providers(): Map<string, Dialect> {
  const claude = (own = key) =>
    caches.withPromptCache(anthropicDialect({ key: own }), {
      cache: caches.markedCache(1024),
      piecesOf: caches.anthropicPieces,
      usageOf: caches.anthropicUsage,
    });
  return new Map([
    ["anthropic", claude()],
    ["second", claude()],
    ["keys", claude()],
    [`keys ${SECOND_KEY}`, claude(SECOND_KEY)],
    [
      "openai",
      caches.withPromptCache(openaiDialect({ key }), {
        cache: caches.automaticCache(1024, 1),
        piecesOf: caches.chatPieces,
        usageOf: caches.chatUsage,
      }),
    ],
    [
      "codex",
      caches.withPromptCache(responsesDialect({ key }), {
        cache: caches.automaticCache(1024, 1),
        piecesOf: caches.responsesPieces,
        usageOf: caches.responsesUsage,
      }),
    ],
  ]);
}

/** A minute apart, as an agent's turns are at most. Seconds. */
const PAUSE = 60;
const DURATION_MS = 2000;

export class ScriptedSession {
  readonly lines: UsageLine[] = [];
  #providers = providers();
  #time = 1_000_000;
  /** Whether the first target fails. */
  isDown = false;
  /** The keys that have reached their limits. */
  readonly limited = new Set<string>();
  /** The key of the last response. */
  lastKey = "";

  /** All providers lose what they have cached. */
  forget(): void {
    this.#providers = providers();
  }

  wait(seconds: number): void {
    this.#time += seconds;
  }

  async send({ path, headers, body }: AgentRequest): Promise<UsageRecord> {
    const { faults, filterState, response } = (await host).exchange({
      ...egressRequest(path, headers, body),
      upstream: (request) => {
        const name = request.authority.split(".")[0] ?? "";
        if (this.isDown && name === "anthropic") return { status: 503, headers: [], chunks: [] };
        const used = request.headers.find(([one]) => one === "x-api-key")?.[1] ?? "";
        if (this.limited.has(used)) return { status: 429, headers: [], chunks: [] };
        this.lastKey = used;
        const provider = this.#providers.get(used === SECOND_KEY ? `${name} ${used}` : name);
        if (provider === undefined) throw new Error(`no provider ${name}`);
        return respond(provider, request);
      },
    });
    expect(faults).toEqual([]);
    if (!this.isDown) expect(response.status, Buffer.from(response.body).toString()).toBe(200);
    const record = JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as UsageRecord;
    record.id = `request-${this.lines.length}`;
    this.lines.push(lineOf(record, response.status, this.#time));
    this.#time += PAUSE;
    return record;
  }

  report(): TurnReport[] {
    return reportSession(this.lines, { priceOf: () => PRICE });
  }
}

function lineOf(record: UsageRecord, status: number, startTime: number): UsageLine {
  return {
    ...{ startTime, status, duration: DURATION_MS, flags: [], record, attempts: 1 },
    ...{ firstByte: undefined, requestOverhead: undefined, responseOverhead: undefined },
    ...{ bytesReceived: undefined, bytesSent: undefined },
  };
}
