// Checks the signature of a request as AWS does: it is computed again from what has arrived.
import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface Arrived {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** SHA-256 in the form that the library expects. */
class Sha256 {
  readonly #hash: { update: (data: Uint8Array) => unknown; digest: () => Uint8Array };

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error("not supported");
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=[0-9a-f]{64}$/;

/** Returns why AWS would reject a POST request; undefined if its signature is right. */
export async function signatureFault(
  { path, headers, body }: Arrived,
  keys: AwsKeys,
  { region, service }: { region: string; service: string },
): Promise<string | undefined> {
  const authorization = one(headers["authorization"]);
  const [, keyId, , signedRegion, signedService, names = ""] =
    AUTHORIZATION.exec(authorization) ?? [];
  if (keyId === undefined) return `no signature: ${authorization}`;
  if (keyId !== keys.accessKeyId) return `the key id is ${keyId}`;
  if (signedRegion !== region || signedService !== service)
    return `signed for ${signedService ?? ""} in ${signedRegion ?? ""}`;
  const signed = names.split(";").filter((name) => !name.startsWith("x-amz-"));
  if (!signed.includes("host")) return "host is not signed";
  const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256 });
  const url = new URL(path, "http://fake");
  const expected = await signer.sign(
    {
      method: "POST",
      protocol: "http:",
      hostname: one(headers["host"]),
      path: path.split("?", 1)[0] ?? "",
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(signed.map((name) => [name, one(headers[name])])),
      body,
    },
    { signingDate: dateOf(one(headers["x-amz-date"])) },
  );
  const differs = ["authorization", "x-amz-content-sha256", "x-amz-security-token"].find(
    (name) => squeeze(expected.headers[name]) !== squeeze(one(headers[name])),
  );
  return differs === undefined ? undefined : `${differs} is ${one(headers[differs])}`;
}

/** Returns a header that may come once; two values are joined, so that they match nothing. */
function one(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(" and ") : (value ?? "");
}

/** Spaces between the parts of the header are free. */
function squeeze(value: string | undefined): string {
  return (value ?? "").replaceAll(", ", ",");
}

/** Reads `20261122T201500Z`. */
function dateOf(text: string): Date {
  return new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}
