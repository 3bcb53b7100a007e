// Rate limits in the host: what each kind of reply is charged, who shares a budget, and how it comes back with time.
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../control-plane/ir/filter-document/document.ts";
import type { GatewayModel } from "../../control-plane/ir/model.ts";
import { RETRY } from "../envoy/models.ts";
import type { ExchangeInput, ExchangeResult } from "../../control-plane/wasm-host/exchange.ts";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";
import { SharedData } from "../../control-plane/wasm-host/shared-data.ts";
import type { UpstreamReply } from "../../control-plane/wasm-host/upstream.ts";
import { cutBody } from "./host-ring.ts";
import type { Cut } from "./host-ring.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const ENVIRONMENT = { OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2" };
const START = Date.UTC(2026, 1, 28, 23, 59, 30);

const MODELS = `
model_aliases: {fast: {target: openai/gpt}, other: {target: openai/gpt}}
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
`;

type Dialect = "chat" | "messages";

interface Worker {
  ask(options?: Ask): ExchangeResult;
  shared: SharedData;
  clock: { now: number };
}

interface Ask {
  model?: string;
  dialect?: Dialect;
  stream?: boolean;
  /** The stream's usage is the client's own wish. */
  wantsUsage?: boolean;
  headers?: [string, string][];
  text?: string;
  upstream?: UpstreamReply;
  input?: Partial<ExchangeInput>;
}

async function start(
  ratelimits: string,
  more: {
    shared?: SharedData;
    adapt?: (model: GatewayModel) => void;
    clock?: { now: number };
  } = {},
): Promise<Worker> {
  const text = `${MODELS}ratelimits:\n${ratelimits}`;
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
        upstream: () => options.upstream ?? reply(speaks, stream),
        ...options.input,
      });
      expect(result.faults).toEqual([]);
      return result;
    },
  };
}

const CHAT = {
  complete: `{"id":"c","object":"chat.completion","created":1,"model":"gpt","choices":[{"index":0,"message":{"role":"assistant","content":"Hello \\"usage\\":{"},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`,
  stream: [
    `{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}],"usage":null}`,
    `{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`,
    `{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`,
    "[DONE]",
  ],
};
const MESSAGES = {
  complete: `{"id":"m","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":5,"cache_read_input_tokens":15,"output_tokens":10}}`,
  stream: [
    `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"cache_read_input_tokens":15,"output_tokens":1}}}`,
    `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
    `{"type":"content_block_stop","index":0}`,
    `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":10}}`,
    `{"type":"message_stop"}`,
  ],
};

function event(data: string): string {
  const type = /"type":"(\w+)"/.exec(data)?.[1];
  return data.startsWith('{"type"') ? `event: ${type}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

function reply(dialect: Dialect, stream: boolean, cut: Cut = "at once"): UpstreamReply {
  const { complete, stream: events } = dialect === "chat" ? CHAT : MESSAGES;
  const body = Buffer.from(stream ? events.map(event).join("") : complete);
  return {
    status: 200,
    headers: [["content-type", stream ? "text/event-stream" : "application/json"]],
    chunks: cutBody([body], cut),
    ending: "complete",
  };
}

function header(result: ExchangeResult, name: string): string | undefined {
  return result.reply.headers.find(([key]) => key === name)?.[1];
}

const REMAINING = {
  chat: "x-ratelimit-remaining-tokens",
  messages: "anthropic-ratelimit-tokens-remaining",
};

/** What is left before the request, as its reply says. */
function remaining(result: ExchangeResult, dialect: Dialect = "chat"): number {
  return Number(header(result, REMAINING[dialect]) ?? Number.NaN);
}

const THOUSAND = "  - {model: openai/gpt, limit: {tokens: 1000, unit: minute}}\n";
const BOTH = `${THOUSAND}  - {model: anthropic/claude, limit: {tokens: 1000, unit: minute}}\n`;

describe("a response is charged by the usage that it reports", () => {
  const kinds = (["chat", "messages"] as const).flatMap((client) =>
    (["openai/gpt", "anthropic/claude"] as const).flatMap((model) =>
      [false, true].map((stream) => ({ client, model, stream })),
    ),
  );
  for (const cut of ["at once", "every byte"] as const) {
    it.each(kinds)(`${cut}: $client client, $model, stream $stream`, async (kind) => {
      const worker = await start(BOTH);
      const { client: dialect, model, stream } = kind;
      const speaks = model === "openai/gpt" ? "chat" : "messages";
      const first = worker.ask({ dialect, model, stream, upstream: reply(speaks, stream, cut) });
      expect(first.reply.status).toBe(200);
      expect(remaining(first, dialect)).toBe(1000);
      expect(remaining(worker.ask({ dialect, model, stream }), dialect)).toBe(970);
    });
  }

  it("when a chat client has asked for the usage itself", async () => {
    const worker = await start(THOUSAND);
    const first = worker.ask({ stream: true, wantsUsage: true });
    expect(Buffer.from(first.reply.body).toString()).toBe(CHAT.stream.map(event).join(""));
    expect(remaining(worker.ask())).toBe(970);
  });

  it.each([
    ["chat", "openai/gpt"],
    ["messages", "anthropic/claude"],
  ] as const)(
    "and a %s reply passes byte for byte: a stream when it comes, a complete one when it is whole",
    async (dialect, model) => {
      const worker = await start(BOTH);
      for (const stream of [false, true]) {
        const upstream = reply(dialect, stream, "every byte");
        const { reply: got } = worker.ask({
          dialect,
          model,
          stream,
          wantsUsage: dialect === "chat" && stream,
          upstream,
        });
        expect(Buffer.from(got.body)).toEqual(
          Buffer.concat((upstream.chunks ?? []).map((chunk) => Buffer.from(chunk))),
        );
        if (stream) expect(got.chunks.every(({ bytes }) => bytes.length === 1)).toBe(true);
        else expect(got.chunks).toHaveLength(1);
      }
    },
  );

  it("and half of a complete response is an error, which is not charged", async () => {
    const worker = await start(THOUSAND);
    const whole = Buffer.concat((reply("chat", false).chunks ?? []).map((one) => Buffer.from(one)));
    const chunks = [whole.subarray(0, 20), whole.subarray(20, whole.length / 2)];
    const { reply: got } = worker.ask({ upstream: { ...reply("chat", false), chunks } });
    expect(got.status).toBe(502);
    expect(Buffer.from(got.body).toString()).toContain("sent JSON that is not valid");
    expect(remaining(worker.ask())).toBe(1000);
  });

  it("and one with trailers and without usage costs no more than what was sent", async () => {
    const worker = await start(THOUSAND);
    const chunks = [Buffer.from('{"choices":[]}')];
    worker.ask({ upstream: { ...reply("chat", false), chunks, trailers: [["x-checksum", "1"]] } });
    expect(remaining(worker.ask())).toBeGreaterThan(950);
  });

  it("and one of more than 8 MiB passes when it comes, charged by its length", async () => {
    const worker = await start(THOUSAND);
    const half = Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(5 << 20, "x")]);
    const chunks = [half, Buffer.alloc(5 << 20, "x"), Buffer.from('"}')];
    const { reply: got } = worker.ask({ upstream: { ...reply("chat", false), chunks } });
    expect(got.status).toBe(200);
    expect(got.body).toHaveLength(half.length + (5 << 20) + 2);
    expect(worker.ask().reply.status).toBe(429);
  });

  it("and an error is not charged", async () => {
    const worker = await start(THOUSAND);
    const body = Buffer.from('{"error":{"message":"no","type":"x","param":null,"code":null}}');
    const upstream: UpstreamReply = {
      status: 500,
      headers: [["content-type", "application/json"]],
      chunks: [body],
      ending: "complete",
    };
    expect(worker.ask({ upstream }).reply.status).toBe(500);
    expect(remaining(worker.ask())).toBe(1000);
  });
});

it("whatever usage a provider reports, its response passes, and no budget is used up for longer than one unit", async () => {
  const worker = await start(BOTH);
  const count = fc.oneof(
    fc.integer().map(String),
    fc.constantFrom("1e99", "999999999999999999", "-1", "null", '"7"', "{}", "0.5", "[1]"),
  );
  const usage = fc
    .tuple(count, count)
    .map(([input, output]) => `{"prompt_tokens":${input},"completion_tokens":${output}}`);
  const text = fc.oneof(
    usage.map((said) => CHAT.complete.replace(/"usage":\{"prompt.*\}\}$/, `"usage":${said}}`)),
    usage.map((said) => event(`{"choices":[],"usage":${said}}`) + event("[DONE]")),
    fc.string().map((noise) => `data: {"usage":{${noise}\n\n`),
  );
  fc.assert(
    fc.property(text, fc.boolean(), fc.integer({ min: 1, max: 40 }), (said, stream, size) => {
      worker.clock.now += 60_000;
      const body = Buffer.from(said);
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
        body.subarray(index * size, (index + 1) * size),
      );
      const upstream = { ...reply("chat", stream), chunks };
      const { reply: got } = worker.ask({ stream, wantsUsage: true, upstream });
      expect(got.status).toBe(200);
      expect(Buffer.from(got.body)).toEqual(body);
    }),
    { numRuns: 400 },
  );
});

describe("what the provider has not reported is estimated", () => {
  it("a response without usage costs one token for four bytes", async () => {
    const worker = await start(THOUSAND);
    const body = CHAT.complete.replace(/,"usage":\{"prompt.*\}\}$/, "}");
    const upstream = { ...reply("chat", false), chunks: [Buffer.from(body)] };
    const { sent } = worker.ask({ upstream });
    const request = sent[0]?.body.length ?? 0;
    // The client's request names the model with its provider.
    const asked = Math.floor((request + "openai/".length) / 4);
    expect(remaining(worker.ask())).toBe(1000 - asked - Math.floor(body.length / 4));
  });

  it("a chat stream that the client cuts: a token for each event, and the request's bytes", async () => {
    const worker = await start(THOUSAND);
    const upstream = reply("chat", true, "every event");
    const first = worker.ask({
      stream: true,
      text: "x".repeat(400),
      upstream,
      input: { clientLeavesAfter: 2 },
    });
    expect(first.reply.ending).toBe("left");
    const left = remaining(worker.ask());
    expect(left).toBeLessThan(1000 - 100 - 1);
    expect(left).toBeGreaterThan(1000 - 160);
  });

  it("a messages stream that the client cuts: its input is known, its output at least its events", async () => {
    const worker = await start(BOTH);
    const upstream = reply("messages", true, "every event");
    worker.ask({
      dialect: "messages",
      model: "anthropic/claude",
      stream: true,
      upstream,
      input: { clientLeavesAfter: 3 },
    });
    expect(
      remaining(worker.ask({ dialect: "messages", model: "anthropic/claude" }), "messages"),
    ).toBe(1000 - 20 - 3);
  });

  it("a large request is not estimated by its images", async () => {
    const worker = await start("  - {model: openai/gpt, limit: {tokens: 100000, unit: minute}}\n");
    const body = CHAT.complete.replace(/,"usage":\{"prompt.*\}\}$/, "}");
    const upstream = { ...reply("chat", false), chunks: [Buffer.from(body)] };
    worker.ask({ upstream, text: "A".repeat(1_000_000) });
    expect(remaining(worker.ask())).toBe(100_000 - 32_768 - Math.floor(body.length / 4));
  });
});

describe("over the limit", () => {
  const SMALL = "  - {model: openai/gpt, limit: {tokens: 30, unit: minute}}\n";

  it("a chat client gets 429 in its dialect, and when to come back", async () => {
    const worker = await start(SMALL);
    worker.ask();
    const { reply: refused, sent } = worker.ask();
    expect(sent).toEqual([]);
    expect(refused.status).toBe(429);
    expect(JSON.parse(Buffer.from(refused.body).toString())).toEqual({
      error: {
        message: "Rate limit reached: 30 tokens a minute for openai/gpt. Retry in 2 s.",
        type: "rate_limit_error",
        param: null,
        code: "rate_limit_exceeded",
      },
    });
    const headers = Object.fromEntries(refused.headers);
    expect(headers).toMatchObject({
      "retry-after": "2",
      "x-ratelimit-limit-tokens": "30",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "1m0s",
    });
  });

  it("a messages client gets the Anthropic headers, with a time for the reset", async () => {
    const worker = await start(SMALL);
    worker.ask();
    const { reply: refused } = worker.ask({ dialect: "messages" });
    expect(refused.status).toBe(429);
    expect(JSON.parse(Buffer.from(refused.body).toString())).toMatchObject({
      type: "error",
      error: { type: "rate_limit_error" },
    });
    const headers = Object.fromEntries(refused.headers);
    expect(headers).toMatchObject({
      "retry-after": "2",
      "anthropic-ratelimit-tokens-limit": "30",
      "anthropic-ratelimit-tokens-remaining": "0",
      "anthropic-ratelimit-tokens-reset": "2026-03-01T00:00:30Z",
    });
  });

  it("the reset is a date on every day of the calendar", async () => {
    for (const [at, reset] of [
      [Date.UTC(2027, 11, 31, 23, 59, 59), "2028-01-01T00:00:59Z"],
      [Date.UTC(2028, 1, 28, 23, 59, 1), "2028-02-29T00:00:01Z"],
      [Date.UTC(2028, 1, 29, 23, 59, 1), "2028-03-01T00:00:01Z"],
      [Date.UTC(2100, 1, 28, 23, 59, 1), "2100-03-01T00:00:01Z"],
      [Date.UTC(2026, 6, 31, 11, 0, 0), "2026-07-31T11:01:00Z"],
    ] as const) {
      const worker = await start(SMALL, { clock: { now: at } });
      worker.ask();
      const { reply: refused } = worker.ask({ dialect: "messages" });
      expect(Object.fromEntries(refused.headers)["anthropic-ratelimit-tokens-reset"]).toBe(reset);
    }
  });

  it("the budget comes back as time passes, and is whole after the unit of time", async () => {
    const worker = await start(SMALL);
    worker.ask();
    worker.clock.now += 1_990;
    expect(worker.ask().reply.status).toBe(429);
    worker.clock.now += 10;
    const next = worker.ask();
    expect(next.reply.status).toBe(200);
    expect(remaining(next)).toBe(1);
    // That reply took 30 where 1 was left: the rest is owed.
    worker.clock.now += 58_000;
    expect(worker.ask().reply.status).toBe(429);
    worker.clock.now += 2_000;
    expect(worker.ask().reply.status).toBe(200);
    worker.clock.now += 120_000;
    expect(remaining(worker.ask())).toBe(30);
  });

  it("no client waits longer than the unit of time, however much one request used", async () => {
    const worker = await start("  - {model: openai/gpt, limit: {tokens: 1, unit: second}}\n");
    worker.ask();
    expect(header(worker.ask(), "retry-after")).toBe("1");
    worker.clock.now += 990;
    expect(worker.ask().reply.status).toBe(429);
    worker.clock.now += 10;
    expect(worker.ask().reply.status).toBe(200);
  });

  it("a clock that is set back makes budgets whole, and rejects no client", async () => {
    const worker = await start(SMALL);
    worker.ask();
    worker.clock.now -= 86_400_000;
    expect(worker.ask().reply.status).toBe(200);
    expect(worker.ask().reply.status).toBe(429);
    worker.clock.now += 60_000;
    expect(worker.ask().reply.status).toBe(200);
  });
});

describe("whose budget", () => {
  const EACH =
    "  - {model: openai/gpt, selector: {key: X-User}, limit: {tokens: 30, unit: minute}}\n";
  const from = (user: string): Ask => ({ headers: [["x-user", user]] });

  it("each value of the header has a separate budget, and so has its absence", async () => {
    const worker = await start(EACH);
    const statuses = [from("a"), from("a"), from("b"), {}, {}, from("b")].map(
      (ask) => worker.ask(ask).reply.status,
    );
    expect(statuses).toEqual([200, 429, 200, 200, 429, 429]);
  });

  it("only the value that is named is limited", async () => {
    const worker = await start(
      "  - {model: openai/gpt, selector: {key: x-user, value: a}, limit: {tokens: 30, unit: minute}}\n",
    );
    const statuses = [from("a"), from("a"), from("b"), from("b"), {}, {}].map(
      (ask) => worker.ask(ask).reply.status,
    );
    expect(statuses).toEqual([200, 429, 200, 200, 200, 200]);
    expect(header(worker.ask(from("b")), "x-ratelimit-limit-tokens")).toBeUndefined();
  });

  it("a header that the gateway replaces is read as the client sent it", async () => {
    const worker = await start(EACH.replace("X-User", "authorization"));
    const key = (value: string): Ask => ({ headers: [["authorization", `Bearer ${value}`]] });
    const statuses = [key("a"), key("b"), key("a")].map((ask) => worker.ask(ask).reply.status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("a limit of a model holds for all its names, a limit of an alias for the alias alone", async () => {
    const worker = await start(
      "  - {model: fast, limit: {tokens: 30, unit: minute}}\n  - {model: gpt, limit: {tokens: 90, unit: minute}}\n",
    );
    const models = ["fast", "fast", "other", "openai/gpt", "gpt", "none", "anthropic/claude"];
    const statuses = models.map((model) => worker.ask({ model }).reply.status);
    expect(statuses).toEqual([200, 429, 200, 200, 429, 429, 200]);
  });

  it("the limit with the longest wait is reported if several are used up", async () => {
    const worker = await start(
      "  - {model: openai/gpt, limit: {tokens: 30, unit: minute}}\n  - {model: openai/gpt, limit: {tokens: 30, unit: hour}}\n",
    );
    worker.ask();
    expect(header(worker.ask(), "retry-after")).toBe("120");
  });

  it("nine thousand invented values get no memory, and do not drive out those who use much", async () => {
    const worker = await start(EACH);
    const slots = worker.shared.size;
    worker.ask(from("heavy"));
    for (let i = 0; i < 9_000; i++) {
      // A little of the budget each, and the clock stands still: nothing expires.
      const upstream = {
        ...reply("chat", false),
        chunks: [Buffer.from(CHAT.complete.replace(/20,|10,/g, "1,").replace("30}", "2}"))],
      };
      worker.ask({ ...from(`invented-${i}`), upstream });
    }
    expect(worker.shared.size).toBe(slots);
    expect(slots).toBe(257);
    expect(worker.ask(from("heavy")).reply.status).toBe(429);
  });
});

describe("limits of requests", () => {
  const FIVE = "  - {model: openai/gpt, limit: {requests: 7, unit: minute}}\n";

  it("count each request, and come back one by one", async () => {
    const worker = await start(FIVE);
    const statuses = Array.from({ length: 8 }, () => worker.ask().reply.status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 429]);
    const { reply: refused } = worker.ask();
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "9",
      "x-ratelimit-limit-requests": "7",
      "x-ratelimit-remaining-requests": "0",
    });
    worker.clock.now += 9_000;
    expect(worker.ask().reply.status).toBe(200);
    expect(worker.ask().reply.status).toBe(429);
  });

  it("besides one of tokens", async () => {
    const worker = await start(
      "  - {model: openai/gpt, limit: {requests: 5, tokens: 100, unit: minute}}\n",
    );
    const first = Object.fromEntries(worker.ask().reply.headers);
    expect(first).toMatchObject({
      "x-ratelimit-remaining-requests": "4",
      "x-ratelimit-remaining-tokens": "100",
    });
  });
});

describe("several workers", () => {
  it("share one budget", async () => {
    const shared = new SharedData();
    const limit = "  - {model: openai/gpt, limit: {tokens: 60, unit: minute}}\n";
    const one = await start(limit, { shared });
    const two = await start(limit, { shared });
    const statuses = [one, two, one, two].map((worker) => worker.ask().reply.status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it("lose no charge when they charge at the same time", async () => {
    const shared = new SharedData();
    const one = await start(THOUSAND, { shared });
    const two = await start(THOUSAND, { shared });
    let depth = 0;
    let races = 0;
    shared.afterGet = () => {
      if (depth > 0 || races >= 10) return;
      depth++;
      races++;
      two.ask();
      depth--;
    };
    for (let i = 0; i < 5; i++) one.ask();
    shared.afterGet = undefined;
    expect(races).toBe(10);
    expect(remaining(one.ask())).toBe(1000 - 15 * 30);
  });

  it("keep the budget after a reload; a new amount starts over, once", async () => {
    const shared = new SharedData();
    (await start(THOUSAND, { shared })).ask();
    expect(remaining((await start(THOUSAND, { shared })).ask())).toBe(970);
    const larger = THOUSAND.replace("1000", "2000");
    expect(remaining((await start(larger, { shared })).ask())).toBe(2000);
    expect(remaining((await start(larger, { shared })).ask())).toBe(1970);
  });
});

describe("a name that stands for several models", () => {
  const adapt = (model: GatewayModel): void => {
    model.targetSets = [{ name: "best", targets: [0, 1], retry: RETRY }];
    model.rateLimits?.push({
      subject: { alias: "best" },
      counts: "tokens",
      amount: 1000,
      unit: "minute",
    });
  };
  const down: UpstreamReply = {
    status: 503,
    headers: [["content-type", "application/json"]],
    chunks: [Buffer.from("{}")],
    ending: "complete",
  };

  it("charges the model that served, and the name", async () => {
    const worker = await start(BOTH.replaceAll("1000", "500"), { adapt });
    const upstream: ExchangeInput["upstream"] = ({ attempt }) =>
      attempt === 0 ? down : reply("messages", false);
    expect(worker.ask({ model: "best", input: { upstream } }).reply.status).toBe(200);
    expect(remaining(worker.ask({ model: "openai/gpt" }))).toBe(500);
    expect(remaining(worker.ask({ model: "anthropic/claude" }))).toBe(470);
    const again = worker.ask({ model: "best", input: { upstream: () => reply("chat", false) } });
    expect(again.reply.status).toBe(200);
  });

  const LITTLE = "  - {model: openai/gpt, limit: {tokens: 30, unit: minute}}\n";

  it("uses the next model if the first has no budget left", async () => {
    const worker = await start(LITTLE, { adapt });
    worker.ask();
    const upstream = () => reply("messages", false);
    const { reply: answered, sent } = worker.ask({ model: "best", input: { upstream } });
    expect(answered.status).toBe(200);
    expect(sent.map(({ path }) => path)).toEqual(["/v1/messages"]);
  });

  it("is refused when no model has anything left", async () => {
    const other = LITTLE.replace("openai/gpt", "anthropic/claude");
    const worker = await start(LITTLE + other, { adapt });
    worker.ask();
    worker.ask({ model: "anthropic/claude", input: { upstream: () => reply("messages", false) } });
    const { reply: refused, sent } = worker.ask({ model: "best", dialect: "messages" });
    expect(refused.status).toBe(429);
    expect(sent).toEqual([]);
    expect(Object.fromEntries(refused.headers)["retry-after"]).toBe("2");
  });
});

describe("where Envoy's rate limit service counts", () => {
  const SERVICE = `${BOTH}  - {model: fast, selector: {key: x-user}, limit: {requests: 5, unit: hour}}
ratelimit_service: {address: "127.0.0.1:8081"}
`;
  const state = ({ filterState }: ExchangeResult): Record<string, string> =>
    Object.fromEntries(
      [...filterState].filter(([name]) => !name.startsWith("gateway_limit_check")),
    );
  const checked = ({ filterState }: ExchangeResult): string[] =>
    [...filterState.keys()].filter((name) => name.startsWith("gateway_limit_check"));

  it.each([false, true])(
    "the filter says what to ask and what to charge, stream %s",
    async (stream) => {
      const worker = await start(SERVICE);
      const result = worker.ask({ model: "fast", stream, headers: [["x-user", "a"]] });
      expect(checked(result)).toEqual(["gateway_limit_check_2", "gateway_limit_check_0"]);
      expect(state(result)).toEqual({
        gateway_limit_charge_0: "0000000000000001",
        gateway_limit_tokens: "30",
      });
      const user = (name: string): string | undefined =>
        worker
          .ask({ model: "fast", headers: [["x-user", name]] })
          .filterState.get("gateway_limit_check_2");
      expect(user("a")).toBe(result.filterState.get("gateway_limit_check_2"));
      expect(user("b")).toMatch(/^[0-9a-f]{16}$/);
      expect(user("b")).not.toBe(user("a"));
      expect(worker.shared.size).toBe(0);
    },
  );

  it("a stream that the client cuts is charged when it is gone", async () => {
    const worker = await start(SERVICE);
    const upstream = reply("messages", true, "every event");
    const result = worker.ask({
      dialect: "messages",
      model: "anthropic/claude",
      stream: true,
      upstream,
      input: { clientLeavesAfter: 3 },
    });
    expect(state(result)["gateway_limit_tokens"]).toBe("23");
  });

  it("nothing is charged for an error", async () => {
    const worker = await start(SERVICE);
    const body = Buffer.from("{}");
    const upstream: UpstreamReply = { ...reply("chat", false), status: 500, chunks: [body] };
    expect(state(worker.ask({ upstream }))).toEqual({});
  });

  it("of several models the one that is asked first is looked at, the one that serves is charged", async () => {
    const worker = await start(SERVICE, {
      adapt: (model) => {
        model.targetSets = [{ name: "best", targets: [0, 1], retry: RETRY }];
      },
    });
    const result = worker.ask({
      model: "best",
      input: {
        upstream: ({ attempt }) =>
          attempt === 0 ? { ...reply("chat", false), status: 503 } : reply("messages", false),
      },
    });
    expect(result.reply.status).toBe(200);
    expect(checked(result)).toEqual(["gateway_limit_check_0"]);
    expect(Object.keys(state(result))).toContain("gateway_limit_charge_1");
    expect(Object.keys(state(result))).not.toContain("gateway_limit_charge_0");
  });

  const HEADERS: [string, string][] = [
    ["x-ratelimit-limit", '5, 1000;w=60;name="tokens", 5;w=3600;name="requests"'],
    ["x-ratelimit-remaining", "0"],
    ["x-ratelimit-reset", "75"],
  ];

  it.each([
    ["chat", "x-ratelimit-limit-requests", "x-ratelimit-reset-requests", "1m15s"],
    [
      "messages",
      "anthropic-ratelimit-requests-limit",
      "anthropic-ratelimit-requests-reset",
      "2026-03-01T00:00:45Z",
    ],
  ] as const)(
    "what it answers a %s client is in its dialect",
    async (dialect, limit, reset, time) => {
      const worker = await start(SERVICE);
      const failure = {
        status: 429,
        details: "request_rate_limited",
        body: Buffer.from("request_rate_limited"),
        headers: [...HEADERS, ["x-envoy-ratelimited", "true"]] as [string, string][],
      };
      const { reply: refused } = worker.ask({ dialect, input: { upstream: () => ({ failure }) } });
      const headers = Object.fromEntries(refused.headers);
      expect(refused.status).toBe(429);
      expect(headers).toMatchObject({ "retry-after": "75", [limit]: "5", [reset]: time });
      expect(Object.keys(headers)).not.toContain("x-ratelimit-limit");
      expect(Object.keys(headers)).not.toContain("x-envoy-ratelimited");
      const body = JSON.parse(Buffer.from(refused.body).toString()) as object;
      const message = "Rate limit reached. Retry after the seconds in retry-after.";
      expect(body).toMatchObject({ error: { type: "rate_limit_error", message } });
    },
  );

  it.each([
    [[["x-ratelimit-limit", "x"]]],
    [[["x-ratelimit-limit", ","]]],
    [[["x-ratelimit-limit", '99999999999, 99999999999;w=1;name="']]],
    [
      [
        ["x-ratelimit-limit", ""],
        ["x-ratelimit-reset", "-1"],
      ],
    ],
  ] as [[string, string][]][])("and headers that mean nothing do no harm: %j", async (headers) => {
    const worker = await start(SERVICE);
    const good = reply("chat", false);
    const upstream = { ...good, headers: [...good.headers, ...headers] };
    expect(worker.ask({ upstream }).reply.status).toBe(200);
  });
});

it("a request that no limit is for asks for no shared data", async () => {
  const worker = await start(THOUSAND);
  let reads = 0;
  worker.shared.afterGet = () => reads++;
  worker.ask({ model: "anthropic/claude" });
  worker.ask({ model: "anthropic/claude", stream: true });
  expect(reads).toBe(0);
});
