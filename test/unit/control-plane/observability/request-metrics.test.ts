// What the lines of access_usage.log become: families, labels of configured names only, and money.
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { formatProblem } from "../../../../control-plane/report/problem.ts";
import type { GatewayModel } from "../../../../model/model.ts";
import { costOf, pricesOf } from "../../../../control-plane/usage/record-cost.ts";
import { RequestMetrics } from "../../../../control-plane/observability/request-metrics.ts";
import { readUsageLine } from "../../../../control-plane/usage/usage-line.ts";
import type { UsageLine, UsageRecord } from "../../../../control-plane/usage/usage-line.ts";

const CONFIG = `
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY}
  - {model: openai/gpt-4.1, access_key: $KEY}
  - {model: anthropic/claude-sonnet-4-5, access_key: $KEY}
  - {model: ollama/llama3.1:8b}
  - {model: cluster/own, base_url: "http://own.test/v1", provider_interface: openai}
model_aliases:
  fast: {target: openai/gpt-4o}
pricing:
  cluster/own: {input: 0.5, output: 1.5, factor: 0.5}
  openai/gpt-4.1: {factor: 0.5}
observability: {}
`;

function modelOf(text = CONFIG): GatewayModel {
  const result = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k".repeat(30) });
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.model;
}

function line(
  record: Partial<UsageRecord> | "-",
  more: Partial<Record<string, string>> = {},
): UsageLine {
  const { status = "200", flags = "-", duration = "1250", attempts = "1" } = more;
  const text = record === "-" ? "-" : JSON.stringify({ id: "i", listener: "egress", ...record });
  const read = readUsageLine(
    `1763800000.123 ${status} ${flags} ${duration} ${attempts} 250000 300 40 10 20 ${text}`,
  );
  if (read === undefined) throw new Error("not a line");
  return read;
}

const CHAT = {
  endpoint: "/v1/chat/completions",
  requested: "fast",
  target: "openai/gpt-4o",
  owner: "provider",
} as const;

function pageOf(...lines: UsageLine[]): string {
  const model = modelOf();
  const metrics = new RequestMetrics(() => model);
  for (const one of lines) metrics.observe(one);
  return metrics.families.render();
}

it("a request to a wildcard has its model in all labels if the price list knows it, else other", () => {
  const model = modelOf(`
llm_providers:
  - {model: openai/*, access_key: $KEY}
pricing:
  openai/*: {factor: 0.5}
`);
  const metrics = new RequestMetrics(() => model);
  const record = { ...CHAT, target: "openai/*", input: 1_000_000, output: 0 };
  const costs = ["gpt-4o-2024-11-20", "openai/gpt-4o", "openai/not-a-model", "gpt-4.1"].map(
    (requested) => metrics.observe(line({ ...record, requested })),
  );
  expect(costs).toEqual([1.25e9, 1.25e9, undefined, 1e9]);
  const page = metrics.families.render();
  expect(page).not.toMatch(/not-a-model|"\*"|2024/);
  const models = [...page.matchAll(/^gen_ai_client_inference_usage_input_tokens_total.*$/gm)];
  const labels = models.map(([text]) => [
    /original_model="([^"]*)"/.exec(text)?.[1],
    /request_model="([^"]*)"/.exec(text)?.[1],
  ]);
  expect(labels).toEqual([
    ["gpt-4o", "gpt-4o"],
    ["openai/gpt-4o", "gpt-4o"],
    ["other", "other"],
    ["gpt-4.1", "gpt-4.1"],
  ]);
});

it("a stream fills Envoy AI Gateway's four families and the counters of the conventions", () => {
  const page = pageOf(
    line({
      ...CHAT,
      stream: 1,
      input: 100,
      cache_read: 40,
      output: 11,
      reasoning: 3,
      finish: "stop",
    }),
  );
  const labels =
    'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_original_model="fast",gen_ai_request_model="gpt-4o",gen_ai_response_model="gpt-4o"';
  for (const wanted of [
    `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="input"} 100`,
    `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="cached_input"} 40`,
    `gen_ai_client_token_usage_bucket{${labels},gen_ai_token_type="output",le="16"} 1`,
    `gen_ai_server_request_duration_seconds_sum{${labels},error_type=""} 1.25`,
    `gen_ai_server_time_to_first_token_seconds_sum{${labels}} 0.25`,
    `gen_ai_server_time_per_output_token_seconds_sum{${labels}} 0.1`,
    `gen_ai_client_inference_usage_input_tokens_total{${labels},gen_ai_token_modality="unknown"} 100`,
    `gen_ai_client_inference_usage_reasoning_output_tokens_total{${labels},gen_ai_token_modality="unknown"} 3`,
    "gateway_overhead_seconds_sum 0.00034",
    // 60 × 2.50 + 40 × 1.25 + 11 × 10 dollars per million.
    'gateway_cost_usd_total{gen_ai_provider_name="openai",gen_ai_request_model="gpt-4o",key="none"} 0.00031',
  ])
    expect(page).toContain(wanted);
});

it("the first token is that of the record, whose first byte may have no content", () => {
  const page = pageOf(line({ ...CHAT, stream: 1, output: 11, first_token: 750, finish: "stop" }));
  expect(page).toMatch(/gen_ai_server_time_to_first_token_seconds_sum\{[^}]*\} 0.75\n/);
  expect(page).toMatch(/gen_ai_server_time_per_output_token_seconds_sum\{[^}]*\} 0.05\n/);
});

it("a value that a client makes up is no label value", () => {
  const page = pageOf(
    line(
      { ...CHAT, requested: "made-up-1", error: "model_not_found", owner: "gateway" },
      { status: "404" },
    ),
    line({ ...CHAT, dropped: "made-up-2,made[].up-3,metadata.made-up-4,anthropic-beta=made-up-5" }),
    line("-", { status: "400" }),
  );
  expect(page).not.toContain("made-up");
  expect(page).not.toContain("up-3");
  expect(page).toContain('gateway_dropped_members_total{member="other"} 2');
  expect(page).toContain('gateway_dropped_members_total{member="metadata"} 1');
  expect(page).toContain('gen_ai_original_model="other"');
  expect(page).toContain('status="400",error_type="400"} 1');
});

it.each([
  [line(CHAT, { status: "504", flags: "UT" }), "timeout"],
  [line({ ...CHAT, stream: 1 }, { flags: "DC" }), "client_disconnected"],
  [line({ ...CHAT, stream: 1, error: "broken_stream" }), "broken_stream"],
  [line({ ...CHAT, stream: 1 }, { flags: "UR,UC" }), "upstream_reset"],
  [line(CHAT, { status: "429" }), "429"],
])("error_type of line %# is known", (one, type) => {
  expect(pageOf(one)).toContain(`error_type="${type}"`);
});

it("fallbacks, rate limits, drops, prompt targets and the guard", () => {
  const page = pageOf(
    line({
      ...CHAT,
      first_target: "openai/gpt-4.1",
      fallbacks: 1,
      dropped: "seed, logprobs",
      key: "TEAM",
    }),
    line(
      { ...CHAT, error: "rate_limit_exceeded", owner: "gateway", key: "TEAM" },
      { status: "429" },
    ),
    line({ listener: "ingress", guard: "blocked", owner: "gateway" }),
    line({ ...CHAT, prompt_target: "weather", guard: "passed" }),
    line({
      ...CHAT,
      guards: [{ policy: "pii", action: "mask", kinds: "email", findings: 2, ms: 0 }],
    }),
  );
  for (const wanted of [
    'gateway_fallbacks_total{from="openai/gpt-4.1",to="openai/gpt-4o"} 1',
    'gateway_rate_limited_total{gen_ai_original_model="fast",key="TEAM"} 1',
    'gateway_dropped_members_total{member="seed"} 1',
    'gateway_dropped_members_total{member="logprobs"} 1',
    'gateway_guard_total{decision="blocked"} 1',
    'gateway_guard_decisions_total{policy="pii",direction="request",action="mask"} 1',
    'gateway_prompt_target_total{target="weather"} 1',
    'gateway_key_requests_total{key="TEAM",error_type="429"} 1',
  ])
    expect(page).toContain(wanted);
});

it("prompt caches are counted by why a turn did not read from them, and no label is a session", () => {
  const claude = {
    ...{ endpoint: "/v1/messages", dialect: "anthropic_messages", owner: "provider" },
    ...{ requested: "claude", target: "anthropic/claude-sonnet-4-5", session: "ses_1" },
  } as const;
  const prompt = { tools: "aaabbbccc", system: "ssss", count: 1, messages: "mmmm" };
  const changed = { ...prompt, tools: "BBBbbbccc" };
  const other = { ...prompt, tools: "CCCbbbccc", system: "tttt" };
  const lines = [
    line({ ...claude, input: 20_000, cache_write: 19_900, prompt }),
    line({ ...claude, input: 21_000, cache_read: 20_000, prompt }),
    line({ ...claude, input: 22_000, cache_write: 22_000, prompt: changed }),
    // Of the side until the session goes on with it.
    line({ ...claude, input: 23_000, cache_write: 23_000, prompt: other }),
    line({ ...claude, input: 24_000, cache_read: 23_000, prompt: other }),
    line({ ...claude, input: 24_000 }),
    line({ ...claude, session: undefined, input: 24_000, prompt }),
  ];
  // A minute apart.
  const page = pageOf(
    ...lines.map((one, index) => ({ ...one, startTime: one.startTime + index * 60 })),
  );
  const labels = 'gen_ai_provider_name="anthropic",gen_ai_request_model="claude-sonnet-4-5"';
  for (const [outcome, count] of [
    ["first", 1],
    ["kept", 2],
    ["side", 1],
    ["tools", 2],
  ] as const)
    expect(page).toContain(
      `gateway_prompt_cache_turns_total{outcome="${outcome}",${labels}} ${count}`,
    );
  expect(page).toContain(
    `gateway_prompt_cache_lost_tokens_total{reason="tools",${labels}} ${21_000 + 22_000}`,
  );
  // Written again for 3.75 dollars of a million, in place of 0.30 from the cache.
  expect(page).toContain(
    `gateway_prompt_cache_lost_usd_total{reason="tools",${labels}} ${(43_000 * 3.45) / 1e6}`,
  );
  expect(page).not.toContain("ses_1");
});

describe("money", () => {
  const prices = pricesOf(modelOf());
  const cost = (target: string, record: Partial<UsageRecord>) => {
    const price = prices.get(target);
    return price === undefined
      ? undefined
      : costOf({ id: "i", listener: "egress", ...record }, price);
  };

  it.each([
    ["openai/gpt-4o", { input: 1000, output: 100 }, 3_500_000],
    ["openai/gpt-4o", { input: 1000, cache_read: 800, output: 100 }, 2_500_000],
    // Half of the listed 2.00 and 8.00.
    ["openai/gpt-4.1", { input: 1000, output: 100 }, 1_400_000],
    ["anthropic/claude-sonnet-4-5", { input: 300_000, output: 1000 }, 1_822_500_000],
    ["anthropic/claude-sonnet-4-5", { input: 1000, cache_write: 1000 }, 3_750_000],
    ["cluster/own", { input: 1000, output: 1000 }, 1_000_000],
    ["cluster/own", { input: 1, output: 0 }, 250],
  ])("%s %o", (target, record, nano) => {
    expect(cost(target, record)).toBe(nano);
  });

  it("a model without a known price is counted as one, and never as free", () => {
    expect(cost("ollama/llama3.1:8b", { input: 1 })).toBeUndefined();
    const page = pageOf(line({ ...CHAT, target: "ollama/llama3.1:8b", input: 5, output: 1 }));
    expect(page).toContain(
      'gateway_unpriced_requests_total{gen_ai_provider_name="ollama",gen_ai_request_model="llama3.1:8b"} 1',
    );
    expect(page).not.toContain("gateway_cost_usd_total{");
  });
});

it("a failed request is counted by what its error is about, also one that had no target", () => {
  const failed = (status: string, record: Partial<UsageRecord> = {}, flags = "-") =>
    line({ ...CHAT, ...record }, { status, flags });
  const page = pageOf(
    failed("400"),
    failed("400", { code: "context_length_exceeded" }),
    failed("429", { owner: "gateway", error: "insufficient_quota" }),
    failed("503", { owner: "envoy" }, "UF"),
    failed("200", { error: "broken_stream" }),
    line("-", { status: "400", flags: "DPE" }),
    line(
      { endpoint: CHAT.endpoint, requested: "openai/gpt-4.1", owner: "gateway" },
      { status: "403" },
    ),
  );
  const found = [
    ...page.matchAll(/^gateway_errors_total\{kind="(\w+)",owner="(\w+)".*model="([^"]*)"/gm),
  ];
  expect(found.map(([, ...labels]) => labels)).toEqual([
    ["invalid_request", "provider", "gpt-4o"],
    ["context_length", "provider", "gpt-4o"],
    ["quota", "gateway", "gpt-4o"],
    ["connection_failure", "envoy", "gpt-4o"],
    ["broken_stream", "provider", "gpt-4o"],
    ["invalid_request", "envoy", "none"],
    ["permission", "gateway", "gpt-4.1"],
  ]);
});
