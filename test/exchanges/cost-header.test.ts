// `x-gateway-cost`: on every complete response of every case, and to the nano-dollar what the control plane computes from
// the usage record. Everything else of the response stays the same.
import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { TOKEN_KINDS } from "../../model/prices.ts";
import type { Price, PriceTier } from "../../model/prices.ts";
import { decimal } from "../../control-plane/observability/metric-families.ts";
import { costOf } from "../../control-plane/usage/record-cost.ts";
import type { UsageRecord } from "../../control-plane/usage/usage-line.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import type { ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { readCases } from "./case.ts";
import { NOT_OBSERVED, runInHost } from "./host-ring.ts";
import { readable } from "./http-file.ts";

const HEADER = "x-gateway-cost";
const NANO = 1_000_000_000;

/** Rates with a fraction of a nano-dollar per token. */
const rates = { output: 10_123_457, cacheRead: 37_501, cacheWrite: 3_750_003 };
const TIERS: PriceTier[] = [
  { start: 100, input: 6_000_001, cacheWriteHour: 7_000_009, ...rates },
  { start: 0, input: 1_250_499, cacheWriteHour: 7_000_009, ...rates },
];
const numbersOf = (tier: PriceTier) => [tier.start, ...TOKEN_KINDS.map((kind) => tier[kind])];
const PRICE = TIERS.map(numbersOf);
/** The same with what else a price may depend on. */
const RATES: Price = {
  ...{ source: "yours", tiers: TIERS },
  services: { priority: [{ start: 0, input: 2_500_998, cacheWriteHour: 14_000_018, ...rates }] },
  audio: { input: 32_000_007, output: 64_000_011, cacheRead: 400_003 },
  search: 10_000_000_999,
};
const PRICE_WITH_RATES = [
  ...PRICE,
  ...(RATES.services?.priority ?? []).map((tier) => [1 << 1, ...numbersOf(tier)]),
  [32_000_007, 64_000_011, 400_003],
  [10_000_000_999],
];

const recordOf = ({ filterState }: ExchangeResult) =>
  JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as UsageRecord;

const headerOf = ({ response }: ExchangeResult) =>
  response.headers.find(([name]) => name === HEADER)?.[1];

function dollars(record: UsageRecord, price: Price = { source: "yours", tiers: TIERS }): string {
  return decimal(costOf(record, price), NANO);
}

const cases = readCases().filter(({ name }) => !NOT_OBSERVED.has(name));

describe.each([false, true])("in the upstream filter: %s", (split) => {
  it("the cost is on every complete response with usage, and on nothing else", async () => {
    let count = 0;
    for (const exchange of cases) {
      const { clientResponse, result } = await runInHost(exchange, "as written", {
        ...{ split, isObserved: true, price: PRICE },
      });
      expect(result.faults, exchange.name).toEqual([]);
      const record = recordOf(result);
      // A completion in the place of a response that a policy of `guards` has blocked: it was paid for.
      const isReplaced = record.error === "dlp_request_denied";
      const isComplete =
        record.owner === "provider" &&
        (record.error === undefined || isReplaced) &&
        record.stream === undefined &&
        result.response.status < 300;
      const hasUsage = record.input !== undefined || record.output !== undefined;
      const wanted = isComplete && hasUsage ? dollars(record) : undefined;
      expect(headerOf(result), exchange.name).toBe(wanted);
      if (wanted !== undefined) {
        count += 1;
        expect(decimal(record.cost ?? -1, NANO), exchange.name).toBe(wanted);
        expect(record.estimated, exchange.name).toBeUndefined();
      }
      const without = (text: string) =>
        text.replaceAll(/^x-gateway-(?:cost|model|api|attempts): .*\n/gm, "");
      expect(without(readable(clientResponse)), exchange.name).toBe(
        without(exchange.clientResponse),
      );
    }
    expect(count).toBeGreaterThan(100);
  });
});

describe("any usage", () => {
  const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
  const CONFIG = `
llm_providers:
  - { model: anthropic/claude, access_key: $KEY, base_url: http://anthropic.test }
  - { model: openai/gpt, access_key: $KEY, base_url: http://openai.test/v1 }
observability: {cost_header: true}
`;
  const environment = { KEY: "k".repeat(30) };
  const host = (price: number[][]) => {
    const loaded = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, environment);
    if (!loaded.ok) throw new Error("the configuration is invalid");
    const document = filterConfig(loaded.model);
    const targets = document.targets.map((target) => ({
      ...target,
      price,
      has_rates: true as const,
    }));
    return compileFilter(FILTER).then((module) =>
      FilterHost.load(module, { filterConfig: { ...document, targets }, environment }),
    );
  };
  const count = fc.oneof(fc.nat(300), fc.nat(5_000_000));
  const tokens = { input: count, read: count, write: count, hour: count, output: count };
  const more = { audio: count, spoken: count, searches: fc.nat(9), isPriority: fc.boolean() };
  const usage = fc.record({ ...tokens, ...more });

  it.each(["anthropic/claude", "openai/gpt"])(
    "a usage of %s costs the same in filter and control plane",
    async (model) => {
      const filter = await host(PRICE_WITH_RATES);
      fc.assert(
        fc.property(usage, (used) => {
          const { input, read, write, hour, output, audio, spoken, searches, isPriority } = used;
          const isMessages = model.startsWith("anthropic");
          const response = isMessages
            ? {
                ...{ id: "m", type: "message", role: "assistant", model: "claude" },
                ...{ content: [{ type: "text", text: "hi" }], stop_reason: "end_turn" },
                usage: {
                  ...{ input_tokens: input, output_tokens: output },
                  ...{ cache_read_input_tokens: read, cache_creation_input_tokens: write },
                  cache_creation: { ephemeral_1h_input_tokens: hour },
                  server_tool_use: { web_search_requests: searches },
                  service_tier: isPriority ? "priority" : "standard",
                },
              }
            : {
                ...{ id: "c", object: "chat.completion", created: 1, model: "gpt" },
                choices: [
                  {
                    ...{ index: 0, finish_reason: "stop" },
                    message: { role: "assistant", content: "hi" },
                  },
                ],
                usage: {
                  ...{ prompt_tokens: input + read, completion_tokens: output },
                  prompt_tokens_details: { cached_tokens: read, audio_tokens: audio },
                  completion_tokens_details: { audio_tokens: spoken },
                },
                service_tier: isPriority ? "priority" : "default",
              };
          const result = filter.exchange({
            listener: "egress",
            request: {
              method: "POST",
              path: "/v1/chat/completions",
              headers: [["content-type", "application/json"]],
              body: [
                Buffer.from(JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] })),
              ],
            },
            upstream: () => ({
              status: 200,
              headers: [["content-type", "application/json"]],
              chunks: [Buffer.from(JSON.stringify(response))],
              ending: "complete",
            }),
          });
          expect(result.faults).toEqual([]);
          const record = recordOf(result);
          expect(record.output).toBe(output);
          expect(record.input).toBe(isMessages ? input + read + write : input + read);
          if (isMessages && hour > 0) expect(record.cache_write_1h).toBe(hour);
          expect(record.service_tier).toBe(isPriority ? "priority" : undefined);
          if (isMessages && searches > 0) expect(record.searches).toBe(searches);
          if (!isMessages && audio > 0) expect(record.audio_input).toBe(audio);
          expect(headerOf(result)).toBe(dollars(record, RATES));
          expect(decimal(record.cost ?? -1, NANO)).toBe(dollars(record, RATES));
        }),
        { numRuns: 300 },
      );
    },
  );
});
