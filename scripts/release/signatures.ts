// Signatures of release files, as `cosign sign-blob --key` makes them: ECDSA on P-256 with SHA-256 over the file, base64, in
// FILE.sig. `cosign verify-blob` and openssl verify them too (docs/releases.md).
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "../../control-plane/report/gateway-error.ts";

/** The names of all files with their hashes, as sha256sum writes them; it is signed as well. */
export const SUMS = "SHA256SUMS";
const SIGNATURE = ".sig";

/** Returns a private or a public key of P-256, which is the curve that cosign accepts. @param pem its text */
export function readKey(pem: string, kind: "private" | "public"): KeyObject {
  let key: KeyObject;
  try {
    key = kind === "private" ? createPrivateKey(pem) : createPublicKey(pem);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new GatewayError(`The ${kind} key cannot be read: ${reason}.`, {
      hint: "It is a PEM file without a password: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out release.key",
    });
  }
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw new GatewayError(`The ${kind} key is not an elliptic curve key of P-256.`);
}

/** Signs every file in the folder, and the list of their hashes. Signatures of before are replaced. */
export function signFolder(folder: string, key: KeyObject): string[] {
  const files = artefacts(folder);
  const sums = files.map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, SUMS), sums.join(""));
  for (const name of [...files, SUMS]) {
    const signature = sign("sha256", readFileSync(join(folder, name)), key);
    writeFileSync(join(folder, `${name}${SIGNATURE}`), `${signature.toString("base64")}\n`);
  }
  return files;
}

/** Returns what is wrong with the files of a folder, in sentences. A private key serves as well as its public one. */
export function signatureProblems(folder: string, key: KeyObject): string[] {
  const files = artefacts(folder);
  if (!existsSync(join(folder, SUMS))) return [`${SUMS} is missing.`];
  const sums = readFileSync(join(folder, SUMS), "utf8");
  const listed = [...sums.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, sum, name]) => {
    return { sum, name: name ?? "" };
  });
  return [
    ...[SUMS, ...files].flatMap((name) => signatureProblem(folder, name, key)),
    ...listed
      .filter(({ name }) => !files.includes(name))
      .map(({ name }) => `${name} is in ${SUMS}, but is missing.`),
    ...files
      .filter((name) => !listed.some((one) => one.name === name))
      .map((name) => `${name} is not in ${SUMS}.`),
    ...listed
      .filter(({ name, sum }) => files.includes(name) && sum !== sha256(join(folder, name)))
      .map(({ name }) => `${name} has another hash than ${SUMS} says.`),
  ];
}

function signatureProblem(folder: string, name: string, key: KeyObject): string[] {
  const file = join(folder, `${name}${SIGNATURE}`);
  if (!existsSync(file)) return [`${name} has no signature.`];
  const signature = Buffer.from(readFileSync(file, "utf8"), "base64");
  const isRight = verify("sha256", readFileSync(join(folder, name)), key, signature);
  return isRight
    ? []
    : [`${name} does not fit its signature: it was changed, or signed by another key.`];
}

function artefacts(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== SUMS && !name.endsWith(SIGNATURE))
    .sort();
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
