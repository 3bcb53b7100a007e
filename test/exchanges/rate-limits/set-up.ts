// The set-up of the rate limit tests: a worker is the filter in the host with limits, a clock and shared data of its test.
import { join } from "node:path";
import { expect } from "vitest";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../../model/model.ts";
import type {
  ExchangeInput,
  ExchangeResult,
} from "../../../control-plane/wasm-host/wasm-exchange.ts";
import { FilterHost, compileFilter } from "../../../control-plane/wasm-host/filter-host.ts";
import { SharedData } from "../../../control-plane/wasm-host/wasm-shared-data.ts";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { providerResponse } from "./provider-responses.ts";
import type { Dialect } from "./provider-responses.ts";

const FILTER = join(import.meta.dirname, "../../../build/filter.wasm");
/** Also the keys of clients. */
export const ENVIRONMENT = {
  OPENAI_API_KEY: "sk-1",
  ANTHROPIC_API_KEY: "sk-2",
  TEAM_A: "a".repeat(32),
  TEAM_B: "b".repeat(32),
};
const START = Date.UTC(2026, 1, 28, 23, 59, 30);

const MODELS = `
model_aliases: {fast: {target: openai/gpt}, other: {target: openai/gpt}}
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
`;

export interface Worker {
  ask(options?: Ask): ExchangeResult;
  shared: SharedData;
  clock: { now: number };
}

export interface Ask {
  model?: string;
  dialect?: Dialect;
  stream?: boolean;
  /** The client requests the stream's usage. */
  wantsUsage?: boolean;
  headers?: [string, string][];
  text?: string;
  upstream?: UpstreamResponse;
  input?: Partial<ExchangeInput>;
}

/** Starts a worker with the given entries of `ratelimits`. */
export async function start(
  ratelimits: string,
  more: {
    shared?: SharedData;
    adapt?: (model: GatewayModel) => void;
    clock?: { now: number };
    /** Instead of the two usual models. */
    models?: string;
  } = {},
): Promise<Worker> {
  const text = `${more.models ?? MODELS}ratelimits:\n${ratelimits}`;
  const result = loadConfiguration({ file: "gateway.yaml", text }, ENVIRONMENT);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  more.adapt?.(result.model);
  const shared = more.shared ?? new SharedData();
  const clock = more.clock ?? { now: START };
  const host = await FilterHost.load(await compileFilter(FILTER), {
    filterConfig: filterConfig(result.model),
    environment: ENVIRONMENT,
    sharedData: shared,
    now: () => clock.now,
  });
  return {
    shared,
    clock,
    ask(options = {}) {
      const { dialect = "chat", model = "openai/gpt", stream = false, text: said = "Hi" } = options;
      const body = JSON.stringify({
        model,
        max_tokens: 10,
        messages: [{ role: "user", content: said }],
        ...(stream ? { stream } : {}),
        ...(options.wantsUsage === true ? { stream_options: { include_usage: true } } : {}),
      });
      const speaks = model.includes("claude") ? "messages" : "chat";
      const result = host.exchange({
        listener: "egress",
        request: {
          method: "POST",
          path: dialect === "chat" ? "/v1/chat/completions" : "/v1/messages",
          headers: [["content-type", "application/json"], ...(options.headers ?? [])],
          body: Buffer.from(body),
        },
        upstream: () => options.upstream ?? providerResponse(speaks, stream),
        ...options.input,
      });
      expect(result.faults).toEqual([]);
      return result;
    },
  };
}

/** Returns a header of the response. */
export function header(result: ExchangeResult, name: string): string | undefined {
  return result.response.headers.find(([key]) => key === name)?.[1];
}

const REMAINING = {
  chat: "x-ratelimit-remaining-tokens",
  messages: "anthropic-ratelimit-tokens-remaining",
};

/** Returns what was left before the request, as its response reports it. */
export function remaining(result: ExchangeResult, dialect: Dialect = "chat"): number {
  return Number(header(result, REMAINING[dialect]) ?? Number.NaN);
}

export const THOUSAND = "  - {model: openai/gpt, limit: {tokens: 1000, unit: minute}}\n";
export const BOTH = `${THOUSAND}  - {model: anthropic/claude, limit: {tokens: 1000, unit: minute}}\n`;
