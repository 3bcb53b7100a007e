// Limits that the control plane sets: POST /budgets on its own listener.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetFingerprint } from "../../../model/budgets.ts";
import { COST, DECEMBER, send, start } from "./set-up.ts";
import type { Worker } from "./set-up.ts";

function idOf({ model }: Worker): string {
  const [budget] = model.budgets ?? [];
  if (budget === undefined) throw new Error("the configuration has no budget");
  return budgetFingerprint(budget);
}

function limitOf(worker: Worker): { id: string; limit: number; resets: number } {
  return { id: idOf(worker), limit: 5, resets: DECEMBER };
}

describe("a push", () => {
  it("a push returns what all budgets have charged, and that Envoy has just started", async () => {
    const worker = await start();
    const body = send(worker.host, "/budgets", { budgets: [] }).response.body;
    const { fresh, budgets } = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
    expect(fresh).toBe(1);
    expect(budgets).toHaveLength(3);
    expect(budgets).toContainEqual({ id: idOf(worker), charged: 0, fresh: 1 });
    expect(worker.allow()).toMatchObject({ fresh: 1 });
    worker.ask();
    expect(worker.allow()).toEqual({
      status: 200,
      charged: { all: COST, research: COST, "openai/gpt": COST },
    });
  });

  it("a push changes only the budgets that it lists, and ignores those of another configuration", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 0 } });
    const other = { ...limitOf(worker), id: "0123456789abcdef" };
    expect(worker.push({ budgets: [other] }).status).toBe(200);
    expect(worker.ask().response.status).toBe(429);
    expect(worker.ask({ key: "a" }).response.status).toBe(200);
  });

  it("a push has no usage record", async () => {
    const worker = await start();
    expect(send(worker.host, "/budgets", { budgets: [] }).filterState.size).toBe(0);
  });

  it.each([
    ["GET", "/budgets", 405],
    ["POST", "/", 404],
    ["POST", "/v1/chat/completions", 404],
    ["POST", "/budgets?", 404],
  ])("a request other than a push is not one: %s %s", async (method, path, status) => {
    const { host } = await start();
    expect(send(host, path, { budgets: [] }, method).response.status).toBe(status);
  });

  it("an invalid push gets 400 and changes nothing", async () => {
    const worker = await start();
    worker.allow();
    const valid = limitOf(worker);
    const wrong: unknown[] = [
      null,
      [],
      {},
      { budgets: {} },
      { budgets: [null] },
      { budgets: [[]] },
      ...[
        { id: "" },
        { id: 1 },
        { id: "0000000000000000" },
        { id: "0123456789abcdeg" },
        { limit: -1 },
        { limit: "1" },
        { limit: 1e18 },
        { limit: 1e21 },
        { limit: null },
        { resets: -1 },
        { resets: 2 ** 32 },
        { resets: null },
        { partial: "yes" },
        { partial: true },
      ].map((change) => ({
        budgets: [
          { ...valid, limit: 0 },
          { ...valid, ...change },
        ],
      })),
    ];
    const texts = ["", " ", "{", '{"budgets":[}', "\0", '{"budgets":[]}x', '{"budgets":[1]}'];
    const bodies = [...wrong.map((one) => JSON.stringify(one)), ...texts];
    for (const body of bodies) {
      expect(worker.push(Buffer.from(body)).status, body).toBe(400);
      expect(worker.ask().response.status, body).toBe(200);
    }
  });

  it("a push of more than 4 MiB gets 413", async () => {
    const worker = await start();
    const body = Buffer.from(`{"budgets":[]${" ".repeat(4 << 20)}}`);
    expect(worker.push(body).status).toBe(413);
  });

  it("a push of any bytes gets a response, and changes nothing unless it is valid", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 1e12 } });
    const number = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(-1, 1e18, 2 ** 53, 1.5));
    const value = fc.oneof(number, fc.string(), fc.jsonValue(), fc.constantFrom(idOf(worker)));
    const budget = fc.record(
      { id: value, limit: value, resets: value, partial: value },
      { requiredKeys: [] },
    );
    const json = fc.oneof(
      fc.record({ budgets: fc.array(fc.oneof(budget, value)) }),
      fc.jsonValue(),
    );
    const bytes = fc.oneof(
      json.map((one) => Buffer.from(JSON.stringify(one))),
      fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one)),
      fc.string().map((one) => Buffer.from(one)),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        const { status } = worker.push(body);
        expect([200, 400]).toContain(status);
        if (status === 400) expect(worker.ask().response.status).toBe(200);
        else worker.allow();
      }),
      { numRuns: 500 },
    );
  });

  it("one push sets 9,000 budgets", async () => {
    const keys = Array.from({ length: 9000 }, (_, index) => `k${String(index)}`);
    const worker = await start({
      adapt: (model) => {
        model.budgets?.push(
          ...keys.map((key) => ({ subject: { key }, amount: 1e9, per: "month" as const })),
        );
      },
    });
    expect(worker.ask().response.status).toBe(503);
    expect(worker.allow().status).toBe(200);
    expect(worker.ask().response.status).toBe(200);
    expect(Object.keys(worker.charged())).toHaveLength(9003);
  });
});
