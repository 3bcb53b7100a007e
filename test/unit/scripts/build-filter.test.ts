// scripts/build-filter.ts: a build is current only if nothing that makes its bytes has changed.
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sourcesKey } from "../../../scripts/build-filter.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FILES = [
  "filter/index.ts",
  "contract/dialects.ts",
  "asconfig.json",
  "scripts/build-filter.ts",
  "scripts/constant-bytes.ts",
  "scripts/pack-bytes.ts",
  "scripts/pack-data.ts",
  "scripts/visit-globals.ts",
];

let copy = "";

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "build-filter-"));
  mkdirSync(join(copy, "scripts"));
  for (const file of FILES) cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
});

afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

it.each(FILES)("the key of a build changes with %s", (file) => {
  const before = sourcesKey(copy);
  expect(sourcesKey(copy)).toBe(before);
  appendFileSync(join(copy, file), "\n");
  expect(sourcesKey(copy)).not.toBe(before);
});
