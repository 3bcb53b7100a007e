// docs/threat-model.md names the test that shows each guarantee: every one of them is there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/threat-model.md"), "utf8");
const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path);

it("names tests that exist", () => {
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it("names a test for every guarantee", () => {
  const rows = page
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.split("|").length === 5);
  const guarantees = rows.filter((row) => !/^\| -+/.test(row) && !row.includes("| shown by"));
  expect(guarantees.length).toBeGreaterThan(20);
  expect(guarantees.filter((row) => !row.includes("`test/"))).toEqual([]);
});
