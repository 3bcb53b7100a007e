// Issuers of tokens (JWT) that clients of a listener may send in place of an API key. Plain data.
import type { Address } from "./address.ts";

/** Where the keys are that verify the tokens: `login` is the gateway's own login (login.ts). */
export type KeySet = RemoteKeySet | "login";

export interface RemoteKeySet {
  url: string;
  address: Extract<Address, { kind: "host" }>;
}

/** Returns the key sets that issuers publish. */
export function remoteKeySets(
  listeners: readonly { tokens?: readonly TokenIssuer[] }[],
): RemoteKeySet[] {
  return listeners.flatMap(({ tokens = [] }) =>
    tokens.flatMap(({ keySet }) => (keySet === "login" ? [] : [keySet])),
  );
}

export interface TokenIssuer {
  /** Claim `iss`, exactly. */
  issuer: string;
  /** One of them has to be in the claim `aud`. */
  audiences: string[];
  keySet: KeySet;
  /** By how much the clocks of issuer and gateway may differ. Seconds. */
  clockSkew: number;
  /** Where the payload has who the client is: names of members, each inside the one before. */
  claims: {
    name: string[];
    user: string[];
    groups?: string[];
    models?: string[];
  };
}
