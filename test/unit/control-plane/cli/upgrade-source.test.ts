// How the command was installed, by which Node it runs, which version is the newest, and which of two is older.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  installation,
  isOlder,
  newestVersion,
} from "../../../../control-plane/cli/upgrade-source.ts";

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
  it("an installation is this checkout", () => {
    const root = join(import.meta.dirname, "../../../..");
    expect(installation()).toEqual({ kind: "checkout", directory: root });
  });

  it.each([
    ["lib/node_modules/gateway", { name: "gateway", private: true }, undefined, "global"],
    ["lib/node_modules/@acme/gateway", { name: "@acme/gateway" }, "@acme/gateway", "global"],
    ["project/node_modules/@acme/gateway", { name: "@acme/gateway" }, "@acme/gateway", "local"],
    [".npm/_npx/1/node_modules/gateway", { name: "gateway", private: true }, undefined, "npx"],
  ])("an installation is a package: %s", (folder, manifest, name, by) => {
    place({ [`${folder}/bin/gateway`]: {}, [`${folder}/package.json`]: manifest });
    const here = join(directory, folder, "build/compiled");
    expect(installation(here)).toEqual({ kind: "package", name, by });
  });

  it("an installation is the image", () => {
    expect(installation(join(directory, "opt/gateway"))).toEqual({ kind: "image" });
  });
});

describe("the newest version", () => {
  const newest = () => newestVersion("@acme/gateway", { PATH: `${directory}:/usr/bin:/bin` });
  function placeNpm(script: string): void {
    writeFileSync(join(directory, "npm"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, "npm"), 0o755);
  }

  it("the newest version is printed by npm", () => {
    placeNpm("echo '\"1.2.3\"'");
    expect(newest()).toBe("1.2.3");
  });

  it.each([
    ["no npm", undefined, /npm is not installed/],
    ["nothing", "exit 0", /npm printed no version/],
    ["something else", "echo 'npm notice'", /npm printed no version/],
    ["a missing file of npm", "echo 'npm error ENOENT: package.json' >&2; exit 1", /package\.json/],
    ["no network", "echo 'npm error ENOTFOUND' >&2; exit 1", /cannot be reached/],
  ])("the newest version is not known: %s", (_, script, message) => {
    if (script !== undefined) placeNpm(script);
    expect(
      script === undefined ? () => newestVersion("gateway", { PATH: directory }) : newest,
    ).toThrow(expect.objectContaining({ message: expect.stringMatching(message) as string }));
  });
});

// `bin/gateway` of a package without Node, and a Node on PATH that has not what downloads need.
it("Node on PATH has to be 24.14 or newer", () => {
  cpSync(join(import.meta.dirname, "../../../../bin/gateway"), join(directory, "bin/gateway"));
  const old = join(directory, "old.cjs");
  writeFileSync(old, 'delete require("node:http").setGlobalProxyFromEnv;');
  const node = join(directory, "node");
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' -r '${old}' "$@"\n`);
  chmodSync(node, 0o755);
  const { status, stderr } = spawnSync(join(directory, "bin/gateway"), ["--version"], {
    env: { PATH: `${directory}:/usr/bin:/bin`, HOME: directory },
    encoding: "utf8",
  });
  expect(stderr).toContain("install Node 24.14 or newer");
  expect(status).toBe(1);
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
