// Rotation of the log files by size.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRotation } from "../../../../control-plane/supervisor/rotation.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-cli-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("rotation", () => {
  const log = () => join(directory, "access_llm.log");
  const content = (name: string) => readFileSync(join(directory, name), "utf8");
  const rotation = (keepFiles: number) => {
    let reopened = 0;
    const rules = { directory, maxFileBytes: 10, keepFiles };
    const { check } = createRotation(
      () => rules,
      () => (reopened += 1),
    );
    return { check, reopened: () => reopened };
  };

  it("rotation leaves small files alone", () => {
    writeFileSync(log(), "small");
    const { check, reopened } = rotation(2);
    check();
    expect(reopened()).toBe(0);
    expect(readdirSync(directory)).toEqual(["access_llm.log"]);
  });

  it("rotation renames a large file, keeps keepFiles of them, and makes Envoy open a new one", () => {
    const { check, reopened } = rotation(2);
    for (const age of ["first", "second", "third"]) {
      writeFileSync(log(), `${age} and more than ten`);
      check();
      expect(existsSync(log())).toBe(false);
    }
    expect(reopened()).toBeGreaterThanOrEqual(3);
    expect(readdirSync(directory).sort()).toEqual(["access_llm.log.1", "access_llm.log.2"]);
    expect(content("access_llm.log.1")).toMatch(/^third/);
    expect(content("access_llm.log.2")).toMatch(/^second/);
  });

  it("rotation creates the log with users' texts for its user only", () => {
    const { check } = rotation(1);
    const file = join(directory, "access_content.log");
    writeFileSync(file, "more than ten bytes", { mode: 0o600 });
    check();
    const modes = ["access_content.log", "access_content.log.1"].map(
      (name) => statSync(join(directory, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
  });

  it("rotation keeps no old file with keepFiles 0", () => {
    const { check } = rotation(0);
    writeFileSync(log(), "more than ten bytes");
    check();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("rotation makes Envoy reopen its files after another program renamed one", () => {
    writeFileSync(log(), "x");
    const { check, reopened } = rotation(2);
    rmSync(log());
    check();
    expect(reopened()).toBe(1);
    check();
    expect(reopened()).toBe(1);
  });

  it("rotation truncates the gateway's own log, which other processes hold open", () => {
    const own = join(directory, "gateway.log");
    writeFileSync(own, "more than ten bytes");
    const { ino } = statSync(own);
    rotation(2).check();
    expect(statSync(own)).toMatchObject({ ino, size: 0 });
    expect(content("gateway.log.1")).toBe("more than ten bytes");
  });
});
