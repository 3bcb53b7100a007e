// Instructions per request of the compiled filter in Envoy, against bench/instruction-budgets.json.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { budgetOf } from "../../bench/budgets.ts";
import { CASES } from "../../bench/cases.ts";
import { type Counted, countInstructions } from "../../bench/instructions.ts";
import { exceededBudgets, instructionsTable } from "../../bench/instructions-table.ts";
import { type Program, startProvider } from "../../bench/programs.ts";
import { buildTools } from "../../bench/tools.ts";
import { requireEnvoy } from "../../control-plane/supervisor/envoy-binary.ts";

const ROOT = join(import.meta.dirname, "../..");
/** A request that passes through, one that is translated, and a translated stream. */
const HELD = ["a16", "b16", "c16-translated"];
const ROUNDS = 2;

const directory = mkdtempSync(join(tmpdir(), "gateway-instructions-"));
const running: Program[] = [];

afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  rmSync(directory, { recursive: true, force: true });
});

async function count(names: string[]): Promise<Counted[]> {
  const valgrind = inject("valgrind");
  if ("missing" in valgrind) throw new Error(valgrind.missing);
  const tools = buildTools(join(ROOT, "build/bench"));
  const provider = await startProvider(tools.provider);
  running.push(provider);
  const bench = {
    ...{ tools, provider, directory, valgrind, rounds: ROUNDS, seconds: 1 },
    envoy: requireEnvoy(process.env).file,
    cases: CASES.filter(({ name }) => names.includes(name)),
    filters: [["gateway", join(ROOT, "build/filter.wasm")] as [string, string]],
  };
  return countInstructions(bench, running);
}

describe.runIf(inject("canCountInstructions"))("the instructions of a request", () => {
  it("stay within 2 % of their budgets in bench/instruction-budgets.json", async () => {
    const counted = await count(HELD);
    const table = instructionsTable(counted);
    console.log(`Thousand instructions per request:\n${table}`);
    expect(counted.map(({ name }) => budgetOf("gateway", name))).not.toContain(undefined);
    expect(exceededBudgets(counted), table).toEqual([]);
  });
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

  it("may be 2 % above its budget, and no more", () => {
    expect(exceededBudgets([counted(budget * 1.02)])).toEqual([]);
    expect(exceededBudgets([counted(budget * 1.025)])).toEqual([
      expect.stringMatching(/^a16: gateway takes .* 2\.5 % more than its budget of \d+ in bench/),
    ]);
  });
});
