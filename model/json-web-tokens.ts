// Issuers of tokens (JWT) that clients of a listener may send in place of an API key. Plain data.
import type { Address } from "./address.ts";

/**
 * Where the keys are that verify the tokens: `login` is the gateway's own login (login.ts), `unknown` an issuer whose discovery document
 * has not been read yet.
 */
export type KeySet = RemoteKeySet | "login" | "unknown";

export interface RemoteKeySet {
  url: string;
  address: Extract<Address, { kind: "host" }>;
}

/** Returns the key sets that issuers publish. */
export function remoteKeySets(
  listeners: readonly { tokens?: readonly TokenIssuer[] }[],
): RemoteKeySet[] {
  return listeners.flatMap(({ tokens = [] }) =>
    tokens.flatMap(({ keySet }) => (typeof keySet === "object" ? [keySet] : [])),
  );
}

export interface TokenIssuer {
  /** Claim `iss`, exactly. */
  issuer: string;
  /** One of them has to be in the claim `aud`. */
  audiences: string[];
  keySet: KeySet;
  /** Whether the issuer's discovery document says where its keys are. */
  isDiscovered?: true;
  /** By how much the clocks of issuer and gateway may differ. Seconds. */
  clockSkew: number;
  /** Where the payload has who the client is: names of members, each inside the one before. */
  claims: {
    name: string[];
    user: string[];
    groups?: string[];
    models?: string[];
    /** Of a session that can be ended before its tokens. */
    session?: string[];
  };
}

/** Returns the key set at a URL with http or https. */
export function keySetAt({ href, protocol, hostname, port }: URL): RemoteKeySet {
  const tls = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const usual = tls ? 443 : 80;
  return {
    url: href,
    address: {
      ...{ kind: "host", host, tls, serverName: host },
      port: port === "" ? usual : Number(port),
    },
  };
}

/** Returns the URL of the issuer's discovery document (OpenID Connect Discovery 1.0, section 4). */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}
