// `npm run check`: everything that is quick to know before a commit, two steps at a time.
import { spawn } from "node:child_process";
import { join } from "node:path";

interface Step {
  name: string;
  program: string;
  words: string[];
  /** What mends it, where a command does. */
  remedy?: string;
}

const ROOT = join(import.meta.dirname, "..");
const SOURCES = ["contract", "model", "control-plane", "envoy", "filter", "scripts"];

/** The longest first, so that the last ones to end are short. */
const STEPS: readonly Step[] = [
  { name: "types and lint", program: "node", words: ["scripts/lint.ts"] },
  // With the test that the generated files are current.
  { name: "unit tests", program: "vitest", words: ["run", "--project", "unit", "--reporter=dot"] },
  {
    name: "format",
    program: "prettier",
    words: ["--check", "--log-level", "warn", "--cache", "--cache-location", "build/prettier", "."],
    remedy: "npm run format",
  },
  {
    name: "imports",
    program: "depcruise",
    words: ["--config", ".dependency-cruiser.json", ...SOURCES],
  },
];
const AT_ONCE = 2;

/** Runs a step and prints its outcome, with the whole output when it failed. */
async function run({ name, program, words, remedy }: Step): Promise<boolean> {
  const started = performance.now();
  // scripts/run.sh has put node_modules/.bin first on PATH.
  const child = spawn(program, words, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (piece: Buffer) => output.push(piece));
  }
  const passed = await new Promise<boolean>((resolve) => {
    child.once("error", (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      resolve(false);
    });
    child.once("close", (code) => {
      resolve(code === 0);
    });
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${passed ? "✓" : "✗"} ${name} (${seconds} s)`);
  if (!passed) {
    process.stdout.write(Buffer.concat(output));
    if (remedy !== undefined) console.log(`  → ${remedy}`);
  }
  return passed;
}

const waiting = [...STEPS];
const outcomes: boolean[] = [];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      outcomes.push(await run(step));
    }
  }),
);
const failed = outcomes.filter((passed) => !passed).length;
console.log(failed === 0 ? "All checks passed." : `${failed} of ${outcomes.length} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
