// The tokens of the login. An access token is a JWT (RFC 7519) that Envoy verifies; a refresh token is opaque, and holds the one of the
// identity provider, encrypted. Both need nothing but the secrets, so every gateway with them accepts the tokens of the others.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { LOGIN_ISSUER } from "../../model/login.ts";
import { isSame } from "../observability/sign-in/page-session.ts";

/** Who has logged in. */
export interface LoggedIn {
  /** Of the session, which begins with the login and ends with the logout. */
  session: string;
  /** The claim `sub` of the identity provider. */
  subject: string;
  name: string;
  groups: string[];
}

/** What a refresh token holds. */
export interface Refreshable extends LoggedIn {
  /** The refresh token of the identity provider. */
  token: string;
}

interface Key {
  id: string;
  signs: Buffer;
  encrypts: Buffer;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** So that scanners for secrets recognise one. */
const REFRESH_BEGINNING = "gwr_";

export class TokenKeys {
  readonly #keys: readonly Key[];

  /** @param secrets the first one signs, all are accepted */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => ({
      id: derived(secret, "id").toString("hex").slice(0, 16),
      signs: derived(secret, "access tokens"),
      encrypts: derived(secret, "refresh tokens"),
    }));
  }

  /** Returns the keys as Envoy reads them. They are secret: whoever has them can make tokens. */
  keySet(): { keys: Record<string, string>[] } {
    return {
      keys: this.#keys.map(({ id, signs }) => ({
        ...{ kty: "oct", alg: "HS256", use: "sig", kid: id },
        k: signs.toString("base64url"),
      })),
    };
  }

  /** @param now seconds since 1970 */
  accessToken({ session, subject, name, groups }: LoggedIn, now: number, lifetime: number): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("there is no secret to sign with");
    const claims = {
      ...{ iss: LOGIN_ISSUER, aud: LOGIN_ISSUER, sub: subject, name },
      ...(groups.length === 0 ? {} : { groups }),
      ...{ sid: session, iat: Math.floor(now), exp: Math.floor(now + lifetime) },
    };
    const text = [{ alg: "HS256", typ: "JWT", kid: key.id }, claims].map(encoded).join(".");
    return `${text}.${signature(text, key)}`;
  }

  /** Returns whose token it is; undefined if it was not issued here or has expired. */
  readAccessToken(token: string, now: number): LoggedIn | undefined {
    const [head = "", body = "", sent = "", ...more] = token.split(".");
    const isOwn = this.#keys.some((key) => isSame(sent, signature(`${head}.${body}`, key)));
    if (!isOwn || more.length > 0) return undefined;
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
    if (claims.exp <= now) return undefined;
    const { sid: session, sub: subject, name, groups = [] } = claims;
    return { session, subject, name, groups };
  }

  refreshToken(refreshable: Refreshable): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("there is no secret to encrypt with");
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key.encrypts, nonce);
    const text = Buffer.concat([cipher.update(JSON.stringify(refreshable)), cipher.final()]);
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), text]);
    return REFRESH_BEGINNING + bytes.toString("base64url");
  }

  /** Returns what the token holds; undefined if it was not issued here. */
  readRefreshToken(token: string): Refreshable | undefined {
    if (!token.startsWith(REFRESH_BEGINNING)) return undefined;
    const bytes = Buffer.from(token.slice(REFRESH_BEGINNING.length), "base64url");
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    for (const { encrypts } of this.#keys) {
      const text = decrypted(bytes, encrypts);
      if (text !== undefined) return JSON.parse(text) as Refreshable;
    }
    return undefined;
  }
}

interface Claims {
  sid: string;
  sub: string;
  name: string;
  groups?: string[];
  /** Seconds since 1970. */
  exp: number;
}

function decrypted(bytes: Buffer, key: Buffer): string | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const text = cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, cipher.final()]).toString();
  } catch {
    return undefined;
  }
}

/** @param use keeps the key of one use from another */
function derived(secret: string, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `gateway login ${use}`, 32));
}

function signature(text: string, { signs }: Key): string {
  return createHmac("sha256", signs).update(text).digest("base64url");
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
