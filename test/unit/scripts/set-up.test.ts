// The set-up: when it has to do something, and the one sentence on what to do when it cannot.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VERSION as FILTER_VERSION } from "../../../filter/config/version.ts";
import {
  cachedEnvoyFile,
  DOWNLOADED_ENVOY,
  ENVOY_VERSION,
  findEnvoy,
} from "../../../control-plane/supervisor/envoy-binary.ts";
import { VERSION } from "../../../control-plane/supervisor/package-version.ts";
import { filterVersionSource } from "../../../scripts/build-filter.ts";
import { adviceFor, dependenciesAreCurrent } from "../../../scripts/dependencies.mjs";
import { summary } from "../../../scripts/test-summary.mjs";

const ROOT = join(import.meta.dirname, "../../..");
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-set-up-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function writeProgram(file: string, text: string | Uint8Array): string {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

describe("dependencies", () => {
  const locked = { version: "1.0.0", integrity: "sha512-a" };
  const write = (wanted: object, installed: object | undefined) => {
    writeFileSync(join(directory, "package-lock.json"), JSON.stringify({ packages: wanted }));
    if (installed === undefined) return;
    mkdirSync(join(directory, "node_modules"));
    writeFileSync(
      join(directory, "node_modules/.package-lock.json"),
      JSON.stringify({ packages: installed }),
    );
  };

  it.each([
    ["all are there", { "": {}, "node_modules/a": locked }, { "node_modules/a": locked }, true],
    ["nothing is installed", { "node_modules/a": locked }, undefined, false],
    ["one is missing", { "node_modules/a": locked }, {}, false],
    [
      "one has another version",
      { "node_modules/a": locked },
      { "node_modules/a": { ...locked, version: "1.0.1" } },
      false,
    ],
    [
      "one has other content",
      { "node_modules/a": locked },
      { "node_modules/a": { ...locked, integrity: "sha512-b" } },
      false,
    ],
    [
      "one of another platform is missing",
      { "node_modules/a": { ...locked, optional: true } },
      {},
      true,
    ],
    [
      "Node for this platform is missing",
      { [`node_modules/node-${process.platform}-${process.arch}`]: { ...locked, optional: true } },
      {},
      false,
    ],
  ])("dependencies are compared with the lock file: %s", (_, wanted, installed, expected) => {
    write(wanted, installed);
    expect(dependenciesAreCurrent(directory)).toBe(expected);
  });

  it("dependencies of this checkout are current", () => {
    expect(dependenciesAreCurrent(ROOT)).toBe(true);
  });

  it.each([
    ["npm error code ENOSPC", /disk is full/],
    ["npm error code EINTEGRITY", /is not the one in package-lock.json/],
    ["npm error network getaddrinfo ENOTFOUND registry", /registry cannot be reached/],
    ["npm error code EACCES", /cannot be written/],
    ["npm error something else", /npm ci --ignore-scripts/],
  ])("dependencies that cannot be installed come with advice: %s", (output, advice) => {
    expect(adviceFor(output)).toMatch(advice);
  });
});

describe("Envoy", () => {
  it("Envoy is the one in ENVOY_BIN, before any other", () => {
    const file = writeProgram(join(directory, "mine"), "");
    expect(findEnvoy({ ENVOY_BIN: file, PATH: "", HOME: directory })).toEqual({
      file,
      source: "ENVOY_BIN",
    });
  });

  it("Envoy in ENVOY_BIN must be a program", () => {
    expect(() => findEnvoy({ ENVOY_BIN: join(directory, "none") })).toThrow(/ENVOY_BIN is .*none/);
    expect(() => findEnvoy({ ENVOY_BIN: directory })).toThrow(/not an executable/);
  });

  it("Envoy on PATH is no wrapper script, which would swallow signals", () => {
    writeProgram(join(directory, "bin/envoy"), "#!/bin/sh\necho version: x/1.40.0/Clean\n");
    expect(findEnvoy({ PATH: join(directory, "bin"), HOME: directory })).toBeUndefined();
  });

  it("Envoy on PATH must have the right version", () => {
    writeProgram(join(directory, "bin/envoy"), readFileSync("/bin/true"));
    expect(findEnvoy({ PATH: join(directory, "bin"), HOME: directory })).toBeUndefined();
  });

  it("Envoy in the cache is found by XDG_CACHE_HOME or HOME", () => {
    const cached = cachedEnvoyFile({ XDG_CACHE_HOME: directory });
    expect(cached).toBe(join(directory, `gateway/envoy-${ENVOY_VERSION}/envoy`));
    expect(cachedEnvoyFile({ HOME: directory })).toContain(join(directory, ".cache/gateway"));
    writeProgram(cached, "");
    truncateSync(cached, DOWNLOADED_ENVOY?.bytes);
    expect(findEnvoy({ PATH: "", XDG_CACHE_HOME: directory })?.source).toBe("cache");
  });

  it("Envoy in the cache is downloaded again if a part of it is missing", () => {
    const cached = cachedEnvoyFile({ XDG_CACHE_HOME: directory });
    writeProgram(cached, "#!/bin/sh\n");
    expect(findEnvoy({ PATH: "", XDG_CACHE_HOME: directory })).toBeUndefined();
  });
});

describe("the version", () => {
  it("the version is the same in package, command line and filter", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      version: string;
    };
    expect([VERSION, FILTER_VERSION]).toEqual([manifest.version, manifest.version]);
    expect(filterVersionSource("1.2.3")).toContain('VERSION = "1.2.3"');
  });
});

describe("the closing line of a test run", () => {
  const file = (status: string, ...tests: string[]) => ({
    status,
    assertionResults: tests.map((status) => ({ status })),
  });

  it.each([
    [[file("passed", "passed", "passed", "skipped")], "2 passed, 0 failed, 1 skipped"],
    [[file("failed", "passed", "failed"), file("passed", "passed")], "2 passed, 1 failed"],
    [[file("failed"), file("passed", "passed")], "1 passed, 1 failed"],
    [[file("failed", "passed")], "1 passed, 1 failed"],
  ])(
    "the closing line of a test run counts tests, and files that broke outside a test",
    (testResults, line) => {
      expect(summary(JSON.stringify({ testResults }))).toBe(line);
    },
  );

  it("the closing line of a test run is a failure when the tests did not run", () => {
    expect(summary("")).toMatch(/^0 passed, 1 failed/);
  });
});
