// Prints `N passed, N failed` (and `, N skipped`) for a file of vitest's JSON results. Runs on Node 20, also when nothing could be set up.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @typedef {{ status: string, assertionResults: { status: string }[] }} TestFile */

/**
 * A file that could not be loaded has no tests and counts as one failure. So does a run without results.
 * @param {string} json what vitest's json reporter wrote; empty when the tests did not run
 */
export function summary(json) {
  if (json === "") return "0 passed, 1 failed (the tests did not run)";
  /** @type {unknown} */
  const results = JSON.parse(json);
  const { testResults } = /** @type {{ testResults: TestFile[] }} */ (results);
  const passed = count(testResults, "passed");
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  const skipped = count(testResults, "pending") + count(testResults, "skipped");
  const failed = count(testResults, "failed") + broken.length;
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

/**
 * @param {TestFile[]} files
 * @param {string} status
 */
function count(files, status) {
  return files.flatMap((file) => file.assertionResults).filter((test) => test.status === status)
    .length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(summary(readFileSync(process.argv[2] ?? "", "utf8")));
}
