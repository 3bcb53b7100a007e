// Limits that count requests.
import { describe, expect, it } from "vitest";
import { start } from "./set-up.ts";

describe("limits of requests", () => {
  const FIVE = "  - {model: openai/gpt, limit: {requests: 7, unit: minute}}\n";

  it("count each request, and come back one by one", async () => {
    const worker = await start(FIVE);
    const statuses = Array.from({ length: 8 }, () => worker.ask().response.status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 429]);
    const { response: refused } = worker.ask();
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "9",
      "x-ratelimit-limit-requests": "7",
      "x-ratelimit-remaining-requests": "0",
    });
    worker.clock.now += 9_000;
    expect(worker.ask().response.status).toBe(200);
    expect(worker.ask().response.status).toBe(429);
  });

  it("limits of requests apply besides one of tokens", async () => {
    const worker = await start(
      "  - {model: openai/gpt, limit: {requests: 5, tokens: 100, unit: minute}}\n",
    );
    const first = Object.fromEntries(worker.ask().response.headers);
    expect(first).toMatchObject({
      "x-ratelimit-remaining-requests": "4",
      "x-ratelimit-remaining-tokens": "100",
    });
  });
});
