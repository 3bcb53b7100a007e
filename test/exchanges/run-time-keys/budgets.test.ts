// Budgets of keys, groups and users that come at run time: rows name them, POST /budgets sets their limits.
import { expect, it } from "vitest";
import {
  type Ask,
  CONFIGURATION,
  COST,
  DECEMBER,
  keysPush,
  messageOf,
  payloadHeader,
  startWorkers,
  type Worker,
} from "./set-up.ts";

const OF_KEY = "1111111111111111";
const OF_GROUP = "2222222222222222";
const OF_USER = "3333333333333333";

async function started(): Promise<{ first: Worker; second: Worker }> {
  const [first, second] = await startWorkers(2);
  if (first === undefined || second === undefined) throw new Error("no worker");
  const label = "1 USD a month";
  first.push({
    reset: 1,
    complete: 1,
    groups: { research: { budgets: [{ id: OF_GROUP, label }] } },
    users: { anna: { budgets: [{ id: OF_USER, label, rejects_unpriced: 1 }] } },
    ...keysPush({
      one: { groups: ["research"], budgets: [{ id: OF_KEY, label }] },
      two: { groups: ["research"] },
      three: { owner: "anna" },
    }),
  });
  return { first, second };
}

function setLimits(worker: Worker, limits: Record<string, number>) {
  const keyBudgets = Object.entries(limits).map(([id, limit]) => ({ id, limit, resets: DECEMBER }));
  const { status, text } = worker.send("/budgets", { budgets: [], key_budgets: keyBudgets });
  expect(status).toBe(200);
  return (JSON.parse(text) as { key_budgets: { id: string; charged: number; fresh?: 1 }[] })
    .key_budgets;
}

it("a budget without a limit rejects with 503, and a first limit is fresh", async () => {
  const { first, second } = await started();
  expect(first.try("one")).toBe(
    "503 Budget of 1 USD a month of key anna-laptop is not known yet. Retry in 1 s.",
  );
  expect(setLimits(second, { [OF_KEY]: 1e12, [OF_GROUP]: 1e12 })).toEqual([
    { id: OF_KEY, charged: 0, fresh: 1 },
    { id: OF_GROUP, charged: 0, fresh: 1 },
  ]);
  expect(first.try("one")).toBe("200");
});

it("the budgets of a key and of its group are both charged, by every worker", async () => {
  const { first, second } = await started();
  setLimits(first, { [OF_KEY]: 3 * COST, [OF_GROUP]: 3 * COST });
  expect([first.try("one"), second.try("one"), second.try("two")]).toEqual(["200", "200", "200"]);
  expect(setLimits(first, { [OF_KEY]: 3 * COST, [OF_GROUP]: 3 * COST })).toEqual([
    { id: OF_KEY, charged: 2 * COST },
    { id: OF_GROUP, charged: 3 * COST },
  ]);
  const asked = second.ask("one");
  expect(asked.response.status).toBe(429);
  expect(messageOf(asked)).toBe(
    "Budget of 1 USD a month of group research is used up. It resets at 2026-12-01T00:00:00Z.",
  );
  setLimits(first, { [OF_GROUP]: 4 * COST });
  expect(second.try("two")).toBe("200");
});

it("a budget of a user applies to the user's keys, and may reject models without a price", async () => {
  const { first, second } = await started();
  setLimits(first, { [OF_USER]: COST });
  expect(second.try("three", { model: "openai/nobody-knows" })).toContain(
    "403 The price of 'nobody-knows' is not known, and the budget of 1 USD a month of user anna",
  );
  expect(second.try("three")).toBe("200");
  expect(first.try("three")).toContain("429 Budget of 1 USD a month of user anna is used up.");
});

it("a charge at the same time as another worker's is not lost", async () => {
  const { first, second } = await started();
  setLimits(first, { [OF_USER]: 1e12 });
  let reads = 0;
  second.shared.afterGet = (key) => {
    if (!key.startsWith("\u0005") || ++reads !== 2) return;
    second.shared.afterGet = undefined;
    expect(first.try("three")).toBe("200");
  };
  expect(second.try("three")).toBe("200");
  expect(setLimits(first, { [OF_USER]: 1e12 })).toEqual([{ id: OF_USER, charged: 2 * COST }]);
});

it("an invalid limit gets 400", async () => {
  const { first } = await started();
  const bad = { id: OF_KEY, limit: -1, resets: 0 };
  expect(first.send("/budgets", { budgets: [], key_budgets: [bad] }).status).toBe(400);
  expect(first.send("/budgets", { budgets: [], key_budgets: {} }).status).toBe(400);
});

const OF_ALL = `budgets:
  - {amount: 1 USD, per: month, unpriced: reject}
`;
const JWT = `  egress:
    jwt: {issuer: i, audiences: [a], jwks_uri: "https://issuer.test/keys"}
`;

it.each<[string, Ask]>([
  ["a key of run time", { headers: [["x-api-key", "two"]] }],
  ["a key of the configuration with groups", { headers: [["x-api-key", "b".repeat(30)]] }],
  ["a token", { headers: [payloadHeader({ iss: "i", sub: "service" })] }],
])("a budget of all requests counts those with %s", async (_, client) => {
  const text = CONFIGURATION.replace("  egress:\n", JWT) + OF_ALL;
  const [worker] = await startWorkers(1, { text });
  if (worker === undefined) throw new Error("no worker");
  worker.push({ reset: 1, complete: 1, groups: { research: {} }, ...keysPush({ two: {} }) });
  expect(worker.try("", client)).toContain("503 Budget of 1 USD a month");
  const { budgets: known } = JSON.parse(worker.send("/budgets", { budgets: [] }).text) as {
    budgets: { id: string }[];
  };
  const [id] = known.map((budget) => budget.id);
  const setLimit = (limit: number) => {
    const { text: response } = worker.send("/budgets", {
      budgets: [{ id, limit, resets: DECEMBER }],
    });
    return (JSON.parse(response) as { budgets: { charged: number }[] }).budgets[0]?.charged;
  };
  setLimit(COST);
  expect(worker.try("", { ...client, model: "openai/nobody-knows" })).toContain(
    "403 The price of 'nobody-knows' is not known, and the budget of 1 USD a month",
  );
  expect(worker.try("", client)).toBe("200");
  expect(setLimit(COST)).toBe(COST);
  expect(worker.try("", client)).toContain("429 Budget of 1 USD a month");
});
