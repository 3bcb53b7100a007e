// A file name says what the file is about, in the whole repository: a search by name lands at one place.
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
/**
 * Folders whose file names are a system: each dialect of a vendor has the same files, a section is named like its key of the
 * configuration, and a command like its word on the command line.
 */
const SYSTEMS =
  /^(filter\/dialects\/[^/]+|control-plane\/config\/sections|control-plane\/cli\/commands)\//;

it("two files have one name only if the name belongs to a system", () => {
  const files = globSync("{contract,control-plane,envoy,filter,model}/**/*.ts", { cwd: ROOT });
  expect(files.length).toBeGreaterThan(500);
  const places = new Map<string, string[]>();
  for (const file of files) {
    const name = basename(file);
    if (SYSTEMS.test(file) || name === "index.ts") continue;
    places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect([...places.values()].filter((same) => same.length > 1)).toEqual([]);
});
