// Who shares a budget: header values, names of models, and workers.
import { describe, expect, it } from "vitest";
import { SharedData } from "../../../control-plane/wasm-host/wasm-shared-data.ts";
import { CHAT, providerResponse } from "./provider-responses.ts";
import { header, remaining, start, THOUSAND } from "./set-up.ts";
import type { Ask } from "./set-up.ts";

describe("whose budget", () => {
  const EACH =
    "  - {model: openai/gpt, selector: {key: X-User}, limit: {tokens: 30, unit: minute}}\n";
  const from = (user: string): Ask => ({ headers: [["x-user", user]] });

  it("each value of the header has a separate budget, and so has its absence", async () => {
    const worker = await start(EACH);
    const statuses = [from("a"), from("a"), from("b"), {}, {}, from("b")].map(
      (ask) => worker.ask(ask).response.status,
    );
    expect(statuses).toEqual([200, 429, 200, 200, 429, 429]);
  });

  it("only the value that is named is limited", async () => {
    const worker = await start(
      "  - {model: openai/gpt, selector: {key: x-user, value: a}, limit: {tokens: 30, unit: minute}}\n",
    );
    const statuses = [from("a"), from("a"), from("b"), from("b"), {}, {}].map(
      (ask) => worker.ask(ask).response.status,
    );
    expect(statuses).toEqual([200, 429, 200, 200, 200, 200]);
    expect(header(worker.ask(from("b")), "x-ratelimit-limit-tokens")).toBeUndefined();
  });

  it("a header that the gateway replaces is read as the client sent it", async () => {
    const worker = await start(EACH.replace("X-User", "authorization"));
    const key = (value: string): Ask => ({ headers: [["authorization", `Bearer ${value}`]] });
    const statuses = [key("a"), key("b"), key("a")].map((ask) => worker.ask(ask).response.status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("a limit of a model holds for all its names, a limit of an alias for the alias alone", async () => {
    const worker = await start(
      "  - {model: fast, limit: {tokens: 30, unit: minute}}\n  - {model: gpt, limit: {tokens: 90, unit: minute}}\n",
    );
    const models = ["fast", "fast", "other", "openai/gpt", "gpt", "none", "anthropic/claude"];
    const statuses = models.map((model) => worker.ask({ model }).response.status);
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
        ...providerResponse("chat", false),
        chunks: [Buffer.from(CHAT.complete.replace(/20,|10,/g, "1,").replace("30}", "2}"))],
      };
      worker.ask({ ...from(`invented-${i}`), upstream });
    }
    expect(worker.shared.size).toBe(slots);
    expect(slots).toBe(257);
    expect(worker.ask(from("heavy")).response.status).toBe(429);
  });
});

describe("several workers", () => {
  it("several workers share one budget", async () => {
    const shared = new SharedData();
    const limit = "  - {model: openai/gpt, limit: {tokens: 60, unit: minute}}\n";
    const one = await start(limit, { shared });
    const two = await start(limit, { shared });
    const statuses = [one, two, one, two].map((worker) => worker.ask().response.status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it("several workers lose no charge when they charge at the same time", async () => {
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

  it("several workers keep the budget after a reload; a new amount starts over, once", async () => {
    const shared = new SharedData();
    (await start(THOUSAND, { shared })).ask();
    expect(remaining((await start(THOUSAND, { shared })).ask())).toBe(970);
    const larger = THOUSAND.replace("1000", "2000");
    expect(remaining((await start(larger, { shared })).ask())).toBe(2000);
    expect(remaining((await start(larger, { shared })).ask())).toBe(1970);
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
