// Once for the tests of instructions/: finds valgrind, or unpacks Debian's into the user's cache.
import type { TestProject } from "vitest/node";
import { findCompiler } from "../../bench/tools.ts";
import { ensureValgrind, type Valgrind } from "../../scripts/valgrind.ts";

declare module "vitest" {
  interface ProvidedContext {
    valgrind: Valgrind | { missing: string };
    canCountInstructions: boolean;
  }
}

/** `.ci/run` sets it: there, the tests fail with the reason on a machine that cannot count. */
const isRequired = process.env["GATEWAY_SKIP_NOTHING"] === "1";

export async function setup(project: TestProject): Promise<void> {
  const found = await findCounter();
  project.provide("valgrind", found);
  const missing = "missing" in found ? found.missing : undefined;
  project.provide("canCountInstructions", missing === undefined || isRequired);
  if (missing !== undefined && !isRequired)
    console.log(`· The tests of the instruction budgets are skipped: ${missing}`);
}

async function findCounter(): Promise<Valgrind | { missing: string }> {
  // Compilers, V8's among them, write other code for other processors.
  if (process.arch !== "x64") return { missing: `the budgets are for x86-64, not ${process.arch}` };
  if (findCompiler() === undefined) return { missing: "there is no C compiler for the load tool" };
  return ensureValgrind((line) => {
    console.log(`· ${line}`);
  });
}
