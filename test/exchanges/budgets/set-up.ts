// The set-up of the tests of budgets: a worker is the filter in the host with budgets, a clock and shared data of its test, and
// the listener on which the control plane sets limits.
import { join } from "node:path";
import { expect } from "vitest";
import type { BUDGET_CHARGED, BUDGET_ID } from "../../../contract/budget-format.ts";
import { PROPERTY_USAGE } from "../../../contract/usage-record.ts";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import { budgetFingerprint } from "../../../model/budgets.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../../model/model.ts";
import type { UsageRecord } from "../../../control-plane/usage/usage-line.ts";
import type {
  ExchangeInput,
  ExchangeResult,
} from "../../../control-plane/wasm-host/wasm-exchange.ts";
import { compileFilter, FilterHost } from "../../../control-plane/wasm-host/filter-host.ts";
import { SharedData } from "../../../control-plane/wasm-host/wasm-shared-data.ts";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { providerResponse } from "../rate-limits/provider-responses.ts";

export const FILTER = join(import.meta.dirname, "../../../build/filter.wasm");
export const ENVIRONMENT = {
  OPENAI_API_KEY: "sk-openai",
  ANTHROPIC_API_KEY: "sk-anthropic",
  TEAM_A: "a".repeat(30),
  TEAM_B: "b".repeat(30),
  TEAM_C: "c".repeat(30),
  RATES_KEY: "rates",
  EMBEDDINGS_KEY: "embeddings",
};
/** Half a minute before the end of a month. */
export const START = Date.UTC(2026, 10, 30, 23, 59, 30);
export const DECEMBER = Date.UTC(2026, 11, 1) / 1000;

export const CONFIGURATION = `
listeners:
  egress:
    api_keys:
      - $TEAM_A
      - {key: $TEAM_B, name: research, budget: {amount: 50 USD, per: month}}
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
pricing:
  openai/gpt: {input: 1000, output: 10000}
  anthropic/claude: {input: 1000, output: 10000, cache_read: 1000}
budgets:
  - {amount: 100 USD, per: month}
  - {model: openai/gpt, amount: 20 USD, per: day}
`;
/** 20 input and 10 output tokens at these prices, in nano-dollars. */
export const COST = 120_000_000;

export type Path = "/v1/chat/completions" | "/v1/messages" | "/v1/responses";

export interface Ask {
  model?: string;
  path?: Path;
  stream?: boolean;
  key?: "a" | "b" | undefined;
  text?: string;
  upstream?: UpstreamResponse;
  input?: Partial<ExchangeInput>;
}

export interface Limit {
  id: string;
  limit: number;
  resets: number;
  partial?: 1;
}

export interface Pushed {
  status: number;
  fresh?: 1;
  /** What was charged, by the label of the budget. */
  charged: Record<string, number>;
}

export interface Worker {
  model: GatewayModel;
  shared: SharedData;
  clock: { now: number };
  host: FilterHost;
  ask(options?: Ask): ExchangeResult;
  push(body: unknown): Pushed;
  /** Sets a limit for each budget; `limits`: those that differ from a trillion, by the subject of the budget. */
  allow(limits?: Record<string, Partial<Limit>>): Pushed;
  /** Returns what each budget has charged, by its subject. */
  charged(): Record<string, number>;
}

/** Returns the subject of each budget by its id: `research`, `openai/gpt`, `all`. */
function subjects({ budgets = [] }: GatewayModel): Map<string, string> {
  return new Map(
    budgets.map((budget) => {
      const { subject } = budget;
      const name = subject === "all" ? subject : Object.values(subject).join();
      return [budgetFingerprint(budget), name];
    }),
  );
}

export async function start(
  more: {
    text?: string;
    shared?: SharedData;
    clock?: { now: number };
    adapt?: (model: GatewayModel) => void;
  } = {},
): Promise<Worker> {
  const { text = CONFIGURATION, shared = new SharedData(), clock = { now: START } } = more;
  const result = loadConfiguration({ file: "gateway.yaml", text }, ENVIRONMENT);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { model } = result;
  more.adapt?.(model);
  const host = await FilterHost.load(await compileFilter(FILTER), {
    filterConfig: filterConfig(model),
    environment: ENVIRONMENT,
    sharedData: shared,
    now: () => clock.now,
  });
  const ids = subjects(model);
  const worker: Worker = {
    model,
    shared,
    clock,
    host,
    ask: (options) => ask(host, options),
    push(body) {
      const { status, body: bytes } = send(host, "/budgets", body).response;
      if (status !== 200) return { status, charged: {} };
      const { budgets, ...rest } = JSON.parse(Buffer.from(bytes).toString()) as {
        fresh?: 1;
        budgets: { [BUDGET_ID]: string; [BUDGET_CHARGED]: number }[];
      };
      const charged = budgets.map(({ id, charged: sum }) => [ids.get(id) ?? id, sum] as const);
      return { status, ...rest, charged: Object.fromEntries(charged) };
    },
    allow(limits = {}) {
      const budgets = [...ids].map(([id, name]) => ({
        id,
        limit: 1e12,
        resets: DECEMBER,
        ...limits[name],
      }));
      return worker.push({ budgets });
    },
    charged: () => worker.push({ budgets: [] }).charged,
  };
  return worker;
}

/** Sends a request to the listener of the control plane. */
export function send(
  host: FilterHost,
  path: string,
  body: unknown,
  method = "POST",
): ExchangeResult {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const result = host.exchange({
    listener: "budgets",
    request: { method, path, headers: [], body: bytes },
  });
  expect(result.faults).toEqual([]);
  return result;
}

function ask(host: FilterHost, options: Ask = {}): ExchangeResult {
  const {
    path = "/v1/chat/completions",
    model = "openai/gpt",
    stream = false,
    key = "b",
  } = options;
  const said = { role: "user", content: options.text ?? "Hi" };
  const body = JSON.stringify({
    model,
    ...(path === "/v1/responses" ? { input: [said] } : { max_tokens: 10, messages: [said] }),
    ...(stream ? { stream } : {}),
  });
  const result = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path,
      headers: [
        ["content-type", "application/json"],
        ["x-gateway-api-key", key.repeat(30)],
      ],
      body: Buffer.from(body),
    },
    upstream: (request) => options.upstream ?? responseTo(request.path, stream),
    ...options.input,
  });
  expect(result.faults).toEqual([]);
  return result;
}

/** Returns the response of the provider with this path. */
export function responseTo(path: string, stream: boolean): UpstreamResponse {
  if (!path.endsWith("/responses")) {
    return providerResponse(path.endsWith("/messages") ? "messages" : "chat", stream);
  }
  const type = stream ? "text/event-stream" : "application/json";
  const events = [
    { type: "response.output_text.delta", item_id: "m", output_index: 0, delta: "Hello" },
    { type: "response.completed", response: RESPONSE },
  ];
  const sse = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return {
    status: 200,
    headers: [["content-type", type]],
    chunks: [Buffer.from(stream ? sse.join("") : JSON.stringify(RESPONSE))],
    ending: "complete",
  };
}

const RESPONSE = {
  ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt", status: "completed" },
  output: [
    {
      ...{ id: "m", type: "message", role: "assistant", status: "completed" },
      content: [{ type: "output_text", text: "Hello", annotations: [] }],
    },
  ],
  usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
};

export function recordOf({ filterState }: ExchangeResult): UsageRecord {
  return JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as UsageRecord;
}

export function errorOf({ response }: ExchangeResult): {
  status: number;
  body: unknown;
  headers: Record<string, string>;
} {
  const headers = Object.fromEntries(response.headers);
  return {
    status: response.status,
    body: JSON.parse(Buffer.from(response.body).toString()),
    headers,
  };
}

export function messageOf(result: ExchangeResult): string {
  const { error } = errorOf(result).body as { error: { message: string } };
  return error.message;
}
