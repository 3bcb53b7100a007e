// A certificate authority and server certificates, made for one test: X.509 in DER, with Node's keys and signatures.
// https://www.rfc-editor.org/rfc/rfc5280#section-4.1
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isIPv4 } from "node:net";

export interface Certificate {
  /** PEM. */
  cert: string;
  /** PEM of the private key. */
  key: string;
}

export interface Authority extends Certificate {
  /** A server certificate for these DNS names and IPv4 addresses. */
  issue(...names: string[]): Certificate;
  /** The same, valid from and until these times, in milliseconds from now. */
  issueFor(names: string[], validity: [number, number]): Certificate;
  /** The same, signed by its own key instead of the authority's. */
  issueSelfSigned(...names: string[]): Certificate;
  /** The same, valid until an hour ago. */
  issueExpired(...names: string[]): Certificate;
}

const OIDS = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  keyUsage: [0x55, 0x1d, 0x0f],
  subjectAltName: [0x55, 0x1d, 0x11],
} as const;

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  // The shortest form of a length is the only one that is DER.
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (name: keyof typeof OIDS): Buffer => der(0x06, Buffer.from(OIDS[name]));
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);
const yes = der(0x01, Buffer.from([0xff]));

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid("commonName"), der(0x0c, Buffer.from(commonName)))));
}

function time(offsetMs: number): Buffer {
  const text = new Date(Date.now() + offsetMs).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}

function extension(name: keyof typeof OIDS, value: Uint8Array, isCritical: boolean): Buffer {
  return sequence(oid(name), ...(isCritical ? [yes] : []), der(0x04, value));
}

interface Request {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signingKey: KeyObject;
  extensions: Buffer[];
  /** From and until when it is valid, seen from now. Milliseconds. */
  validity?: [number, number];
}

const HOUR = 3_600_000;

function certify({
  subject,
  issuer,
  publicKey,
  signingKey,
  extensions,
  validity,
}: Request): string {
  const algorithm = sequence(oid("ecdsaWithSha256"));
  const serial = randomBytes(15);
  const [from, until] = validity ?? [-HOUR, HOUR];
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), serial),
    algorithm,
    nameOf(issuer),
    sequence(time(from), time(until)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", toBeSigned, signingKey);
  return pem(sequence(toBeSigned, algorithm, bits(signature)));
}

function pem(bytes: Buffer): string {
  // An empty line before the end would not be PEM.
  const lines = (bytes.toString("base64").match(/.{1,64}/g) ?? []).join("\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

export function createAuthority(name = "The test's own authority"): Authority {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const privatePem = (key: KeyObject): string =>
    key.export({ type: "pkcs8", format: "pem" }).toString();
  const issue = (
    names: string[],
    validity: [number, number],
    isSelfSigned = false,
  ): Certificate => {
    const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const alternatives = names.map((one) =>
      isIPv4(one)
        ? der(0x87, Buffer.from(one.split(".").map(Number)))
        : der(0x82, Buffer.from(one)),
    );
    const cert = certify({
      subject: names[0] ?? "server",
      issuer: isSelfSigned ? (names[0] ?? "server") : name,
      publicKey: pair.publicKey,
      signingKey: isSelfSigned ? pair.privateKey : privateKey,
      extensions: [extension("subjectAltName", sequence(...alternatives), false)],
      validity,
    });
    return { cert, key: privatePem(pair.privateKey) };
  };
  return {
    cert: certify({
      subject: name,
      issuer: name,
      publicKey,
      signingKey: privateKey,
      extensions: [
        extension("basicConstraints", sequence(yes), true),
        // keyCertSign and cRLSign.
        extension("keyUsage", der(0x03, Buffer.from([1, 0x06])), true),
      ],
    }),
    key: privatePem(privateKey),
    issueFor: issue,
    issue: (...names) => issue(names, [-HOUR, HOUR]),
    issueSelfSigned: (...names) => issue(names, [-HOUR, HOUR], true),
    issueExpired: (...names) => issue(names, [-2 * HOUR, -HOUR]),
  };
}
