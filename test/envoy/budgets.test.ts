// Budgets in a real Envoy with two workers: what they are charged is what the usage records and the providers' ledger have, and
// 16 requests at a time overshoot a limit by no more than those in flight.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { readFileSync, statSync } from "node:fs";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BUDGET_CHARGED, BUDGET_ID } from "../../contract/budget-format.ts";
import { BUDGETS_PATH } from "../../contract/budget-format.ts";
import { budgetFingerprint } from "../../model/budgets.ts";
import type { Budget } from "../../model/budgets.ts";
import type { GatewayModel } from "../../model/model.ts";
import { costOf, pricesOf } from "../../control-plane/usage/record-cost.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { PATHS } from "./ask.ts";
import type { DialectName } from "./ask.ts";
import { pushBudgets } from "./push-budgets.ts";
import { MARKER, startLedgerProvider } from "../providers/scripts/ledger.ts";
import type { LedgerProvider, Word } from "../providers/scripts/ledger.ts";

const REQUESTS = 1200;
const AT_ONCE = 16;
/** Nano-dollars. */
const MUCH = 1e17;
const MODELS = { chat: "openai/chat-model", messages: "anthropic/claude-test" };
/** With the word `fail`. */
const FAILING = "openai/failing-model";
/** By the model that the provider gets. */
const TARGETS: Record<string, string> = {
  "chat-model": MODELS.chat,
  "claude-test": MODELS.messages,
  "failing-model": FAILING,
};
const CLIENTS: DialectName[] = ["chat", "messages", "responses"];
const KEYS = { TEAM_A: "a".repeat(30), TEAM_B: "b".repeat(30) };

let gateway: Gateway;
let provider: LedgerProvider;
let model: GatewayModel;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  provider = await startLedgerProvider(17);
  const url = `http://127.0.0.1:${String(provider.port)}`;
  gateway = await startGateway({
    config: `version: v0.1.0
listeners:
  egress:
    api_keys: [{ key: $TEAM_A, name: a, budget: { amount: 5 USD, per: month } }, { key: $TEAM_B, name: b }]
llm_providers:
  - { name: chat, model: ${MODELS.chat}, access_key: $KEY, base_url: "${url}/v1" }
  - { model: ${FAILING}, access_key: $KEY, base_url: "${url}/v1" }
  - { name: messages, model: ${MODELS.messages}, access_key: $KEY, base_url: "${url}" }
model_aliases:
  safe-chat: { target: ${FAILING}, fallbacks: [${MODELS.chat}] }
pricing:
  ${MODELS.chat}: { input: 1.25, output: 3, cache_read: 0.1 }
  ${MODELS.messages}: { input: 2.5, output: 7, cache_read: 0.2 }
  ${FAILING}: { input: 4, output: 9, cache_read: 1 }
budgets:
  - { amount: 50 USD, per: month }
  - { model: ${MODELS.messages}, amount: 10 USD, per: day }
`,
    environment: { KEY: "a-key-of-a-provider", ...KEYS },
    adapt(read) {
      model = read;
    },
  });
});
afterAll(async () => {
  agent.destroy();
  await gateway.stop();
  await provider.stop();
});

interface Ask {
  client: DialectName;
  model: string;
  stream: boolean;
  word: Word;
  key: string;
}

/** Sends a request; one with the word `cut` or `long` hangs up at the first token. Returns the status. */
function send({ client, model: name, stream, word, key }: Ask, number: number): Promise<number> {
  const text = `plan ${String(number)} ${word}`;
  const body = JSON.stringify({
    model: name,
    ...(client === "responses" ? { input: text } : { messages: [{ role: "user", content: text }] }),
    ...(client === "messages" ? { max_tokens: 100 } : {}),
    ...(stream ? { stream } : {}),
  });
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-gateway-api-key": key };
    const to = { port: gateway.ports.egress, path: PATHS[client], agent, method: "POST", headers };
    const outgoing = request(to, (incoming) => {
      let seen = "";
      incoming.on("data", (bytes: Buffer) => {
        if (word !== "cut" && word !== "long") return;
        seen += bytes.toString();
        if (seen.includes(MARKER)) incoming.destroy();
      });
      incoming.on("error", () => undefined);
      incoming.on("close", () => {
        resolve(incoming.statusCode ?? 0);
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function sendAll(count: number, askOf: (number: number) => Ask): Promise<number[]> {
  const statuses: number[] = [];
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const worker = async () => {
    for (const number of numbers) statuses.push(await send(askOf(number), number));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return statuses;
}

function nameOf({ subject }: Budget): string {
  if (subject === "all") return "all";
  return Object.values(subject).join();
}

async function charged(limits: Record<string, number> = {}): Promise<Record<string, number>> {
  const ids = new Map((model.budgets ?? []).map((one) => [budgetFingerprint(one), nameOf(one)]));
  const list = [...ids].flatMap(([id, name]) =>
    limits[name] === undefined ? [] : [{ id, limit: limits[name], resets: 0 }],
  );
  const { status, text } = await pushBudgets(gateway, JSON.stringify({ budgets: list }));
  expect(status).toBe(200);
  const { budgets } = JSON.parse(text) as {
    budgets: { [BUDGET_ID]: string; [BUDGET_CHARGED]: number }[];
  };
  return Object.fromEntries(budgets.map(({ id, charged: sum }) => [ids.get(id) ?? id, sum]));
}

const ALL = { a: MUCH, all: MUCH, [MODELS.messages]: MUCH };

/** Returns the costs of the records, added up as the budgets are. */
function recorded(): Record<string, number> {
  const sum = { a: 0, all: 0, [MODELS.messages]: 0 };
  for (const { record } of usageLines(gateway)) {
    const cost = record?.cost ?? 0;
    sum.all += cost;
    if (record?.key === "a") sum.a += cost;
    if (record?.target === MODELS.messages)
      sum[MODELS.messages] = (sum[MODELS.messages] ?? 0) + cost;
  }
  return sum;
}

const mixed =
  (words: Word[]) =>
  (number: number): Ask => ({
    client: CLIENTS[number % 3] ?? "chat",
    model: ["chat", "messages", "safe-chat"][Math.floor(number / 3) % 3] ?? "chat",
    stream: number % 2 === 0,
    word: words[number % words.length] ?? "answer",
    key: number % 5 === 0 ? KEYS.TEAM_B : KEYS.TEAM_A,
  });

it("concurrent requests wait for the first limits", async () => {
  expect(statSync(gateway.budgetsSocketPath).mode & 0o777).toBe(0o600);
  expect(await send({ ...mixed(["answer"])(1), word: "answer" }, 1)).toBe(503);
  expect(await pushBudgets(gateway, "{}")).toMatchObject({ status: 400 });
  expect(await charged(ALL)).toEqual({ a: 0, all: 0, [MODELS.messages]: 0 });
});

it("the charges are what the records and the providers have", async () => {
  const before = usageLines(gateway).length;
  const statuses = await sendAll(REQUESTS, mixed(["answer", "answer", "fail", "answer", "refuse"]));
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
  await expect.poll(() => usageLines(gateway).length).toBe(before + REQUESTS);
  const prices = pricesOf(model);
  const booked = provider.bookings.reduce((sum, one) => {
    const price = prices.get(TARGETS[one.model] ?? "");
    if (price === undefined) throw new Error(`no price of ${one.model}`);
    const { input, output, cacheRead: cache_read, cacheWrite: cache_write } = one;
    return sum + costOf({ id: "", listener: "", input, output, cache_read, cache_write }, price);
  }, 0);
  expect(recorded()["all"]).toBe(booked);
  expect(usageLines(gateway).filter(({ record }) => record?.estimated === 1)).toEqual([]);
  expect(await charged()).toEqual(recorded());
});

it("a stream that its client cuts or its provider breaks off is charged once", async () => {
  const before = usageLines(gateway).length;
  const all = mixed(["cut", "broken", "answer"]);
  await sendAll(300, (number) => {
    const one = all(number);
    return { ...one, stream: one.stream || one.word !== "answer" };
  });
  await expect.poll(() => usageLines(gateway).length).toBe(before + 300);
  const cut = usageLines(gateway).filter(({ flags }) => flags.includes("DC"));
  expect(cut).toHaveLength(100);
  for (const { record } of cut) expect(record?.cost).toBeGreaterThan(0);
  expect(await charged()).toEqual(recorded());
});

it("a stream that its client cuts after much text is charged by the text", async () => {
  const before = usageLines(gateway).length;
  const all = mixed(["long"]);
  await sendAll(24, (number) => ({ ...all(number), stream: true }));
  await expect.poll(() => usageLines(gateway).length).toBe(before + 24);
  for (const { record } of usageLines(gateway).slice(before)) {
    expect(record?.estimated).toBe(1);
    // 10,000 tokens, at 3 or 7 USD a million, and an input of at most 8,500.
    const output = record?.target === MODELS.chat ? 3e7 : 7e7;
    expect(record?.cost).toBeGreaterThanOrEqual(output);
    expect(record?.cost).toBeLessThan(output + 8_500 * 2_500 + 1e6);
  }
  expect(await charged()).toEqual(recorded());
});

it("a limit is overshot by no more than the requests in flight", async () => {
  const before = usageLines(gateway).length;
  const { a = 0 } = await charged();
  const room = 50_000_000;
  await charged({ a: a + room });
  const statuses = await sendAll(400, (number) => ({
    ...{ client: "chat", model: "chat", stream: false, word: "answer", key: KEYS.TEAM_A },
    stream: number % 2 === 0,
  }));
  await expect.poll(() => usageLines(gateway).length).toBe(before + 400);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  const costs = usageLines(gateway)
    .slice(before)
    .map(({ record }) => record?.cost ?? 0);
  const largest = costs.toSorted((one, other) => other - one).slice(0, AT_ONCE);
  const { a: after = 0 } = await charged();
  expect(after - a).toBe(costs.reduce((sum, one) => sum + one, 0));
  expect(after - a).toBeGreaterThanOrEqual(room);
  expect(after - a - room).toBeLessThanOrEqual(largest.reduce((sum, one) => sum + one, 0));
  expect(await charged(ALL)).toEqual(recorded());
});

it("a limit holds at once for all workers", async () => {
  const answer: Ask = { ...mixed(["answer"])(1), key: KEYS.TEAM_A };
  await charged({ ...ALL, a: 0 });
  expect(new Set(await sendAll(64, () => answer))).toEqual(new Set([429]));
  await charged(ALL);
  expect(new Set(await sendAll(64, () => answer))).toEqual(new Set([200]));
  const stats = await gateway.admin("/stats?filter=gateway_budget_changes");
  expect(stats).toMatch(/^wasmcustom\.gateway_budget_changes: \d+$/m);
  const changes = Number(/: (\d+)/.exec(stats)?.[1]);
  const costs = usageLines(gateway).filter(({ record }) => (record?.cost ?? 0) > 0);
  expect(changes).toBeGreaterThan(costs.length);
});

it("SDKs report a used up budget at once, and do not try again", async () => {
  await charged({ ...ALL, a: 0 });
  let calls = 0;
  const options = {
    ...{ baseURL: `${gateway.url}/v1`, apiKey: KEYS.TEAM_A, maxRetries: 5 },
    fetch: (...request: Parameters<typeof fetch>) => {
      calls += 1;
      return fetch(...request);
    },
  };
  const messages = [{ role: "user" as const, content: "plan 1 answer" }];
  const openai = new OpenAI(options);
  await expect(openai.chat.completions.create({ model: "chat", messages })).rejects.toMatchObject({
    status: 429,
    code: "insufficient_quota",
    type: "insufficient_quota",
  });
  await expect(
    openai.responses.create({ model: "chat", input: "plan 1 answer", stream: true }),
  ).rejects.toMatchObject({ status: 429, code: "insufficient_quota" });
  const anthropic = new Anthropic({ ...options, baseURL: gateway.url });
  await expect(
    anthropic.messages.create({ model: "messages", messages, max_tokens: 10 }),
  ).rejects.toMatchObject({ status: 429, error: { error: { type: "rate_limit_error" } } });
  expect(calls).toBe(3);
  await charged(ALL);
});

it("a push of limits is in no log", () => {
  const lines = usageLines(gateway);
  expect(lines.filter(({ record }) => record === undefined)).toEqual([]);
  for (const name of ["ingress", "llm", "internal"] as const) {
    const text = readIfThere(gateway.logFile(name));
    expect(text).not.toContain(BUDGETS_PATH);
  }
  expect(gateway.envoyLog()).toBe("");
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
