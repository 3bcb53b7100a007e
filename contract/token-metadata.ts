// What Envoy's jwt_authn writes about a client's token, for the WASM filter, and what a client reads if the token is rejected.
// Compiled by tsc and asc.

/** The filter, and the namespace of its metadata. */
export const TOKEN_METADATA = "envoy.filters.http.jwt_authn";
/**
 * Around the index of the issuer: the request header in which Envoy writes the payload of a token that it has verified, and which it
 * removes from a client's request before. It names a credential, so that no log shows its value.
 */
export const PAYLOAD_HEADER_BEGIN = "x-gateway-payload-";
export const PAYLOAD_HEADER_END = "-token";
/** Metadata, followed by the index of the issuer: object with the reason of its last failure in `message`. */
export const FAILURE = "failure";

/** How `authorization` begins where Envoy reads a token of it; it compares case. */
export const TOKEN_SCHEMES = ["Bearer ", "bearer "];

/** A longer claim is rejected. Bytes of UTF-8, in which what JSON escapes counts twice. */
export const MAX_CLAIM_BYTES = 200;
/** So is a token with more groups, or more models. */
export const MAX_CLAIM_ITEMS = 32;

export class TokenFailure {
  /** Envoy's text begins with it. */
  text: string;
  /** 0: there is no token. */
  status: number;
  /** For the client: what is wrong, and what to do. */
  message: string;

  constructor(text: string, status: number, message: string) {
    this.text = text;
    this.status = status;
    this.message = message;
  }
}

/** Envoy's text for a token of another issuer. */
export const OTHER_ISSUER = "Jwt issuer";

/** The first match counts; the last one matches all. */
export const TOKEN_FAILURES: TokenFailure[] = [
  new TokenFailure("Jwt is missing", 0, ""),
  // What an API key is.
  new TokenFailure("Jwt is not in the form", 0, ""),
  new TokenFailure("Jwt is expired", 401, "The token has expired. Get a new one."),
  new TokenFailure(
    "Jwt not yet valid",
    401,
    "The token is not valid yet (nbf). Check the clock of its issuer.",
  ),
  new TokenFailure(
    "Audiences",
    403,
    "The token is for another audience (aud). Get one for an audience of this gateway.",
  ),
  new TokenFailure(
    "Jwks remote",
    503,
    "The gateway does not have the keys of the token's issuer. Retry in a moment.",
  ),
  new TokenFailure(
    "Jwks doesn't",
    401,
    "The token is signed with a key that its issuer does not publish (kid). Retry in 30 s if the key is new.",
  ),
  new TokenFailure("Jwt verification", 401, "The signature of the token is wrong."),
  new TokenFailure(
    OTHER_ISSUER,
    401,
    "The issuer of the token (iss) is not one of this listener's.",
  ),
  new TokenFailure("", 401, "The token is not valid."),
];
