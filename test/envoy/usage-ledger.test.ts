// A thousand mixed requests: what the metrics add up to is what the providers sent, token by token, and so is the money.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayModel } from "../../control-plane/ir/model.ts";
import { costOf, pricesOf } from "../../control-plane/observability/prices.ts";
import { RequestMetrics } from "../../control-plane/observability/request-metrics.ts";
import { ledgerOf, startTap } from "../gateway/tap.ts";
import type { Ledger, Tap } from "../gateway/tap.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, parts } from "./ask.ts";
import type { Ask, DialectName } from "./ask.ts";
import { CLOSED_PORT } from "./failing-providers.ts";

const ROUNDS = Number(process.env["LEDGER_ROUNDS"] ?? 20);
const AT_ONCE = 16;

/** By target. */
const taps = new Map<string, Tap>();
let all: WithFakes;
let model: GatewayModel;

beforeAll(async () => {
  for (const name of ["openai/gpt-4o", "anthropic/claude-test", "responses-only/gpt-5.1"])
    taps.set(name, await startTap());
  all = await startWithFakes({
    aliases: "  two: { target: openai/gpt-4o-gone, fallbacks: [anthropic/claude-test] }\n",
    openai: { cachedTokens: 3 },
    adapt(read) {
      model = read;
      model.observability = { metrics: { address: "127.0.0.1", port: 9464 } };
      model.pricing = {
        "anthropic/claude-test": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        "responses-only/gpt-5.1": { input: 1.25, output: 10, cacheRead: 0.125 },
      };
      for (const { name, address } of model.targets) {
        if (address.kind !== "host") continue;
        const tap = taps.get(name);
        if (tap !== undefined) tap.target = address.port;
        address.port = tap?.port ?? CLOSED_PORT;
      }
    },
  });
});
afterAll(async () => {
  await all.stop();
  for (const tap of taps.values()) await tap.stop();
});

interface Wanted extends Ask {
  client: DialectName;
  /** Whether the client hangs up in the middle of the stream. */
  isCut?: boolean;
}

/** Each client with each model, complete and streamed; a fallback; clients that hang up; errors of the gateway and of a provider. */
function round(): Wanted[] {
  const clients: DialectName[] = ["chat", "messages", "responses"];
  return clients.flatMap((client): Wanted[] => [
    ...["fast", "careful", "deep", "two"].flatMap((name): Wanted[] => [
      { client, model: name, text: "x".repeat(Math.floor(Math.random() * 300)) },
      { client, model: name, stream: true, text: "y".repeat(Math.floor(Math.random() * 300)) },
    ]),
    ...["fast", "careful", "deep"].map((name): Wanted => ({
      client,
      model: name,
      stream: true,
      text: "[stall 3]",
      isCut: true,
    })),
    { client, model: "no-such-model" },
    { client, model: "fast", text: "[error 503]" },
    { client, model: "careful", text: "[error event 2]", stream: true },
  ]);
}

async function send({ client, isCut, ...wanted }: Wanted): Promise<void> {
  const abort = new AbortController();
  const reply = await ask(all.gateway, client, { ...wanted, signal: abort.signal });
  if (isCut !== true) {
    await reply.text().catch(() => undefined);
    return;
  }
  for await (const part of parts(reply)) if (part.length > 0) break;
  abort.abort();
}

/** Runs all, so many at once. */
async function runAll(work: (() => Promise<void>)[]): Promise<void> {
  const next = work.values();
  const worker = async () => {
    for (const one of next) await one();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

it("sums are those of the providers", async () => {
  const requests = Array.from({ length: ROUNDS }, round).flat();
  await runAll(requests.map((one) => () => send(one)));
  await expect.poll(() => usageLines(all.gateway).length).toBe(requests.length);

  const metrics = new RequestMetrics(() => model);
  let money = 0;
  for (const line of usageLines(all.gateway)) money += metrics.observe(line) ?? 0;
  const page = metrics.families.render();
  const prices = pricesOf(model);
  let expectedMoney = 0;
  for (const [target, { responses }] of taps) {
    const ledgers = responses.map(ledgerOf);
    const sums = ledgers.reduce(plus);
    const label = `gen_ai_request_model="${target.slice(target.indexOf("/") + 1)}"`;
    const sent = {
      input: sumOf(page, "input_tokens", label),
      cacheRead: sumOf(page, "cache_read_input_tokens", label),
      cacheWrite: sumOf(page, "cache_write_input_tokens", label),
      output: sumOf(page, "output_tokens", label),
      reasoning: sumOf(page, "reasoning_output_tokens", label),
    };
    expect(sent, target).toEqual(sums);
    expect(sums.output).toBeGreaterThan(0);
    const price = prices.get(target);
    if (price === undefined) throw new Error(`no price of ${target}`);
    for (const { input, cacheRead, cacheWrite, output } of ledgers) {
      const record = { id: "", listener: "", input, output };
      expectedMoney += costOf({ ...record, cache_read: cacheRead, cache_write: cacheWrite }, price);
    }
  }
  expect(money).toBe(expectedMoney);
  expect(total(page, /^gateway_requests_total\{.*\} (\d+)$/gm)).toBe(requests.length);
  const fallbacks = requests.filter(({ model: name }) => name === "two").length;
  expect(total(page, /^gateway_fallbacks_total\{.*\} (\d+)$/gm)).toBe(fallbacks);
});

function sumOf(page: string, name: string, label: string): number {
  const family = `gen_ai_client_inference_usage_${name}_total`;
  return total(page, new RegExp(`^${family}\\{.*${label}.*\\} (\\d+)$`, "gm"));
}

function total(page: string, pattern: RegExp): number {
  return [...page.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}

function plus(one: Ledger, other: Ledger): Ledger {
  return {
    input: one.input + other.input,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}
