// What is said of the files of a listener's certificate.
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../../control-plane/config/load.ts";
import { formatProblem } from "../../../../../control-plane/report/problem.ts";
import { createAuthority } from "../../../../gateway/certificates.ts";
import type { Certificate } from "../../../../gateway/certificates.ts";

const DAY = 24 * 3_600_000;
const authority = createAuthority();
const good = authority.issueFor(["one.test"], [-DAY, 90 * DAY]);
const other = authority.issueFor(["other.test"], [-DAY, 90 * DAY]);

const TEXT = `
listeners:
  egress:
    tls: {certificate: tls/tls.crt, key: $TLS_KEY_FILE}
llm_providers: [{model: demo/gateway-demo}]
`;

function load(files: Partial<Certificate>) {
  const byPath = new Map([
    ["/etc/gateway/tls/tls.crt", files.cert],
    ["/etc/gateway/tls.key", files.key],
  ]);
  return loadConfiguration(
    { file: "gateway.yaml", text: TEXT },
    { TLS_KEY_FILE: "tls.key" },
    {
      directory: "/etc/gateway",
      readFile: (path) => {
        const text = byPath.get(path);
        if (text === undefined) throw Object.assign(new Error("missing"), { code: "ENOENT" });
        return text;
      },
      now: new Date(),
    },
  );
}

function said(files: Partial<Certificate>): string {
  const result = load(files);
  return (result.ok ? result.warnings : result.problems).map(formatProblem).join("\n");
}

it("a pair that can serve is taken, its paths relative to the configuration", () => {
  const result = load(good);
  if (!result.ok) throw new Error(said(good));
  expect(result.warnings).toEqual([]);
  expect(result.model.egress.tls).toEqual({
    certificate: "/etc/gateway/tls/tls.crt",
    key: "/etc/gateway/tls.key",
  });
});

const pemOf = (kind: "ed25519" | "rsa" | "ec", options: object = {}): string =>
  (generateKeyPairSync as (kind: string, options: object) => { privateKey: string })(kind, {
    ...options,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: {
      type: "pkcs8",
      format: "pem",
      ...(options as { encryption?: object }).encryption,
    },
  }).privateKey;

describe("a pair that cannot serve is a problem", () => {
  const cases: [string, Partial<Certificate>, RegExp][] = [
    ["no files", {}, /tls\.certificate: there is no such file: \/etc\/gateway\/tls\/tls\.crt/],
    ["another key", { key: other.key }, /tls\.key: the file is not the key of the certificate/],
    [
      "a chain in the wrong order",
      { cert: other.cert + good.cert },
      /not the key of the certificate\n +the server's own certificate has to be the first/,
    ],
    ["no certificate", { cert: "hello" }, /certificate: the file is no certificate in PEM form/],
    ["a key as certificate", { cert: other.key }, /holds a private key, no certificate/],
    ["no key", { key: "hello" }, /tls\.key: the file is not a private key in PEM format/],
    [
      "an encrypted key",
      {
        key: pemOf("rsa", {
          modulusLength: 2048,
          encryption: { cipher: "aes-256-cbc", passphrase: "x" },
        }),
      },
      /tls\.key: the file is encrypted/,
    ],
    ["a short RSA key", { key: pemOf("rsa", { modulusLength: 1024 }) }, /less than 2048 bits/],
    ["another curve", { key: pemOf("ec", { namedCurve: "secp256k1" }) }, /an unsupported curve/],
    ["another kind", { key: pemOf("ed25519") }, /neither an RSA nor an EC key/],
    [
      "expired",
      authority.issueFor(["x.test"], [-2 * DAY, -DAY]),
      /has expired: it was valid until 20/,
    ],
    ["too early", authority.issueFor(["x.test"], [DAY, 2 * DAY]), /is not valid before 20/],
  ];
  it.each(cases)("%s", (name, change, expected) => {
    const files = name === "no files" ? {} : { ...good, ...change };
    expect(load(files).ok).toBe(false);
    expect(said(files)).toMatch(expected);
    expect(said(files)).not.toContain("BEGIN");
  });
});

it("a certificate that ends soon is a warning", () => {
  const files = authority.issueFor(["one.test"], [-DAY, 3 * DAY]);
  expect(load(files).ok).toBe(true);
  expect(said(files)).toMatch(/the certificate is valid until 20\S+ only\n +renew it/);
});
