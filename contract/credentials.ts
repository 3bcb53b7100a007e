// The ways to send a key to a provider: one row for each. Compiled by tsc and asc.

export class CredentialKind {
  /** The name in the filter's configuration and in the names of clusters. */
  name: string = "";
  /** Request header, lower case; empty for none. */
  header: string = "";
  /** What stands before the key in the header's value. */
  prefix: string = "";
}

/** The provider requires no key, or the client sends its own. */
export const NO_CREDENTIAL: CredentialKind = { name: "none", header: "", prefix: "" };

/** RFC 6750; OpenAI and most providers. */
export const BEARER: CredentialKind = {
  name: "bearer",
  header: "authorization",
  prefix: "Bearer ",
};

/** Anthropic. */
export const X_API_KEY: CredentialKind = { name: "x_api_key", header: "x-api-key", prefix: "" };

/** Azure OpenAI. */
export const API_KEY: CredentialKind = { name: "api_key", header: "api-key", prefix: "" };

/** Google's Gemini API. */
export const X_GOOG_API_KEY: CredentialKind = {
  name: "x_goog_api_key",
  header: "x-goog-api-key",
  prefix: "",
};

export const CREDENTIAL_KINDS: CredentialKind[] = [
  NO_CREDENTIAL,
  BEARER,
  X_API_KEY,
  API_KEY,
  X_GOOG_API_KEY,
];
