// What release:check says of packages and images from outside.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentsOfPackage } from "../../../../scripts/release/contents.ts";
import {
  advisoryFindings,
  imageProblems,
  licenceProblems,
  LOCK_FILES,
  lockProblems,
  REQUIREMENT_FILES,
  requirementProblems,
  signatureFindings,
} from "../../../../scripts/release/supply-chain.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const DIGEST = `sha256:${"0f".repeat(32)}`;

/** Files of the repository, without packages and what was built. */
const files = (pattern: string) =>
  globSync(pattern, {
    cwd: ROOT,
    exclude: (name) => name === "build" || name.endsWith("/build") || name.includes("node_modules"),
  }).sort();

describe("package-lock.json", () => {
  it.each(LOCK_FILES)(
    "every package of %s has a hash, a known source and no unknown script",
    (file) => {
      expect(lockProblems(read(file), file)).toEqual([]);
    },
  );

  it("lock files and lists of Python packages are checked, all of them", () => {
    expect(files("**/package-lock.json")).toEqual(LOCK_FILES.toSorted());
    const lists = files("**/*requirements.txt").filter((file) => !file.includes("extractor/"));
    expect(lists).toEqual(REQUIREMENT_FILES.toSorted());
  });

  it("package-lock.json has no installation script that `npm install --global` of the package would run", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>;
    };
    const scripts = Object.entries(packages).filter(
      ([, { dev, hasInstallScript }]) => dev !== true && hasInstallScript === true,
    );
    expect(scripts).toEqual([]);
  });

  it.each([
    [{ integrity: "sha1-abc=" }, /has no SHA-512 integrity/],
    [{}, /has no SHA-512 integrity/],
    [
      { integrity: "sha512-abc", resolved: "https://elsewhere.example/a.tgz" },
      /does not come from/,
    ],
    [{ integrity: "sha512-abc", resolved: "git+ssh://git@github.com/a/b.git" }, /does not come/],
    [{ integrity: "sha512-abc", hasInstallScript: true }, /has an install script/],
    [{ integrity: "sha512-abc", deprecated: "use b" }, /a is deprecated: use b\.$/],
  ])("%j is a problem", (entry, message) => {
    const lock = JSON.stringify({ packages: { "": {}, "node_modules/a": entry } });
    expect(lockProblems(lock)).toEqual([expect.stringMatching(message)]);
  });
});

describe("lists of Python packages", () => {
  it.each(REQUIREMENT_FILES)("every package of %s has a version with a hash", (file) => {
    expect(requirementProblems(read(file), file)).toEqual([]);
  });

  it.each(["a", "a==1", "a>=1 --hash=sha256:00", "git+https://host.example/a"])(
    "%s is a problem",
    (line) => {
      expect(requirementProblems(`# packages\n${line}\n`, "r.txt")).toHaveLength(1);
    },
  );

  it("a hash on the next line counts", () => {
    const text = `a==1 \\\n    --hash=sha256:${"0f".repeat(32)}\n    # via b\n`;
    expect(requirementProblems(text, "r.txt")).toEqual([]);
  });
});

describe("images", () => {
  const files =
    (dockerfile: string, compose = "services: {}") =>
    (file: string) =>
      file === "Dockerfile" ? dockerfile : compose;

  it("images that are fetched are pinned, but for one whose digest the releaser resolves", () => {
    expect(imageProblems(read)).toEqual([
      expect.stringMatching(/^compose\.yaml: envoyproxy\/ratelimit:3fb70258 is not pinned/),
    ]);
  });

  it.each([
    ["FROM debian:13", /^Dockerfile: debian:13 is not pinned.*imagetools inspect.* debian:13$/],
    ["ARG BASE=debian:13\nFROM ${BASE} AS one\nFROM one", /debian:13 is not pinned/],
    [`FROM debian:13@${DIGEST} AS one\nFROM redis AS two`, /redis is not pinned/],
    ["FROM debian@sha256:0f0f", /is not pinned/],
  ])("%s is a problem", (dockerfile, message) => {
    expect(imageProblems(files(dockerfile))).toEqual([expect.stringMatching(message)]);
  });

  it("images by digest, and stages of the file, are no problem", () => {
    const dockerfile = `ARG BASE=debian:13@${DIGEST}\nFROM \${BASE} AS one\nFROM one AS two\nFROM two`;
    const compose = `services: {a: {image: "\${A:-redis:8@${DIGEST}}"}, b: {image: "gateway:0.1.0"}}`;
    expect(imageProblems(files(dockerfile, compose))).toEqual([]);
  });

  it("images of compose.yaml by tag are a problem", () => {
    const compose = 'services: {a: {image: "${A:-redis:8}"}, b: {image: mirror/gateway:1}}';
    expect(imageProblems(files("", compose))).toEqual([
      expect.stringMatching(/redis:8 is not pinned/),
      expect.stringMatching(/mirror\/gateway:1 is not pinned/),
    ]);
  });
});

describe("licences", () => {
  it("every part of the npm package has a licence of the list", () => {
    const parts = contentsOfPackage(ROOT);
    expect(parts.length).toBeGreaterThan(50);
    expect(licenceProblems(parts)).toEqual([]);
  });

  it.each([
    [[], "a names no licence."],
    [["GPL-3.0-only"], "a has the licence GPL-3.0-only, which is not on the list."],
    [["MIT", "SSPL-1.0"], "a has the licence SSPL-1.0, which is not on the list."],
  ])("the licences %j are a problem", (licences, message) => {
    expect(licenceProblems([{ name: "a", licences }])).toEqual([message]);
  });
});

describe("npm audit", () => {
  it("signatures: an invalid and a missing one are problems", () => {
    const bad = { name: "a", version: "1.0.0" };
    expect(signatureFindings(JSON.stringify({ invalid: [bad], missing: [bad] }))).toEqual({
      problems: [
        "a@1.0.0 has an invalid registry signature.",
        "a@1.0.0 has no registry signature.",
      ],
      notes: [],
    });
    const good = JSON.stringify({ invalid: [], missing: [] });
    expect(signatureFindings(good)).toEqual({ problems: [], notes: [] });
  });

  it("advisories: high and critical ones are problems", () => {
    const vulnerabilities = {
      a: { severity: "critical", range: "<2" },
      b: { severity: "high", range: "*" },
      c: { severity: "moderate", range: "*" },
    };
    expect(advisoryFindings(JSON.stringify({ vulnerabilities })).problems).toEqual([
      "a <2 has a critical advisory.",
      "b * has a high advisory.",
    ]);
  });

  it.each([
    ["", "npm gave no result"],
    ['{"message":"405 Method Not Allowed - POST"}', "405 Method Not Allowed - POST"],
    [
      '{"error":{"summary":"request failed, reason: ENOTFOUND"}}',
      "request failed, reason: ENOTFOUND",
    ],
  ])("an audit that cannot be done (%s) is a note with the reason", (output, reason) => {
    for (const findings of [signatureFindings(output), advisoryFindings(output)]) {
      expect(findings.problems).toEqual([]);
      expect(findings.notes).toEqual([expect.stringContaining(`are not verified: ${reason}`)]);
    }
  });
});
