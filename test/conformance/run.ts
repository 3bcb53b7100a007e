// `npm run conformance [-- --report FILE]`: runs the public suites and our own rings, and writes docs/conformance.json and
// docs/conformance.md. With a report of `npm test` (GATEWAY_TEST_RESULTS), our own rings are not run again.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { writePage } from "../../scripts/docs/write-page.ts";
import { FUZZ_TARGETS } from "../fuzz/targets.ts";
import { fuzz } from "../fuzz/run-target.ts";
import { ownRows, runOwnRings } from "./own-rings.ts";
import { type Conformance, conformancePage } from "./page.ts";
import type { SuiteRun } from "./suite.ts";

const ROOT = join(import.meta.dirname, "../..");
const FUZZ_INPUTS = 10_000;

const { values } = parseArgs({ options: { report: { type: "string" } } });
const suites = runPublicSuites();
const own = values.report === undefined ? runOwnRings() : ownRows(values.report);
const all: Conformance = {
  date: new Date().toISOString().slice(0, 10),
  version: VERSION,
  suites,
  own,
  fuzz: runFuzz(),
  instructions: instructionBudgets(),
};
await writePage("docs/conformance.json", JSON.stringify(all));
await writePage("docs/conformance.md", conformancePage(all));
if (own.some(({ failed }) => failed.length > 0)) process.exitCode = 1;

function runPublicSuites(): SuiteRun[] {
  const directory = mkdtempSync(join(tmpdir(), "gateway-conformance-"));
  const results = join(directory, "suites.json");
  try {
    const words = ["node_modules/vitest/vitest.mjs", "run", "--project", "conformance"];
    const { status } = spawnSync(process.execPath, words, {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, GATEWAY_CONFORMANCE_RESULTS: results },
    });
    if (status !== 0) process.exitCode = 1;
    return JSON.parse(readFileSync(results, "utf8")) as SuiteRun[];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Returns how many inputs each target got. Throws with the first that failed. */
function runFuzz(): Record<string, number> {
  const seed = Date.now() % 1_000_000;
  for (const target of FUZZ_TARGETS) {
    const failure = fuzz(target, FUZZ_INPUTS, seed);
    if (failure !== undefined)
      throw new Error(`${target.name}, seed ${String(seed)}: ${failure.message}`);
  }
  return Object.fromEntries(FUZZ_TARGETS.map(({ name }) => [name, FUZZ_INPUTS]));
}

function instructionBudgets(): Record<string, number> {
  const text = readFileSync(join(ROOT, "bench/instruction-budgets.json"), "utf8");
  return (JSON.parse(text) as { gateway: Record<string, number> }).gateway;
}
