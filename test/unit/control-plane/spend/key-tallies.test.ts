// Tallies of budgets that come at run time: what a change reads, and what has changed since the last look.
import { expect, it } from "vitest";
import { KeyTallies } from "../../../../control-plane/spend/key-tallies.ts";
import type { Budget } from "../../../../model/budgets.ts";

const NOVEMBER = Date.UTC(2026, 10, 28);

function open() {
  let now = NOVEMBER;
  const read: string[] = [];
  const tallies = new KeyTallies(
    {
      all: () => {
        read.push("all");
        return new Map([["key k7", 7]]);
      },
      one: (_, { kind, name }) => {
        read.push(`${kind} ${name}`);
        return 3;
      },
    },
    () => now,
  );
  const setTime = (next: number) => (now = next);
  const changed = () => tallies.takeChanged().map(({ budget: { subject } }) => subject);
  return { tallies, read, setTime, changed };
}

const budget = (key: string, amount = 100): Budget => ({ subject: { key }, amount, per: "month" });
const MANY = Array.from({ length: 1_000 }, (_, at) => budget(`k${String(at)}`));
const cell = (key: string) => ({
  ...{ day: NOVEMBER / 86_400_000, key, target: "", cost: 5, estimated: 0 },
  ...{ requests: 1, unpriced: 0, input: 0, output: 0 },
});

it("many new budgets are read with one query, and a further one alone", () => {
  const { tallies, read } = open();
  tallies.use(MANY);
  expect(read).toEqual(["all"]);
  tallies.use([...MANY, budget("new")]);
  expect(read).toEqual(["all", "key new"]);
  expect(tallies.current().find(({ spent }) => spent === 7)?.budget).toBe(MANY[7]);
  expect(tallies.current().at(-1)?.spent).toBe(3);
});

it("a changed budget is new, has another amount, has spent something, or is of a new period", () => {
  const { tallies, setTime, changed } = open();
  tallies.use(MANY);
  expect(changed()).toHaveLength(1_000);
  expect(changed()).toEqual([]);
  tallies.use([...MANY.slice(1), budget("k0", 200)]);
  expect(changed()).toEqual([{ key: "k0" }]);
  tallies.add([cell("k5"), cell("unknown")], []);
  expect(changed()).toEqual([{ key: "k5" }]);
  setTime(Date.UTC(2026, 11, 1));
  expect(changed()).toHaveLength(1_000);
});

it("a removed budget is not among the changed ones, and its spend is counted no more", () => {
  const { tallies, changed } = open();
  tallies.use([budget("a"), budget("b")]);
  tallies.use([budget("b")]);
  tallies.add([cell("a")], []);
  expect(changed()).toEqual([{ key: "b" }]);
  expect([tallies.has("key a a month"), tallies.has("key b a month")]).toEqual([false, true]);
});
