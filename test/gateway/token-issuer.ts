// An issuer of tokens for tests: keys, its key set over HTTP, and tokens with any header and payload.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer } from "node:http";
import { listen } from "../providers/listen.ts";

const KEYS_PATH = "/keys";
const DOCUMENT_PATH = "/.well-known/openid-configuration";

export interface SigningKey {
  kid: string;
  algorithm: "RS256" | "ES256";
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export interface TestIssuer {
  issuer: string;
  /** Its discovery document; undefined: responds with 503. */
  document: object | undefined;
  keySetUrl: string;
  /** The keys that it publishes. */
  published: SigningKey[];
  /** Responses with 503 while it is true. */
  isDown: boolean;
  fetches: number;
  stop: () => Promise<void>;
}

export function signingKey(kid: string, algorithm: SigningKey["algorithm"]): SigningKey {
  const pair =
    algorithm === "RS256"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { kid, algorithm, ...pair };
}

/** @param name the claim `iss` of its tokens; undefined: its own URL */
export async function startIssuer(
  name: string | undefined,
  published: SigningKey[],
): Promise<TestIssuer> {
  const issuer: TestIssuer = {
    issuer: "",
    document: undefined,
    keySetUrl: "",
    published,
    isDown: false,
    fetches: 0,
    stop: () => server.stop(),
  };
  const server = await listen(
    createServer((request, response) => {
      if (request.url !== KEYS_PATH) {
        const isFound = issuer.document !== undefined && request.url === DOCUMENT_PATH;
        response.writeHead(isFound ? 200 : 503, { "content-type": "application/json" });
        response.end(JSON.stringify(issuer.document ?? {}));
        return;
      }
      issuer.fetches += 1;
      if (issuer.isDown) {
        response.writeHead(503).end();
        return;
      }
      const keys = issuer.published.map(({ kid, algorithm, publicKey }) => ({
        ...publicKey.export({ format: "jwk" }),
        kid,
        alg: algorithm,
        use: "sig",
      }));
      response.writeHead(200, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify({ keys }));
    }),
  );
  const url = `http://127.0.0.1:${String(server.port)}`;
  issuer.issuer = name ?? url;
  issuer.keySetUrl = url + KEYS_PATH;
  issuer.document = { issuer: issuer.issuer, jwks_uri: issuer.keySetUrl };
  return issuer;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Returns a signed token. */
export function tokenOf(key: SigningKey, payload: object): string {
  const text = `${encode({ alg: key.algorithm, kid: key.kid, typ: "JWT" })}.${encode(payload)}`;
  const signature = sign("sha256", Buffer.from(text), {
    key: key.privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${text}.${signature.toString("base64url")}`;
}

/** Returns a token without a signature. */
export function unsignedToken(payload: object): string {
  return `${encode({ alg: "none", typ: "JWT" })}.${encode(payload)}.`;
}

/** Returns a token whose secret is the public key, which a verifier that trusts `alg` accepts. */
export function confusedToken(key: SigningKey, payload: object): string {
  const text = `${encode({ alg: "HS256", kid: key.kid, typ: "JWT" })}.${encode(payload)}`;
  const secret = key.publicKey.export({ format: "pem", type: "spki" });
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
