// What a response is charged by the usage that its provider reports, and that it passes unchanged.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { CHAT, event, providerResponse } from "./provider-responses.ts";
import { BOTH, remaining, start, THOUSAND } from "./set-up.ts";

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
      const first = worker.ask({
        dialect,
        model,
        stream,
        upstream: providerResponse(speaks, stream, cut),
      });
      expect(first.response.status).toBe(200);
      expect(remaining(first, dialect)).toBe(1000);
      expect(remaining(worker.ask({ dialect, model, stream }), dialect)).toBe(970);
    });
  }

  it("a response is charged by its usage when a chat client has requested the usage itself", async () => {
    const worker = await start(THOUSAND);
    const first = worker.ask({ stream: true, wantsUsage: true });
    expect(Buffer.from(first.response.body).toString()).toBe(CHAT.stream.map(event).join(""));
    expect(remaining(worker.ask())).toBe(970);
  });

  it.each([
    ["chat", "openai/gpt"],
    ["messages", "anthropic/claude"],
  ] as const)(
    "a %s response passes byte for byte and is charged: a stream when it comes, a complete one when it is whole",
    async (dialect, model) => {
      const worker = await start(BOTH);
      for (const stream of [false, true]) {
        const upstream = providerResponse(dialect, stream, "every byte");
        const { response: got } = worker.ask({
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

  it("a half response is an error, which is not charged", async () => {
    const worker = await start(THOUSAND);
    const whole = Buffer.concat(
      (providerResponse("chat", false).chunks ?? []).map((one) => Buffer.from(one)),
    );
    const chunks = [whole.subarray(0, 20), whole.subarray(20, whole.length / 2)];
    const { response: got } = worker.ask({
      upstream: { ...providerResponse("chat", false), chunks },
    });
    expect(got.status).toBe(502);
    expect(Buffer.from(got.body).toString()).toContain("sent JSON that is not valid");
    expect(remaining(worker.ask())).toBe(1000);
  });

  it("a response with trailers and without usage costs no more than what was sent", async () => {
    const worker = await start(THOUSAND);
    const chunks = [Buffer.from('{"choices":[]}')];
    worker.ask({
      upstream: { ...providerResponse("chat", false), chunks, trailers: [["x-checksum", "1"]] },
    });
    expect(remaining(worker.ask())).toBeGreaterThan(950);
  });

  it("a response of more than 8 MiB passes when it comes, charged by its length", async () => {
    const worker = await start(THOUSAND);
    const half = Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(5 << 20, "x")]);
    const chunks = [half, Buffer.alloc(5 << 20, "x"), Buffer.from('"}')];
    const { response: got } = worker.ask({
      upstream: { ...providerResponse("chat", false), chunks },
    });
    expect(got.status).toBe(200);
    expect(got.body).toHaveLength(half.length + (5 << 20) + 2);
    expect(worker.ask().response.status).toBe(429);
  });

  it("an error is not charged", async () => {
    const worker = await start(THOUSAND);
    const body = Buffer.from('{"error":{"message":"no","type":"x","param":null,"code":null}}');
    const upstream: UpstreamResponse = {
      status: 500,
      headers: [["content-type", "application/json"]],
      chunks: [body],
      ending: "complete",
    };
    expect(worker.ask({ upstream }).response.status).toBe(500);
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
      const upstream = { ...providerResponse("chat", stream), chunks };
      const { response: got } = worker.ask({ stream, wantsUsage: true, upstream });
      expect(got.status).toBe(200);
      expect(Buffer.from(got.body)).toEqual(body);
    }),
    { numRuns: 400 },
  );
});
