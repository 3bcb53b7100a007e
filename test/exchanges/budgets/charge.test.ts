// What a request costs: the record has it, and its budgets are charged with the same, once.
import { describe, expect, it } from "vitest";
import type { GatewayModel } from "../../../model/model.ts";
import { FAILURES } from "../../../control-plane/wasm-host/upstream.ts";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { RETRY } from "../../envoy/models.ts";
import { CHAT, providerResponse } from "../rate-limits/provider-responses.ts";
import { COST, CONFIGURATION, errorOf, recordOf, responseTo, start } from "./set-up.ts";
import type { Path, Worker } from "./set-up.ts";

const MIB = 1024 ** 2;
/** How many events the stream of a provider has. */
const EVENTS = { chat: 4, messages: 6 };

async function allowed(text = CONFIGURATION): Promise<Worker> {
  const worker = await start({ text });
  expect(worker.allow()).toMatchObject({ status: 200, fresh: 1 });
  return worker;
}

describe("a response", () => {
  it("a response of another dialect, which repeats nothing of the request, is charged", async () => {
    const worker = await allowed();
    const text = "A".repeat(40_000);
    const message = {
      ...{ id: "msg_1", type: "message", role: "assistant", model: "claude" },
      ...{ content: [{ type: "text", text }], stop_reason: "end_turn" },
    };
    const upstream = {
      ...providerResponse("messages", false),
      chunks: [Buffer.from(JSON.stringify(message))],
    };
    const instructions = "Be brief. ".repeat(10_000);
    const request = {
      ...{ method: "POST", path: "/v1/responses" },
      headers: [["x-gateway-api-key", "b".repeat(30)]] as [string, string][],
      body: Buffer.from(JSON.stringify({ model: "anthropic/claude", input: "Hi", instructions })),
    };
    const { cost = 0, estimated } = recordOf(worker.ask({ upstream, input: { request } }));
    expect(estimated).toBe(1);
    const output = (cost - (instructions.length / 4) * 1_000_000) / 10_000_000;
    expect(Math.abs(output - text.length / 4)).toBeLessThan(100);
  });

  it.each<[Path, string, boolean]>(
    (["/v1/chat/completions", "/v1/messages", "/v1/responses"] as const).flatMap((path) =>
      ["openai/gpt", "anthropic/claude"].flatMap((model) =>
        [false, true].map((stream): [Path, string, boolean] => [path, model, stream]),
      ),
    ),
  )(
    "a response of %s from %s, stream: %s, charges all of its budgets",
    async (path, model, stream) => {
      const worker = await allowed();
      const result = worker.ask({ path, model, stream });
      expect(result.response.status).toBe(200);
      expect(recordOf(result)).toMatchObject({ cost: COST, input: 20, output: 10 });
      expect(recordOf(result).estimated).toBeUndefined();
      const ofModel = model === "openai/gpt" ? COST : 0;
      expect(worker.charged()).toEqual({ research: COST, all: COST, "openai/gpt": ofModel });
    },
  );

  it("a response to a key without a budget charges those of the model and of all", async () => {
    const worker = await allowed();
    worker.ask({ key: "a" });
    worker.ask({ input: { listener: "internal_egress" } });
    expect(worker.charged()).toEqual({ research: 0, all: 2 * COST, "openai/gpt": 2 * COST });
  });

  it("a response that is an error costs nothing", async () => {
    const worker = await allowed();
    const error = (status: number): UpstreamResponse => ({
      status,
      headers: [["content-type", "application/json"]],
      chunks: [Buffer.from('{"error":{"message":"no"}}')],
      ending: "complete",
    });
    for (const status of [400, 429, 500]) {
      expect(recordOf(worker.ask({ upstream: error(status) })).cost).toBeUndefined();
    }
    const page: UpstreamResponse = {
      ...{ status: 200, ending: "complete" },
      headers: [["content-type", "text/html"]],
      chunks: [Buffer.from(`<html>${"x".repeat(5000)}</html>`)],
    };
    expect(worker.ask({ upstream: page }).response.status).toBe(502);
    expect(worker.charged()).toEqual({ research: 0, all: 0, "openai/gpt": 0 });
  });

  it.each([
    [
      "/v1/embeddings",
      { object: "list", data: [], usage: { prompt_tokens: 20, total_tokens: 20 } },
    ],
    [
      "/v1/responses/compact",
      { object: "response.compaction", output: [], usage: { input_tokens: 10, output_tokens: 1 } },
    ],
  ])("a response of %s is charged", async (path, body) => {
    const worker = await allowed();
    const result = worker.ask({
      upstream: { ...providerResponse("chat", false), chunks: [Buffer.from(JSON.stringify(body))] },
      input: {
        request: {
          ...{ method: "POST", path },
          headers: [["x-gateway-api-key", "b".repeat(30)]],
          body: Buffer.from('{"model":"openai/gpt","input":[]}'),
        },
      },
    });
    expect(result.response.status).toBe(200);
    expect(recordOf(result)).toMatchObject({ cost: 20_000_000 });
    expect(worker.charged()["research"]).toBe(20_000_000);
  });

  it("a response of a model without a price costs nothing, and its record has no cost", async () => {
    const worker = await allowed(
      CONFIGURATION.replace(/ {2}openai\/gpt: .*\n/, "").replace(
        / {2}- \{model: openai\/gpt, am.*\n/,
        "",
      ),
    );
    const result = worker.ask();
    expect(recordOf(result)).toMatchObject({ input: 20, output: 10 });
    expect(recordOf(result).cost).toBeUndefined();
    expect(worker.charged()).toEqual({ research: 0, all: 0 });
  });

  it("a response has a header with the cost of its record, if that is configured", async () => {
    const worker = await allowed(`${CONFIGURATION}observability: {cost_header: true}\n`);
    const { response } = worker.ask();
    expect(Object.fromEntries(response.headers)["x-gateway-cost"]).toBe("0.12");
    expect(worker.charged()["research"]).toBe(COST);
    const without = await allowed();
    expect(Object.fromEntries(without.ask().response.headers)).not.toHaveProperty("x-gateway-cost");
  });

  it("a response of the fallback is charged, not that of the model that failed", async () => {
    const worker = await start({
      adapt: (model) => {
        model.targetSets = [{ name: "best", targets: [0, 1], retry: RETRY }];
      },
    });
    worker.allow();
    for (const stream of [false, true]) {
      const upstream: NonNullable<Parameters<Worker["ask"]>[0]>["input"] = {
        upstream: ({ attempt }) =>
          attempt === 0 ? overloaded : providerResponse("messages", stream),
      };
      const result = worker.ask({ model: "best", stream, input: upstream });
      expect(recordOf(result)).toMatchObject({ cost: COST, target: "anthropic/claude" });
    }
    expect(worker.charged()).toEqual({ research: 2 * COST, all: 2 * COST, "openai/gpt": 0 });
  });

  const overloaded: UpstreamResponse = {
    status: 503,
    headers: [["content-type", "application/json"]],
    chunks: [Buffer.from("{}")],
    ending: "complete",
  };
});

describe("what the provider has not reported is estimated", () => {
  const embeddings = (usage: object): UpstreamResponse => {
    const item = `{"object":"embedding","index":0,"embedding":"${"A".repeat(MIB)}"},`;
    const end = `{"object":"embedding","index":1}],"model":"m","usage":${JSON.stringify(usage)}}`;
    const body = Buffer.from(`{"object":"list","data":[${item.repeat(9)}${end}`);
    const count = Math.ceil(body.length / 50_000);
    const chunks = Array.from({ length: count }, (_, i) =>
      body.subarray(i * 50_000, (i + 1) * 50_000),
    );
    return { ...providerResponse("chat", false), chunks };
  };
  const embed = (input: string) => ({
    request: {
      ...{ method: "POST", path: "/v1/embeddings" },
      headers: [["x-gateway-api-key", "b".repeat(30)]] as [string, string][],
      body: Buffer.from(JSON.stringify({ model: "openai/gpt", input })),
    },
  });

  it("a large response is not estimated, because its end has its usage", async () => {
    const worker = await allowed(`${CONFIGURATION}observability: {cost_header: true}\n`);
    for (const one of [worker, await allowed()]) {
      const upstream = embeddings({ prompt_tokens: 300_000, total_tokens: 300_000 });
      const { cost, estimated, input } = recordOf(one.ask({ upstream, input: embed("Hi") }));
      expect([cost, estimated, input]).toEqual([300_000 * 1_000_000, undefined, 300_000]);
    }
  });

  /** A large response of the Responses API, whose usage has members after it. */
  const large = (behind: object): UpstreamResponse => {
    const body = {
      ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt", status: "completed" },
      output: [{ type: "image_generation_call", id: "ig_1", result: "A".repeat(9 * MIB) }],
      usage: { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 },
      ...behind,
    };
    const bytes = Buffer.from(JSON.stringify(body));
    const count = Math.ceil(bytes.length / 50_000);
    const chunks = Array.from({ length: count }, (_, i) =>
      bytes.subarray(i * 50_000, (i + 1) * 50_000),
    );
    return { ...providerResponse("chat", false), chunks };
  };

  it.each<[string, object]>([
    ["5 KB of metadata", { metadata: { note: "x".repeat(5000) } }],
    [
      "60 KB of tools",
      { tools: [{ type: "function", name: "f", description: "x".repeat(60_000) }] },
    ],
    [
      "members with the name of the usage",
      { metadata: { usage: { input_tokens: 7 }, more: { usage: 1 } } },
    ],
    [
      "a member like the usage in a member of that name",
      { metadata: { usage: { usage: { input_tokens: 7 } } } },
    ],
  ])("a large response that has %s after its usage is not estimated", async (_, behind) => {
    const worker = await allowed();
    const result = worker.ask({ path: "/v1/responses", upstream: large(behind) });
    const { cost, estimated, input, output } = recordOf(result);
    expect([cost, estimated, input, output]).toEqual([6_000_000_000, undefined, 1000, 500]);
  });

  it("a large response is estimated without what it repeats of the request", async () => {
    const worker = await allowed();
    const instructions = "Be brief. ".repeat(150_000);
    const upstream = large({ instructions });
    const request = {
      ...{ method: "POST", path: "/v1/responses" },
      headers: [["x-gateway-api-key", "b".repeat(30)]] as [string, string][],
      body: Buffer.from(JSON.stringify({ model: "openai/gpt", input: "Hi", instructions })),
    };
    const { cost = 0, estimated } = recordOf(worker.ask({ upstream, input: { request } }));
    expect(estimated).toBe(1);
    const output = (cost - (instructions.length / 4) * 1_000_000) / 10_000_000;
    expect(Math.abs(output - (9 * MIB) / 4)).toBeLessThan(1000);
  });

  it.each<[Path, string, boolean]>(
    (["/v1/chat/completions", "/v1/messages", "/v1/responses"] as const).flatMap((path) =>
      ["openai/gpt", "anthropic/claude"].flatMap((model) =>
        [false, true].map((stream): [Path, string, boolean] => [path, model, stream]),
      ),
    ),
  )(
    "impossible numbers of tokens are replaced by an estimate, on %s from %s, stream: %s",
    async (path, model, stream) => {
      const worker = await allowed();
      for (const impossible of ["900000000000000", "9007199254740993", "1000000000"]) {
        const upstream = (request: { path: string }): UpstreamResponse => {
          const whole = responseTo(request.path, stream);
          const text = Buffer.concat(whole.chunks ?? []).toString();
          return {
            ...whole,
            chunks: [
              Buffer.from(
                text.replaceAll(
                  /("(?:prompt|completion|input|output)_tokens":)\d+/g,
                  `$1${impossible}`,
                ),
              ),
            ],
          };
        };
        const before = worker.charged()["research"] ?? 0;
        const record = recordOf(worker.ask({ path, model, stream, input: { upstream } }));
        expect(record.estimated).toBe(1);
        expect(record.input).toBeUndefined();
        expect(record.output).toBeUndefined();
        expect(record.cost).toBeGreaterThan(0);
        expect(record.cost).toBeLessThan(5_000_000_000);
        expect(worker.charged()["research"]).toBe(before + (record.cost ?? 0));
      }
    },
  );

  it("a large response without usage, and a large request, are estimated without a bound", async () => {
    const worker = await allowed();
    const result = worker.ask({ upstream: embeddings({}), input: embed("a".repeat(MIB)) });
    expect(recordOf(result).estimated).toBe(1);
    expect(recordOf(result).cost).toBeGreaterThanOrEqual((MIB / 4) * 1_000_000);
  });

  it.each([
    [
      "an image",
      1600,
      { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(MIB)}` } },
    ],
    [
      "a document",
      32_768,
      { type: "file", file: { filename: "a.pdf", file_data: "A".repeat(MIB) } },
    ],
  ])(
    "an estimate has a bound for %s of the request, and none for its text",
    async (_, tokens, part) => {
      const worker = await allowed();
      const costOf = (content: unknown) =>
        recordOf(
          worker.ask({
            text: content as string,
            stream: true,
            upstream: providerResponse("chat", true, "every event"),
            input: { clientLeavesAfter: 1 },
          }),
        ).cost ?? 0;
      const small = costOf("Hi");
      const price = 1_000_000;
      expect(Math.abs(costOf([part]) - small - tokens * price)).toBeLessThan(100 * price);
      const long = { type: "text", text: "a".repeat(MIB) };
      const both = (MIB / 4 + tokens) * price;
      expect(Math.abs(costOf([part, long]) - small - both)).toBeLessThan(100 * price);
    },
  );

  it("a response that its trailers end is estimated by its held length", async () => {
    const worker = await allowed(`${CONFIGURATION}observability: {cost_header: true}\n`);
    const body = CHAT.complete.replace(/,"usage":\{"prompt.*\}\}$/, "}");
    const whole = { ...providerResponse("chat", false), chunks: [Buffer.from(body)] };
    const { cost } = recordOf(worker.ask({ upstream: whole }));
    const upstream = { ...whole, trailers: [["a", "b"]] as [string, string][] };
    expect(recordOf(worker.ask({ upstream })).cost).toBe(cost);
  });

  it.each([false, true])(
    "the input is estimated if the client leaves before the response; stream: %s",
    async (stream) => {
      const adapt = (model: GatewayModel) => {
        model.targetSets = [{ name: "best", targets: [0, 1], retry: RETRY }];
      };
      const worker = await start({ adapt });
      worker.allow();
      let sum = 0;
      for (const model of ["openai/gpt", "anthropic/claude", "best"]) {
        const result = worker.ask({
          model,
          stream,
          text: "a".repeat(4000),
          input: { clientLeavesAfter: -1 },
        });
        const { cost = 0, estimated } = recordOf(result);
        expect(estimated).toBe(1);
        expect(cost).toBeGreaterThan(1000 * 1_000_000);
        expect(cost).toBeLessThan(1100 * 1_000_000);
        sum += cost;
      }
      expect(worker.charged()["research"]).toBe(sum);
      const unreachable = { upstream: () => FAILURES.connectionRefused };
      expect(recordOf(worker.ask({ stream, input: unreachable })).cost).toBeUndefined();
    },
  );

  it("a complete response is estimated as four bytes a token", async () => {
    const worker = await allowed();
    const body = CHAT.complete.replace(/,"usage":\{"prompt.*\}\}$/, "}");
    const result = worker.ask({
      upstream: { ...providerResponse("chat", false), chunks: [Buffer.from(body)] },
    });
    const { cost, estimated } = recordOf(result);
    expect(estimated).toBe(1);
    // The client's request names the model with its provider, and has `max_tokens`.
    const more = "openai/".length - "_completion".length;
    const input = Math.floor(((result.sent[0]?.body.length ?? 0) + more) / 4);
    expect(cost).toBe(input * 1_000_000 + Math.floor(body.length / 4) * 10_000_000);
    expect(worker.charged()["research"]).toBe(cost);
  });

  describe.each<[Path, string, "chat" | "messages"]>([
    ["/v1/chat/completions", "openai/gpt", "chat"],
    ["/v1/messages", "anthropic/claude", "messages"],
    ["/v1/messages", "openai/gpt", "chat"],
    ["/v1/chat/completions", "anthropic/claude", "messages"],
    ["/v1/responses", "anthropic/claude", "messages"],
  ])("%s from %s", (path, model, dialect) => {
    it("an estimated stream is charged once wherever the client cuts it, and never nothing after the first event", async () => {
      const worker = await allowed();
      const upstream = providerResponse(dialect, true, "every event");
      let sum = 0;
      for (let chunks = 1; chunks <= EVENTS[dialect]; chunks++) {
        const input = { clientLeavesAfter: chunks };
        const result = worker.ask({ path, model, stream: true, upstream, input });
        const { cost = 0 } = recordOf(result);
        if (result.response.chunks.length > 0) expect(cost, String(chunks)).toBeGreaterThan(0);
        sum += cost;
        expect(worker.charged()["research"], String(chunks)).toBe(sum);
      }
    });

    it("an estimated stream is charged once at every byte at which the client cuts it", async () => {
      const worker = await allowed();
      const upstream = providerResponse(dialect, true, "every byte");
      let sum = 0;
      for (let bytes = 1; bytes <= (upstream.chunks?.length ?? 0); bytes += 3) {
        const input = { clientLeavesAfter: bytes };
        sum += recordOf(worker.ask({ path, model, stream: true, upstream, input })).cost ?? 0;
      }
      expect(sum).toBeGreaterThan(0);
      expect(worker.charged()["research"]).toBe(sum);
    });

    const FAILURE = {
      chat: 'data: {"error":{"message":"no","type":"server_error"}}\n\n',
      messages:
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n',
    };
    it.each(["an error", "nothing"])(
      "an estimated stream that ends early with %s is charged for the part that came",
      async (end) => {
        const worker = await allowed();
        const whole = providerResponse(dialect, true, "every event");
        // All but the last two or three events, which have the usage and the reason why the response ended.
        const events = whole.chunks?.slice(0, dialect === "chat" ? 1 : 3) ?? [];
        const more = Array.from({ length: 10 }, () => events.at(-1) ?? Buffer.alloc(0));
        const chunks = [
          ...events,
          ...more,
          ...(end === "nothing" ? [] : [Buffer.from(FAILURE[dialect])]),
        ];
        const result = worker.ask({ path, model, stream: true, upstream: { ...whole, chunks } });
        const { cost, estimated } = recordOf(result);
        expect(estimated).toBe(1);
        // Each event is a token of the output.
        expect(cost).toBeGreaterThan((events.length + more.length) * 10_000_000);
        expect(worker.charged()["research"]).toBe(cost);
      },
    );

    it("a stream that begins with an error costs nothing", async () => {
      const worker = await allowed();
      const upstream = {
        ...providerResponse(dialect, true),
        chunks: [Buffer.from(FAILURE[dialect])],
      };
      const result = worker.ask({ path, model, stream: true, upstream });
      // A passing event is not held back until the next one comes.
      const isTranslated = path !== (dialect === "chat" ? "/v1/chat/completions" : "/v1/messages");
      if (isTranslated) expect(recordOf(result).cost).toBeUndefined();
    });

    it("an estimated stream is charged once wherever the provider breaks off", async () => {
      const worker = await allowed();
      const whole = providerResponse(dialect, true, "every event");
      let sum = 0;
      for (let chunks = 0; chunks < EVENTS[dialect]; chunks++) {
        const upstream = {
          ...whole,
          chunks: whole.chunks?.slice(0, chunks) ?? [],
          ending: "reset",
        } as const;
        const result = worker.ask({ path, model, stream: true, upstream });
        sum += recordOf(result).cost ?? 0;
        expect(worker.charged()["research"], String(chunks)).toBe(sum);
      }
    });
  });
});

describe("several workers", () => {
  it("several workers charge one table, whichever of them reads and writes first", async () => {
    const first = await allowed();
    const workers = [
      first,
      await start({ shared: first.shared }),
      await start({ shared: first.shared }),
    ];
    let count = 0;
    let isOpen = false;
    const askOne = (): void => {
      count += 1;
      expect(workers[(count * 7) % 3]?.ask().response.status).toBe(200);
    };
    // Between the read and the write of another worker.
    first.shared.afterGet = (key) => {
      if (key !== "budgets" || !isOpen) return;
      isOpen = false;
      askOne();
    };
    for (let round = 0; round < 30; round++) {
      isOpen = round % 2 === 0;
      askOne();
      if (round % 3 === 0) askOne();
      const sum = count * COST;
      isOpen = false;
      if (round % 5 === 0)
        expect(first.charged()).toEqual({ research: sum, all: sum, "openai/gpt": sum });
    }
    first.shared.afterGet = undefined;
    expect(count).toBeGreaterThan(45);
    expect(workers[2]?.charged()["research"]).toBe(count * COST);
  });

  it("several workers see at once what another one has charged, and limits that are set", async () => {
    const first = await start();
    const second = await start({ shared: first.shared });
    expect(second.ask().response.status).toBe(503);
    first.allow({ research: { limit: 2 * COST } });
    expect(second.ask().response.status).toBe(200);
    expect(first.ask().response.status).toBe(200);
    expect(second.ask().response.status).toBe(429);
    second.allow();
    expect(first.ask().response.status).toBe(200);
    // A value of another key has a version in between.
    first.shared.set("other", new Uint8Array(1), 0);
    expect(first.ask().response.status).toBe(200);
    expect(second.charged()["research"]).toBe(4 * COST);
  });

  it("several workers overshoot a limit by the requests in flight alone", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 3 * COST } });
    const statuses = Array.from({ length: 6 }, () => worker.ask().response.status);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    expect(errorOf(worker.ask({ model: "anthropic/claude" })).status).toBe(429);
  });
});

describe("a reload", () => {
  it("a reload keeps limits and charges, and drops those of removed budgets with the next push", async () => {
    const worker = await allowed();
    worker.ask();
    const text = CONFIGURATION.replace(", budget: {amount: 50 USD, per: month}", "");
    const reloaded = await start({ text, shared: worker.shared });
    expect(reloaded.ask().response.status).toBe(200);
    expect(worker.charged()).toMatchObject({ research: COST, all: 2 * COST });
    expect(reloaded.charged()).toEqual({ all: 2 * COST, "openai/gpt": 2 * COST });
    const again = await start({ shared: worker.shared });
    expect(again.ask().response.status).toBe(503);
    expect(again.allow()).toEqual({
      status: 200,
      charged: { research: 0, all: 2 * COST, "openai/gpt": 2 * COST },
    });
    expect(again.ask().response.status).toBe(200);
  });

  it("a reload without budgets drops all of them", async () => {
    const worker = await allowed();
    worker.ask();
    const text = CONFIGURATION.replace(", budget: {amount: 50 USD, per: month}", "");
    await start({ text: text.slice(0, text.indexOf("budgets:")), shared: worker.shared });
    const again = await start({ shared: worker.shared });
    expect(again.allow()).toMatchObject({ fresh: 1, charged: { research: 0 } });
  });
});
