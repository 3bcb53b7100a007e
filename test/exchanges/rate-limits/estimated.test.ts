// What a response is charged if its provider has reported no usage, or not yet.
import { describe, expect, it } from "vitest";
import { CHAT, providerResponse } from "./provider-responses.ts";
import { BOTH, remaining, start, THOUSAND } from "./set-up.ts";

describe("what the provider has not reported is estimated", () => {
  it("a response without usage costs one token for four bytes", async () => {
    const worker = await start(THOUSAND);
    const body = CHAT.complete.replace(/,"usage":\{"prompt.*\}\}$/, "}");
    const upstream = { ...providerResponse("chat", false), chunks: [Buffer.from(body)] };
    const { sent } = worker.ask({ upstream });
    const request = sent[0]?.body.length ?? 0;
    // The client's request names the model with its provider, and has `max_tokens`.
    const more = "openai/".length - "_completion".length;
    const asked = Math.floor((request + more) / 4);
    expect(remaining(worker.ask())).toBe(1000 - asked - Math.floor(body.length / 4));
  });

  it("a chat stream that the client cuts: a token for each event, and the request's bytes", async () => {
    const worker = await start(THOUSAND);
    const upstream = providerResponse("chat", true, "every event");
    const first = worker.ask({
      stream: true,
      text: "x".repeat(400),
      upstream,
      input: { clientLeavesAfter: 2 },
    });
    expect(first.response.ending).toBe("left");
    const left = remaining(worker.ask());
    expect(left).toBeLessThan(1000 - 100 - 1);
    expect(left).toBeGreaterThan(1000 - 160);
  });

  it("a messages stream that the client cuts: its input is known, its output at least its events", async () => {
    const worker = await start(BOTH);
    const upstream = providerResponse("messages", true, "every event");
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
    const upstream = { ...providerResponse("chat", false), chunks: [Buffer.from(body)] };
    const url = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    const image = [{ type: "image_url", image_url: { url } }];
    worker.ask({ upstream, text: image as unknown as string });
    const left = remaining(worker.ask());
    const most = 100_000 - 1600 - Math.floor(body.length / 4);
    expect(left).toBeLessThan(most);
    expect(left).toBeGreaterThan(most - 100);
  });

  it("a form is not estimated by its file", async () => {
    const worker = await start(
      "  - {model: openai/gpt, limit: {tokens: 100000, requests: 10, unit: minute}}\n",
    );
    const part = (head: string, content: string) =>
      `--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
    const file = part('name="file"; filename="a.wav"', "A".repeat(1_000_000));
    const started = performance.now();
    const { sent, response } = worker.ask({
      input: {
        request: {
          method: "POST",
          path: "/v1/audio/transcriptions",
          headers: [["content-type", "multipart/form-data; boundary=X"]],
          body: Buffer.from(`${part('name="model"', "openai/gpt")}${file}--X--\r\n`),
        },
        upstream: () => ({
          ...providerResponse("chat", false),
          chunks: [Buffer.from('{"text":"Hi"}')],
        }),
      },
    });
    // A walk over the values that a form does not have took more than ten seconds.
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(sent).toHaveLength(1);
    expect(response.status).toBe(200);
    const left = remaining(worker.ask());
    expect(left).toBeGreaterThanOrEqual(100_000 - 131_072 / 4 - 10);
    expect(left).toBeLessThanOrEqual(100_000);
  });
});
