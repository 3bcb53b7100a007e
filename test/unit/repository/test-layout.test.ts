// Where a test stands: the test of a/b.ts is test/unit/a/b.test.ts, or b-<subject>.test.ts if there are several.
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
/** Tests of no single source: of the repository itself, and of what tests share. */
const ELSEWHERE = /^(repository|golden)\//;

it("every unit test stands in the folder of what it tests", () => {
  const tests = globSync("**/*.test.ts", { cwd: join(ROOT, "test/unit") });
  expect(tests.length).toBeGreaterThan(100);
  const lost = tests.filter(
    (test) => !ELSEWHERE.test(test) && !existsSync(join(ROOT, dirname(test))),
  );
  expect(lost).toEqual([]);
});
