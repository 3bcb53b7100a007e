// The sums of sessions: what belongs to one, and which of its requests decides what.
import { expect, it } from "vitest";
import { SessionSums } from "../../../../../control-plane/cli/session-log/session-sums.ts";
import { readUsageLine } from "../../../../../control-plane/usage/usage-line.ts";
import type { UsageLine } from "../../../../../control-plane/usage/usage-line.ts";

function line(start: number, record: object, status = 200): UsageLine {
  const whole = { id: `r${String(start)}`, listener: "egress", ...record };
  const text = `${(1_795_000_000 + start).toFixed(3)} ${String(status)} - 500 1 - - - 9 9 ${JSON.stringify(whole)}`;
  const read = readUsageLine(text);
  if (read === undefined) throw new Error("not a line");
  return read;
}

it("a session has the sums of its requests, and the agent, the model and the error of the last one", () => {
  const sums = new SessionSums(({ input }) => (input === undefined ? undefined : input * 10));
  const failed = {
    session: "a",
    key: "team",
    target: "p/new",
    code: "overloaded",
    message: "Slow down.",
  };
  const lines = [
    line(40, failed, 529),
    line(30, { session: "b", target: "p/b", input: 1 }),
    line(25, {
      ...{ session: "a", agent: "codex/2", key: "team", subagent: "s" },
      target: "p/sub",
      input: 50,
      output: 5,
    }),
    line(20, {
      session: "a",
      agent: "codex/1",
      target: "p/old",
      key: "team",
      input: 200,
      cache_read: 150,
      output: 4,
    }),
    line(10, { session: "a", key: "team", target: "p/old", input: 100, output: 3 }, 200),
  ];
  for (const one of lines) expect(sums.add(one)).toBe(true);
  const [first, second] = sums.newest(10);
  expect(first).toEqual({
    ...{ session: "a", agent: "codex/2", model: "p/new", key: "team", turns: 3, subagentTurns: 1 },
    ...{ input: 350, cached: 150, output: 12, cost: 3500 },
    ...{ begun: 1_795_000_010, ended: 1_795_000_040.5, error: "overloaded: Slow down." },
  });
  expect(second).toMatchObject({ session: "b", error: undefined, cost: 10 });
  expect(sums.newest(1)).toHaveLength(1);
});

it("a session's id that several keys use is a session of each", () => {
  const sums = new SessionSums(({ input }) => input);
  for (const [index, key] of ["one", "two", "one", undefined].entries())
    sums.add(line(9 - index, { session: "a", key, input: 10 ** index }));
  expect(sums.newest(10)).toMatchObject([
    { session: "a", key: "one", turns: 2, input: 101, cost: 101 },
    { session: "a", key: "two", turns: 1, input: 10, cost: 10 },
    { session: "a", key: undefined, turns: 1, input: 1000 },
  ]);
});

it("requests without a session, without a record, and those of the model server are of none", () => {
  const sums = new SessionSums(() => undefined);
  sums.add(line(3, { target: "p/a" }));
  sums.add(line(2, { session: "a", listener: "internal_egress" }));
  sums.add({ ...line(1, {}), record: undefined });
  expect(sums.newest(10)).toEqual([]);
});

it("the number of sessions has a bound, and those that are there go on", () => {
  const sums = new SessionSums(() => undefined);
  for (let index = 0; index < 100_000; index++) sums.add(line(1, { session: `s${String(index)}` }));
  expect(sums.add(line(1, { session: "one more" }))).toBe(false);
  expect(sums.add(line(1, { session: "s7" }))).toBe(true);
});
