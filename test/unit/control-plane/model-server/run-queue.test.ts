// What waits for the models: turns between callers, a bound on the work, and none that nobody listens to any more.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { modelServerApp } from "../../../../control-plane/model-server/app.ts";
import type { Models } from "../../../../control-plane/model-server/models.ts";
import { modelServerOptions } from "../../../../control-plane/model-server/options.ts";
import { RunQueue } from "../../../../control-plane/model-server/run-queue.ts";

/** Lets runs go on one by one. */
function steps() {
  const waiting: (() => void)[] = [];
  return {
    run: (text: string) =>
      new Promise<string>((resolve) => {
        waiting.push(() => {
          resolve(text);
        });
      }),
    started: () => waiting.length,
    go: () => {
      for (const go of waiting.splice(0)) go();
    },
  };
}

const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error as { status: number }).status,
  );

const LONG = "x".repeat(2000);

describe("the queue", () => {
  it("the queue takes turns between callers, text by text", async () => {
    const queue = new RunQueue();
    const order: string[] = [];
    const run = (text: string) => {
      order.push(text);
      return Promise.resolve(text.toUpperCase());
    };
    const results = await Promise.all([
      queue.runAll(["a1", "a2", "a3"], run),
      queue.runAll(["b1"], run),
      queue.runAll(["c1", "c2"], run),
    ]);
    expect(results).toEqual([["A1", "A2", "A3"], ["B1"], ["C1", "C2"]]);
    expect(order.slice(0, 3)).toEqual(["a1", "b1", "c1"]);
    await queue.idle();
  });

  it("the queue refuses what is more than the work of 3 s, with a time to come again, and takes it later", async () => {
    const queue = new RunQueue();
    const { run, go, started } = steps();
    const texts = Array.from({ length: 25 }, () => LONG);
    const jobs = Array.from({ length: 10 }, () => statusOf(queue.runAll(texts, run)));
    const refused = queue.runAll(["short"], run);
    const again = Array.from({ length: 6 }, () => statusOf(queue.runAll(texts, run)));
    expect(await Promise.all(again)).toEqual([503, 503, 503, 503, 503, 503]);
    const timer = setInterval(go, 0);
    // A short text still has a place.
    expect(await statusOf(refused)).toBe(200);
    const statuses = await Promise.all(jobs);
    clearInterval(timer);
    expect(statuses.filter((status) => status === 200)).toHaveLength(6);
    expect(statuses.filter((status) => status === 503)).toHaveLength(4);
    expect(started()).toBe(0);
    expect(await queue.runAll(["later"], (text) => Promise.resolve(text))).toEqual(["later"]);
  });

  it("the queue runs a job of any size if no other job waits", async () => {
    const texts = Array.from({ length: 400 }, () => LONG);
    const done = await new RunQueue().runAll(texts, () => Promise.resolve(1));
    expect(done).toHaveLength(400);
  });

  it("the queue continues after a failed run", async () => {
    const queue = new RunQueue();
    const broken = queue.runAll(["a"], () => Promise.reject(new Error("no memory")));
    const next = queue.runAll(["b"], (text) => Promise.resolve(text));
    await expect(broken).rejects.toThrow("The model failed: Error: no memory");
    expect(await next).toEqual(["b"]);
  });

  describe("by the clock", () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
    afterEach(() => vi.useRealTimers());

    it("the queue accepts less work where runs are slow", async () => {
      const queue = new RunQueue();
      const slow = (text: string) => {
        vi.advanceTimersByTime(text.length / 2);
        return Promise.resolve();
      };
      for (let run = 0; run < 40; run++) await queue.runAll(["x".repeat(1200)], slow);
      // 1,260 of cost for 600 ms: six of them are more than 3 s.
      const jobs = Array.from({ length: 8 }, () => statusOf(queue.runAll([LONG], slow)));
      const refused = (await Promise.all(jobs)).filter((status) => status === 503);
      expect(refused.length).toBeGreaterThan(1);
      expect(refused.length).toBeLessThan(8);
    });

    it("the queue drops a request that has waited for 5 s", async () => {
      const queue = new RunQueue();
      const runs: string[] = [];
      const slow = queue.runAll(["first"], () => {
        vi.advanceTimersByTime(5001);
        return Promise.resolve();
      });
      const late = statusOf(
        queue.runAll(["late"], (text) => {
          runs.push(text);
          return Promise.resolve();
        }),
      );
      await slow;
      expect(await late).toBe(503);
      expect(runs).toEqual([]);
    });
  });
});

it("the 513th concurrent request returns 429, and GET /healthz is still answered", async () => {
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const models = {
    names: [],
    embedder: {
      model: "m",
      embed: async () => {
        await answered;
        return [{ vector: new Float32Array(1), tokens: 1 }];
      },
    },
  } as unknown as Models;
  const app = modelServerApp({
    options: modelServerOptions.parse({}),
    models: () => models,
    now: () => new Date(),
    log: () => undefined,
  });
  const body = '{"input":"a"}';
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const embed = async () => app.request("/embeddings", { method: "POST", headers, body });
  const under = Array.from({ length: 512 }, embed);
  const refused = await embed();
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({ error: { type: "server_error" } });
  expect((await app.request("/healthz")).status).toBe(200);
  answer();
  const all = await Promise.all(under);
  expect(all.every(({ status }) => status === 200)).toBe(true);
  expect((await embed()).status).toBe(200);
});
