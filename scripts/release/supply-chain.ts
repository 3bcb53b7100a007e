// What a release is made of comes from outside: packages by hash with the registry's signature, images by digest, all of it under
// licences that allow it.
import { parse } from "yaml";
import type { Part } from "./contents.ts";

export interface Findings {
  /** What must not be released, in sentences. */
  problems: string[];
  /** What could not be verified here, in sentences. */
  notes: string[];
}

interface LockedPackage {
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  deprecated?: string;
}

/** All lock files of the checkout. */
export const LOCK_FILES = [
  "package-lock.json",
  "test/agents/packages/package-lock.json",
  "test/conformance/packages/package-lock.json",
];

/**
 * Packages with an install script, which is never run: every installation here has --ignore-scripts, and the npm package
 * contains none of them.
 */
const WITH_INSTALL_SCRIPT = new Set([
  "@anthropic-ai/claude-code",
  "cpu-features",
  "onnxruntime-node",
  "protobufjs",
  "ssh2",
]);

/**
 * Problems of a lock file: a package whose content npm would not verify when it installs it, that comes from elsewhere, that
 * has an install script of which we do not know, or that its authors have given up.
 */
export function lockProblems(lock: string, file = "package-lock.json"): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .flatMap(([path, one]) =>
      packageProblems(path, one).map((text) => `${file}: ${path} ${text}.`),
    );
}

function packageProblems(path: string, one: LockedPackage): string[] {
  const { integrity, resolved, hasInstallScript, deprecated } = one;
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const problems: string[] = [];
  if (integrity?.startsWith("sha512-") !== true) problems.push("has no SHA-512 integrity");
  if (resolved !== undefined && !resolved.startsWith("https://registry.npmjs.org/"))
    problems.push("does not come from the npm registry");
  if (hasInstallScript === true && !WITH_INSTALL_SCRIPT.has(name))
    problems.push("has an install script that is not on the list");
  if (deprecated !== undefined) problems.push(`is deprecated: ${deprecated}`);
  return problems;
}

/** All lists of Python packages but that of the extractor's training, which is run by hand and ships nothing. */
export const REQUIREMENT_FILES = [
  "scripts/container/node-requirements.txt",
  "test/conformance/requirements.txt",
  "test/sdk/requirements.txt",
];

/** Problems of a list of Python packages: one that pip would not verify by its hash, or that is not one version. */
export function requirementProblems(text: string, file: string): string[] {
  const lines = text.replaceAll(/\\\n/g, " ").split("\n");
  return lines
    .filter((line) => /^[^\s#-]/.test(line))
    .filter((line) => !/^\S+==\S+.*--hash=sha256:[0-9a-f]{64}/.test(line))
    .map((line) => `${file}: ${line.split(/[\s;]/)[0] ?? ""} has no version with a hash.`);
}

const DIGEST = /@sha256:[0-9a-f]{64}$/;

/**
 * Problems of the images that the Dockerfile builds on and that compose.yaml fetches: each needs a digest. Images that are
 * built here have none.
 */
export function imageProblems(read: (file: string) => string): string[] {
  const unpinned = [
    ...baseImages(read("Dockerfile")).map((image) => ({ file: "Dockerfile", image })),
    ...fetchedImages(read("compose.yaml")).map((image) => ({ file: "compose.yaml", image })),
  ].filter(({ image }) => !DIGEST.test(image));
  return unpinned.map(
    ({ file, image }) =>
      `${file}: ${image} is not pinned. Append @ and the digest that this prints: docker buildx imagetools inspect --format '{{.Manifest.Digest}}' ${image}`,
  );
}

/** Those of `FROM` that are no stage of the file, with build arguments by their defaults. */
function baseImages(dockerfile: string): string[] {
  const defaults = new Map(
    [...dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)];
  const names = new Set(stages.map(([, , name]) => name));
  const images = stages.map(([, image = ""]) =>
    image.replace(/\$\{(\w+)\}/g, (_, name: string) => defaults.get(name) ?? ""),
  );
  return [...new Set(images.filter((image) => !names.has(image)))];
}

/** Of the services that are not built; `${NAME:-default}` is the default. */
function fetchedImages(compose: string): string[] {
  const { services } = parse(compose) as { services: Record<string, { image?: string }> };
  const built = /^gateway(?:-[\w-]+)?:/;
  return Object.values(services)
    .map(({ image = "" }) => image.replace(/^\$\{\w+:-(.*)\}$/, "$1"))
    .filter((image) => !built.test(image));
}

/** Licences that ask for no more than their text and a notice, which NOTICE and the packages have. */
const ALLOWED_LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
]);

/** Problems of the licences of what the npm package brings and downloads: one that is missing, or that is not allowed. */
export function licenceProblems(parts: readonly Pick<Part, "name" | "licences">[]): string[] {
  return parts.flatMap(({ name, licences }) => {
    if (licences.length === 0) return [`${name} names no licence.`];
    return licences
      .filter((licence) => !ALLOWED_LICENCES.has(licence))
      .map((licence) => `${name} has the licence ${licence}, which is not on the list.`);
  });
}

/** What `npm audit signatures --json` found. @param text its standard output */
export function signatureFindings(text: string): Findings {
  interface Unsigned {
    name: string;
    version: string;
  }
  const result = readJson(text) as { invalid?: Unsigned[]; missing?: Unsigned[] } | undefined;
  if (result?.invalid === undefined || result.missing === undefined) {
    return { problems: [], notes: [notVerified("Registry signatures of the packages", result)] };
  }
  const named = ({ name, version }: Unsigned, what: string) => `${name}@${version} has ${what}.`;
  return {
    problems: [
      ...result.invalid.map((one) => named(one, "an invalid registry signature")),
      ...result.missing.map((one) => named(one, "no registry signature")),
    ],
    notes: [],
  };
}

/** What `npm audit --omit=dev --json` found: high and critical advisories. @param text its standard output */
export function advisoryFindings(text: string): Findings {
  const result = readJson(text) as
    { vulnerabilities?: Record<string, { severity: string; range: string }> } | undefined;
  if (result?.vulnerabilities === undefined) {
    return { problems: [], notes: [notVerified("Advisories for the packages", result)] };
  }
  return {
    problems: Object.entries(result.vulnerabilities)
      .filter(([, { severity }]) => severity === "high" || severity === "critical")
      .map(([name, { severity, range }]) => `${name} ${range} has a ${severity} advisory.`),
    notes: [],
  };
}

function notVerified(what: string, result: object | undefined): string {
  const { message, error } = (result ?? {}) as { message?: string; error?: { summary?: string } };
  const reason = message ?? error?.summary ?? "npm gave no result";
  return `${what} are not verified: ${reason.split("\n")[0] ?? ""}`;
}

function readJson(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
