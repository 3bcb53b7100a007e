// Issuers of tokens (JWT) that clients of a listener may send in place of an API key. Plain data.
import type { Address } from "./address.ts";

export interface TokenIssuer {
  /** Claim `iss`, exactly. */
  issuer: string;
  /** One of them has to be in the claim `aud`. */
  audiences: string[];
  keySet: {
    url: string;
    address: Extract<Address, { kind: "host" }>;
  };
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
