// The same sources give the same filter and the same npm package, byte for byte, in any folder.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILTER = "build/filter.wasm";
/** A limit, not an expectation: the compilers run one after the other, beside other tests. */
const BUILDS_MS = 1_200_000;
const ARCHIVE = `gateway-${VERSION}.tgz`;

const top = mkdtempSync(join(tmpdir(), "gateway-builds-"));
const checkouts = [join(top, "one"), join(top, "another/with a longer name")];
const sums = (file: string) =>
  checkouts.map((folder) =>
    createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex"),
  );

function run(folder: string, program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { cwd: folder, encoding: "utf8" });
  expect(status, stderr).toBe(0);
}

beforeAll(() => {
  const tracked = spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).stdout;
  for (const [index, folder] of checkouts.entries()) {
    for (const file of tracked.split("\0").filter((name) => name !== "" && !isTest(name)))
      cpSync(join(ROOT, file), join(folder, file));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    // This checkout's filter is the second one that was compiled.
    if (index === 0) run(folder, process.execPath, "scripts/build-filter.ts");
    else cpSync(join(ROOT, FILTER), join(folder, FILTER));
    run(folder, process.execPath, "scripts/compile.ts");
    // Its scripts would set up the checkout, which is done.
    run(folder, "npm", "pack", "--ignore-scripts");
  }
}, BUILDS_MS);
afterAll(() => {
  rmSync(top, { recursive: true });
});

const isTest = (file: string) => file.startsWith("test/");

it("another checkout compiles the same filter, and both pack the same npm package", () => {
  for (const file of [FILTER, ARCHIVE]) {
    const [one, another] = sums(file);
    expect(another, file).toBe(one);
  }
});
