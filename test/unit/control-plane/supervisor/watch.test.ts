// What counts as a change of a watched file: reading it does not, nor does a file that is not there.
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isChanged } from "../../../../control-plane/supervisor/watch.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-watch-"));
  file = join(directory, "gateway.yaml");
  writeFileSync(file, "one");
  utimesSync(file, 100, 100);
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function afterDoing(act: () => void): boolean {
  const before = statSync(file);
  act();
  return isChanged(statSync(file), before);
}

it("a file that is read is not changed", () => {
  expect(
    afterDoing(() => {
      utimesSync(file, 200, 100);
    }),
  ).toBe(false);
});

it("a file that is written is changed", () => {
  expect(
    afterDoing(() => {
      writeFileSync(file, "another");
    }),
  ).toBe(true);
});

it("a file that is replaced by one of the same size and time is changed", () => {
  expect(
    afterDoing(() => {
      const other = join(directory, "other");
      writeFileSync(other, "two");
      utimesSync(other, 100, 100);
      renameSync(other, file);
    }),
  ).toBe(true);
});

it("a file that is not there is not changed, and one that appears is", () => {
  // What Node calls a listener with for a file that is not there.
  const nothing = { mtimeMs: 0, size: 0, ino: 0, dev: 0 };
  expect(isChanged(nothing, nothing)).toBe(false);
  expect(isChanged(statSync(file), nothing)).toBe(true);
});
