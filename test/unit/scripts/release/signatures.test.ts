// Signatures of release files: those of openssl and ours verify each other, and nothing that was changed passes.
import { execFileSync, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  readKey,
  signatureProblems,
  signFolder,
  SUMS,
} from "../../../../scripts/release/signatures.ts";

const pair = (namedCurve: string) =>
  generateKeyPairSync("ec", {
    namedCurve,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
const KEYS = pair("P-256");
const PUBLIC = readKey(KEYS.publicKey, "public");
const FILES = { "filter.wasm": "\0asm", "gateway-1.tgz": "package", "sbom.cdx.json": "{}" };

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-release-"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(at(name), text);
  signFolder(folder, readKey(KEYS.privateKey, "private"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it("signed files verify with the public key", () => {
  expect(signatureProblems(folder, PUBLIC)).toEqual([]);
  expect(readFileSync(at(SUMS), "utf8").trim().split("\n")).toHaveLength(3);
});

it("files that are signed twice verify, and sums and signatures are not signed as files", () => {
  expect(signFolder(folder, readKey(KEYS.privateKey, "private"))).toEqual(Object.keys(FILES));
  expect(signatureProblems(folder, PUBLIC)).toEqual([]);
});

it.each(Object.keys(FILES))("a changed byte of %s fails, by signature and by hash", (name) => {
  const bytes = readFileSync(at(name));
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  writeFileSync(at(name), bytes);
  expect(signatureProblems(folder, PUBLIC)).toEqual([
    expect.stringMatching(`^${name} does not fit its signature`),
    `${name} has another hash than ${SUMS} says.`,
  ]);
});

it("a changed hash fails, because the list of hashes is signed", () => {
  writeFileSync(at(SUMS), readFileSync(at(SUMS), "utf8").replace(/^./, "x"));
  expect(signatureProblems(folder, PUBLIC)).toContainEqual(
    expect.stringMatching(`^${SUMS} does not fit its signature`),
  );
});

it("a file that is missing, added, or without a signature fails", () => {
  rmSync(at("filter.wasm"));
  rmSync(at("sbom.cdx.json.sig"));
  writeFileSync(at("another"), "");
  expect(signatureProblems(folder, PUBLIC)).toEqual([
    "another has no signature.",
    "sbom.cdx.json has no signature.",
    `filter.wasm is in ${SUMS}, but is missing.`,
    `another is not in ${SUMS}.`,
  ]);
  rmSync(at(SUMS));
  expect(signatureProblems(folder, PUBLIC)).toEqual([`${SUMS} is missing.`]);
});

it("a signature of another key, and one that is no signature, fails", () => {
  const other = readKey(pair("P-256").publicKey, "public");
  expect(signatureProblems(folder, other)).toHaveLength(4);
  writeFileSync(at("filter.wasm.sig"), "no base64 at all");
  expect(signatureProblems(folder, PUBLIC)).toHaveLength(1);
});

it("openssl verifies our signatures, and ours are verified as openssl makes them", () => {
  const [key, pub, raw] = [at("k"), at("p"), at("s")];
  writeFileSync(key, KEYS.privateKey);
  writeFileSync(pub, KEYS.publicKey);
  writeFileSync(raw, Buffer.from(readFileSync(at("filter.wasm.sig"), "utf8"), "base64"));
  const verify = (file: string) =>
    spawnSync("openssl", ["dgst", "-sha256", "-verify", pub, "-signature", raw, file]).status;
  expect(verify(at("filter.wasm"))).toBe(0);
  expect(verify(at("gateway-1.tgz"))).not.toBe(0);
  const made = execFileSync("openssl", ["dgst", "-sha256", "-sign", key, at("filter.wasm")]);
  writeFileSync(at("filter.wasm.sig"), made.toString("base64"));
  for (const file of [key, pub, raw]) rmSync(file);
  expect(signatureProblems(folder, PUBLIC)).toEqual([]);
});

it("a key of another curve and a file that is no key are rejected, without their text", () => {
  expect(() => readKey(pair("P-384").privateKey, "private")).toThrow(/not .* of P-256/);
  expect(() => readKey("-----BEGIN secret", "private")).toThrow(/^(?!.*secret).*cannot be read/);
});
