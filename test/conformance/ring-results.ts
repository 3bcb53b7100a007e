// What the rings found when they ran last, by test file: every complete run of a file is recorded in build/rings/, so that
// `npm run conformance` need not run for an hour. A run that a name filters (`-t`) or that is interrupted is not recorded.
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { runStamp } from "../../scripts/run-stamp.ts";
import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node";

const ROOT = join(import.meta.dirname, "../..");
const TESTS = join(ROOT, "test");
const FOLDER = join(ROOT, "build/rings");

export interface RecordedTest {
  name: string;
  status: "passed" | "failed" | "skipped";
}

export interface RecordedFile {
  /** ISO 8601. */
  time: string;
  commit: string;
  tests: RecordedTest[];
}

/** By the file's path below test/. */
export type RingResults = Record<string, RecordedFile>;

/** Returns the recorded results of the test files that still exist. @param folder of the records */
export function readRings(folder = FOLDER): RingResults {
  const rings = globSync("*.json", { cwd: folder }).map(
    (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as RingResults,
  );
  const existing = new Set(testFiles());
  const files = rings.flatMap((ring) => Object.entries(ring));
  return Object.fromEntries(files.filter(([file]) => existing.has(file)));
}

/** Returns the paths of all test files below test/. */
export function testFiles(): string[] {
  return globSync("**/*.test.ts", { cwd: TESTS }).sort();
}

/** Records each test file that has run to its end, in a file for its ring. */
export class RingRecorder implements Reporter {
  readonly #folder: string;
  #isWhole = false;

  /** @param folder for the records */
  constructor(folder = FOLDER) {
    this.#folder = folder;
  }

  onInit({ config }: Pick<Vitest, "config">): void {
    this.#isWhole = config.testNamePattern === undefined;
  }

  onTestRunStart(specifications: readonly Pick<TestSpecification, "testLines">[]): void {
    this.#isWhole &&= specifications.every(({ testLines = [] }) => testLines.length === 0);
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: string): void {
    if (!this.#isWhole || reason === "interrupted") return;
    const commit = commitNow();
    const time = new Date().toISOString();
    for (const [ring, own] of Map.groupBy(modules, ({ project }) => project.name)) {
      const results = own.map(
        (one) => [relative(TESTS, one.moduleId), { time, commit, tests: testsOf(one) }] as const,
      );
      this.#merge(ring, Object.fromEntries(results));
    }
  }

  #merge(ring: string, results: RingResults): void {
    mkdirSync(this.#folder, { recursive: true });
    const file = join(this.#folder, `${ring}.json`);
    const all = { ...readRing(file), ...results };
    // A reader at the same time gets the old file or the new one.
    writeFileSync(`${file}.new`, JSON.stringify(all));
    renameSync(`${file}.new`, file);
  }
}

function readRing(file: string): RingResults {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RingResults;
  } catch {
    return {};
  }
}

/** A file that could not be loaded is one failed test. */
function testsOf(module: TestModule): RecordedTest[] {
  const tests = [...module.children.allTests()].map((test): RecordedTest => {
    const { state } = test.result();
    return { name: test.fullName, status: state === "pending" ? "failed" : state };
  });
  const isUnread = module.state() === "failed" && !tests.some(({ status }) => status === "failed");
  return isUnread ? [...tests, { name: "the file, or a hook of it", status: "failed" }] : tests;
}

function commitNow(): string {
  try {
    return runStamp().commit;
  } catch {
    return "";
  }
}
