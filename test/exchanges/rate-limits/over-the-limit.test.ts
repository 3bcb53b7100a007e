// What a client receives over the limit, and how a budget comes back with time.
import { describe, expect, it } from "vitest";
import { header, remaining, start } from "./set-up.ts";

describe("over the limit", () => {
  const SMALL = "  - {model: openai/gpt, limit: {tokens: 30, unit: minute}}\n";

  it("a chat client gets 429 in its dialect, and when to come back", async () => {
    const worker = await start(SMALL);
    worker.ask();
    const { response: refused, sent } = worker.ask();
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
    const { response: refused } = worker.ask({ dialect: "messages" });
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
      const { response: refused } = worker.ask({ dialect: "messages" });
      expect(Object.fromEntries(refused.headers)["anthropic-ratelimit-tokens-reset"]).toBe(reset);
    }
  });

  it("the budget comes back as time passes, and is whole after the unit of time", async () => {
    const worker = await start(SMALL);
    worker.ask();
    worker.clock.now += 1_990;
    expect(worker.ask().response.status).toBe(429);
    worker.clock.now += 10;
    const next = worker.ask();
    expect(next.response.status).toBe(200);
    expect(remaining(next)).toBe(1);
    // That response took 30 where 1 was left: the rest is owed.
    worker.clock.now += 58_000;
    expect(worker.ask().response.status).toBe(429);
    worker.clock.now += 2_000;
    expect(worker.ask().response.status).toBe(200);
    worker.clock.now += 120_000;
    expect(remaining(worker.ask())).toBe(30);
  });

  it("no client waits longer than the unit of time, however much one request used", async () => {
    const worker = await start("  - {model: openai/gpt, limit: {tokens: 1, unit: second}}\n");
    worker.ask();
    expect(header(worker.ask(), "retry-after")).toBe("1");
    worker.clock.now += 990;
    expect(worker.ask().response.status).toBe(429);
    worker.clock.now += 10;
    expect(worker.ask().response.status).toBe(200);
  });

  it("a clock that is set back makes budgets whole, and rejects no client", async () => {
    const worker = await start(SMALL);
    worker.ask();
    worker.clock.now -= 86_400_000;
    expect(worker.ask().response.status).toBe(200);
    expect(worker.ask().response.status).toBe(429);
    worker.clock.now += 60_000;
    expect(worker.ask().response.status).toBe(200);
  });
});
