// `npm run conformance`: runs the public suites, the fuzzer and the choice of targets, in less than ten minutes, and writes
// docs/conformance.json and docs/conformance.md. What takes longer is taken from the last runs in this checkout
// (`npm test`, `npm run bench -- --instructions`), else from the page as it is; each part has its date.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCounts } from "../../bench/counts.ts";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { writePage } from "../../scripts/docs/write-page.ts";
import { readRates } from "../../scripts/model-rates.ts";
import { runStamp } from "../../scripts/run-stamp.ts";
import { fuzz, keptSeeds } from "../fuzz/run-target.ts";
import { FUZZ_TARGETS } from "../fuzz/targets.ts";
import { ownResults } from "./own-rings.ts";
import { type Conformance, conformancePage, type FuzzRun } from "./page.ts";
import type { SuiteRun } from "./suite.ts";

const ROOT = join(import.meta.dirname, "../..");
const FUZZ_INPUTS = 10_000;

const published = JSON.parse(
  readFileSync(join(ROOT, "docs/conformance.json"), "utf8"),
) as Conformance;
const all: Conformance = {
  ...runStamp(),
  version: VERSION,
  suites: runPublicSuites(),
  ...ownResults(published),
  fuzz: runFuzz(),
  rates: measureRates(),
  instructions: {
    budgets: budgets(),
    counts: { ...published.instructions.counts, ...readCounts() },
  },
};
await writePage("docs/conformance.json", JSON.stringify(all));
await writePage("docs/conformance.md", conformancePage(all));
if (all.own.some(({ failed }) => failed.length > 0)) process.exitCode = 1;

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

/** Throws with the first input that failed. */
function runFuzz(): FuzzRun {
  const seed = Date.now() % 1_000_000;
  const targets = FUZZ_TARGETS.map((target) => {
    const failure = fuzz(target, FUZZ_INPUTS, seed);
    if (failure !== undefined)
      throw new Error(`${target.name}, seed ${String(seed)}: ${failure.message}`);
    const { name } = target;
    return { name, inputs: FUZZ_INPUTS, kept: keptSeeds(name).length };
  });
  return { ...runStamp(), seed, targets };
}

/** The choice of targets over our own cases now, and the guard as recorded. */
function measureRates(): Conformance["rates"] {
  const words = ["scripts/evaluate-intents.ts", "--record"];
  const { status } = spawnSync(process.execPath, words, { cwd: ROOT, stdio: "inherit" });
  const rates = readRates();
  if (status !== 0 || rates === undefined)
    throw new Error("the choice of targets was not measured");
  return rates;
}

function budgets(): Record<string, number> {
  const text = readFileSync(join(ROOT, "bench/instruction-budgets.json"), "utf8");
  return (JSON.parse(text) as { gateway: Record<string, number> }).gateway;
}
