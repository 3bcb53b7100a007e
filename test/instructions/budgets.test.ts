// Instructions per request of the compiled filter in Envoy, against bench/instruction-budgets.json.
import { describe, expect, inject, it } from "vitest";
import { budgetOf } from "../../bench/budgets.ts";
import { CASES } from "../../bench/cases.ts";
import { recordCounts } from "../../bench/counts.ts";
import { type Counted, countInstructions } from "../../bench/instructions.ts";
import { exceededBudgets, instructionsTable } from "../../bench/instructions-table.ts";
import { withBench } from "./counting.ts";

/** A request that passes through, one that is translated, and a translated stream. */
const HELD = CASES.filter(({ name }) => ["a16", "b16", "c16-translated"].includes(name));

describe.runIf(inject("canCountInstructions"))("the instructions of a request", () => {
  // Rounds of one build differ by half a per cent: what is above its budget by noise is counted again.
  it(
    "the instructions of a request stay within 2 % of their budgets in bench/instruction-budgets.json",
    { retry: 2 },
    async () => {
      const counted = await withBench((bench, running) =>
        countInstructions({ ...bench, cases: HELD }, running),
      );
      recordCounts(counted);
      const table = instructionsTable(counted);
      console.log(`Thousand instructions per request:\n${table}`);
      expect(HELD.map(({ name }) => budgetOf("gateway", name))).not.toContain(undefined);
      expect(exceededBudgets(counted), table).toEqual([]);
    },
  );
});

describe("a count", () => {
  const counted = (thousand: number): Counted => ({
    ...{ name: "a16", what: "chat" },
    programs: [
      { program: "plain Envoy", rounds: [1000] },
      { program: "gateway", rounds: [thousand * 1000] },
    ],
  });
  const budget = budgetOf("gateway", "a16") ?? 0;

  it("a count may be 2 % above its budget, and no more", () => {
    expect(exceededBudgets([counted(budget * 1.02)])).toEqual([]);
    expect(exceededBudgets([counted(budget * 1.025)])).toEqual([
      expect.stringMatching(/^a16: gateway takes .* 2\.5 % more than its budget of \d+ in bench/),
    ]);
  });
});
