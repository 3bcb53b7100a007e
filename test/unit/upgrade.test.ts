// How the command was installed, and which of two versions is older.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installation, isOlder } from "../../control-plane/cli/upgrade-source.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-upgrade-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function place(files: Record<string, object>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), JSON.stringify(content));
  }
}

describe("an installation", () => {
  it("is this checkout", () => {
    const root = join(import.meta.dirname, "../..");
    expect(installation()).toEqual({ kind: "checkout", directory: root });
  });

  it.each([
    ["lib/node_modules/gateway", { name: "gateway", private: true }, undefined, "global"],
    ["lib/node_modules/@acme/gateway", { name: "@acme/gateway" }, "@acme/gateway", "global"],
    ["project/node_modules/@acme/gateway", { name: "@acme/gateway" }, "@acme/gateway", "local"],
    [".npm/_npx/1/node_modules/gateway", { name: "gateway", private: true }, undefined, "npx"],
  ])("is a package: %s", (folder, manifest, name, by) => {
    place({ [`${folder}/bin/gateway`]: {}, [`${folder}/package.json`]: manifest });
    const here = join(directory, folder, "build/compiled");
    expect(installation(here)).toEqual({ kind: "package", name, by });
  });

  it("is the image", () => {
    expect(installation(join(directory, "opt/gateway"))).toEqual({ kind: "image" });
  });
});

it.each([
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.1.1", true],
  ["0.9.0", "0.10.0", true],
  ["1.0.0", "0.10.0", false],
  ["1.0.0-rc.2", "1.0.0", true],
  ["1.0.0-rc.2", "1.0.0-rc.10", true],
  ["1.0.0", "1.0.0-rc.1", false],
])("version %s is older than %s: %s", (a, b, expected) => {
  expect(isOlder(a, b)).toBe(expected);
});
