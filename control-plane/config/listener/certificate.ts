// Whether a certificate and a private key can serve clients: readable, of each other, of this time, of a kind that Envoy takes.
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { KeyObject } from "node:crypto";

interface CertificateFault {
  /** Which of the two files it is in. */
  part: "certificate" | "key";
  /** The end of a sentence that begins with the file. */
  message: string;
  hint?: string;
}

export interface CertificateReport {
  faults: CertificateFault[];
  /** When it ends; absent where it cannot be read. */
  validTo?: Date;
}

/** BoringSSL refuses others. */
const MIN_RSA_BITS = 2048;
const CURVES = ["prime256v1", "secp384r1", "secp521r1"];

/** @param now the time at which it has to be valid */
export function checkCertificate(chain: string, keyText: string, now: Date): CertificateReport {
  const certificate = readCertificate(chain);
  const key = readKey(keyText);
  const faults = [certificate, key].flatMap((found) => ("message" in found ? [found] : []));
  if ("message" in certificate) return { faults };
  const { validFromDate: from, validToDate: validTo } = certificate;
  if (validTo < now) {
    faults.push({
      part: "certificate",
      message: `has expired: it was valid until ${day(validTo)}`,
    });
  } else if (from > now) {
    faults.push({ part: "certificate", message: `is not valid before ${day(from)}` });
  }
  if (!("message" in key)) {
    const fault =
      unfitKey(key) ?? (certificate.checkPrivateKey(key) ? undefined : mismatch(chain, key));
    if (fault !== undefined) faults.push(fault);
  }
  return { faults, validTo };
}

/** `2026-01-31`. */
export function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function readCertificate(text: string): X509Certificate | CertificateFault {
  try {
    return new X509Certificate(text);
  } catch {
    const isKey = text.includes("PRIVATE KEY-----");
    const message = isKey ? "holds a private key, no certificate" : "is no certificate in PEM form";
    return { part: "certificate", message };
  }
}

function readKey(text: string): KeyObject | CertificateFault {
  const part = "key";
  if (text.includes("ENCRYPTED")) {
    const hint = "take the password off: openssl pkey -in encrypted.key -out plain.key";
    return { part, message: "is encrypted; encrypted keys are not supported", hint };
  }
  try {
    return createPrivateKey(text);
  } catch {
    return { part, message: "is not a private key in PEM format" };
  }
}

function unfitKey({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject) {
  const part = "key" as const;
  if (kind === "rsa" && (details?.modulusLength ?? 0) < MIN_RSA_BITS) {
    return { part, message: `is an RSA key of less than ${MIN_RSA_BITS} bits` };
  }
  if (kind === "ec" && !CURVES.includes(details?.namedCurve ?? "")) {
    return {
      part,
      message: "is an EC key with an unsupported curve; supported are P-256, P-384 and P-521",
    };
  }
  if (kind === "rsa" || kind === "ec") return undefined;
  return { part, message: "is neither an RSA nor an EC key" };
}

function mismatch(chain: string, key: KeyObject): CertificateFault {
  const pieces = chain.split(/(?=-----BEGIN CERTIFICATE-----)/).slice(1);
  const isLater = pieces.some((piece) => {
    const other = readCertificate(piece);
    return !("message" in other) && other.checkPrivateKey(key);
  });
  const hint = isLater ? "the server's own certificate has to be the first in its file" : undefined;
  const message = "is not the key of the certificate";
  return { part: "key", message, ...(hint === undefined ? {} : { hint }) };
}
