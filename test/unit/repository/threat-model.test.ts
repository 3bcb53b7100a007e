// docs/threat-model.md names the tests of each guarantee, and these tests exist.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const page = readFileSync(join(ROOT, "docs/threat-model.md"), "utf8");
const [, sections = ""] = page.split(/^(?=## 1\. )/m);
const guarantees =
  sections
    .split(/^## What is not guaranteed/m)[0]
    ?.split(/^- /m)
    .slice(1) ?? [];

it("the threat model names tests that exist", () => {
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it("the threat model names a test for every guarantee", () => {
  expect(guarantees.length).toBeGreaterThan(30);
  expect(guarantees.filter((text) => !/^ {2}Tests: `test\//m.test(text))).toEqual([]);
});
