// Rows that the control plane sends: POST /keys on its own listener.
import fc from "fast-check";
import { expect, it } from "vitest";
import { hashOf, KEY, keysPush, startWorkers, type Worker } from "./set-up.ts";

async function started(): Promise<Worker> {
  const [worker] = await startWorkers(1);
  if (worker === undefined) throw new Error("no worker");
  worker.push({ ...keysPush({ [KEY]: {} }), reset: 1, complete: 1 });
  return worker;
}

const HASH = hashOf("new");
const ROW = { id: "key_new", name: "new" };

it.each<[string, unknown]>([
  ["a list", []],
  ["keys that are a list", { keys: [ROW] }],
  ["a short hash", { keys: { [HASH.slice(1)]: ROW } }],
  ["a hash of other characters", { keys: { [`g${HASH.slice(1)}`]: ROW } }],
  ["a row that is a text", { keys: { [HASH]: "new" } }],
  ["a row without an id", { keys: { [HASH]: { name: "new" } } }],
  ["an empty name", { keys: { [HASH]: { ...ROW, name: "" } } }],
  ["a long name", { keys: { [HASH]: { ...ROW, name: "n".repeat(201) } } }],
  ["an owner that is a number", { keys: { [HASH]: { ...ROW, owner: 1 } } }],
  ["an expiry that is a text", { keys: { [HASH]: { ...ROW, expires: "2026" } } }],
  ["groups that are a text", { keys: { [HASH]: { ...ROW, groups: "research" } } }],
  ["33 groups", { keys: { [HASH]: { ...ROW, groups: Array.from({ length: 33 }, () => "g") } } }],
  ["models that are a text", { keys: { [HASH]: { ...ROW, models: "openai/*" } } }],
  ["a model that is a number", { keys: { [HASH]: { ...ROW, models: [1] } } }],
  ["limits that are an object", { keys: { [HASH]: { ...ROW, limits: {} } } }],
  ["a limit of nothing", { keys: { [HASH]: { ...ROW, limits: [{ per: "minute" }] } } }],
  ["a limit of 0", { keys: { [HASH]: { ...ROW, limits: [{ requests: 0, per: "minute" }] } } }],
  ["an unknown unit", { keys: { [HASH]: { ...ROW, limits: [{ requests: 1, per: "week" }] } } }],
  ["a huge limit", { keys: { [HASH]: { ...ROW, limits: [{ tokens: 1e9, per: "day" }] } } }],
  ["a budget without an id", { keys: { [HASH]: { ...ROW, budgets: [{ label: "1 USD" }] } } }],
  [
    "a budget without a label",
    { keys: { [HASH]: { ...ROW, budgets: [{ id: "0".repeat(15) + "1" }] } } },
  ],
  ["a row of 20 kB", { keys: { [HASH]: { ...ROW, notes: "n".repeat(20_000) } } }],
  ["a group with a long name", { groups: { ["g".repeat(201)]: {} } }],
  ["a group without a name", { groups: { "": {} } }],
  ["a user whose limits are wrong", { users: { anna: { limits: [1] } } }],
  ["one good and one bad row", { keys: { [HASH]: ROW, [hashOf("b")]: {} } }],
])("%s gets 400, and changes nothing", async (_, push) => {
  const worker = await started();
  const before = worker.shared.size;
  expect(worker.send("/keys", { reset: 1, complete: 1, ...(push as object) })).toMatchObject({
    status: Array.isArray(push) ? 200 : 400,
  });
  if (Array.isArray(push)) return;
  expect(worker.shared.size).toBe(before);
  expect([worker.try(KEY), worker.try("new").slice(0, 3)]).toEqual(["200", "401"]);
  expect(worker.push({})).toEqual({ keys: 1 });
});

it("members that are not known are ignored", async () => {
  const worker = await started();
  const push = { keys: { [HASH]: { ...ROW, colour: "red", parts: [{}, [1]] } }, more: [1] };
  expect(worker.send("/keys", push)).toEqual({ status: 200, text: '{"keys":2}' });
  expect(worker.try("new")).toBe("200");
});

it("a body that is no JSON, a part of one or too large is rejected", async () => {
  const worker = await started();
  const whole = Buffer.from(JSON.stringify({ keys: { [HASH]: ROW } }));
  for (let length = 1; length < whole.length; length++)
    expect(worker.send("/keys", whole.subarray(0, length)).status).toBe(400);
  expect(worker.send("/keys", Buffer.alloc(5 << 20, 0x20)).status).toBe(413);
  expect(worker.send("/key", whole).status).toBe(404);
  expect([worker.try(KEY), worker.try("new").slice(0, 3)]).toEqual(["200", "401"]);
});

it("no push traps, whatever is changed in it", async () => {
  const worker = await started();
  const whole = Buffer.from(
    JSON.stringify({
      keys: {
        [HASH]: {
          ...ROW,
          owner: "anna",
          groups: ["research", "b"],
          models: ["openai/*"],
          expires: 4e9,
          limits: [{ tokens: 10, per: "hour" }],
          budgets: [{ id: "0123456789abcdef", label: "1 USD a day" }],
        },
      },
      groups: { research: { models: ["openai/gpt"] }, b: null },
      users: { anna: { limits: [{ requests: 5, per: "day" }] } },
    }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0x20, max: 0x7e })), {
        minLength: 1,
        maxLength: 4,
      }),
      (changes) => {
        const changed = Buffer.from(whole);
        for (const [at, byte] of changes) changed[at] = byte;
        const { status } = worker.send("/keys", changed);
        expect([200, 400]).toContain(status);
        expect(worker.try("new").slice(0, 3)).toMatch(/200|401|403|429|503/);
      },
    ),
    { numRuns: 300 },
  );
});
