// The login of coding agents: people sign in at the identity provider from their terminal, and get a short-lived token. Plain data.
import type { TokenIssuer } from "./json-web-tokens.ts";

/** A text, number, boolean, null, list or mapping, as JSON has it. */
export type SettingsValue = unknown;
export type AgentSettings = Readonly<Record<string, SettingsValue>>;

export interface Login {
  /** Of the egress listener as the developers' machines use it, without a slash at its end. */
  url: string;
  /** Groups whose members may log in; `*` is everybody. */
  allowedGroups: string[];
  /** Scopes that the identity provider is asked for. */
  scopes: string[];
  /** Further parameters of the request to the identity provider. */
  parameters: Record<string, string>;
  /** How long a token is valid. */
  tokenMs: number;
  /** Text that Claude Code shows next to the code. */
  notice?: string;
  /** Claude Code's managed settings of everybody. */
  settings?: AgentSettings;
  /** Those of groups, in this order over the ones of everybody. */
  groupSettings: { groups: string[]; settings: AgentSettings }[];
}

/** The claims `iss` and `aud` of the tokens. */
export const LOGIN_ISSUER = "gateway-login";

/** Paths of the egress listener that the control plane serves. */
export const LOGIN_PATHS = {
  metadata: "/.well-known/oauth-authorization-server",
  device: "/oauth/device_authorization",
  token: "/oauth/token",
  revoke: "/oauth/revoke",
  page: "/device",
  /** As sign-in for the page has it, so that one redirect URI of a host is enough. */
  callback: "/sign-in/callback",
  settings: "/managed/settings",
  protocol: "/protocol",
  metrics: "/v1/metrics",
  logs: "/v1/logs",
  traces: "/v1/traces",
} as const;

/** Path of the keys that verify the tokens, for Envoy alone: no route of a listener leads to it. */
export const LOGIN_KEYS_PATH = "/keys";

/** Header with the address of the client, set by Envoy. */
export const LOGIN_CLIENT_HEADER = "x-gateway-client-address";

/** Tokens of the login, as an issuer of the egress listener. */
export const LOGIN_TOKENS: TokenIssuer = {
  issuer: LOGIN_ISSUER,
  audiences: [LOGIN_ISSUER],
  keySet: "login",
  // Gateway and issuer have the same clock; several gateways may differ by a little.
  clockSkew: 10,
  claims: { name: ["name"], user: ["name"], groups: ["groups"], session: ["sid"] },
};
