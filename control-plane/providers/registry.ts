// The table of providers with one address: rows/ has them by kind. Those with several APIs are in clouds.ts; what their models
// refuse is in known-limits.ts.
import type { CredentialKind } from "../../contract/credentials.ts";
import { NO_CREDENTIAL } from "../../contract/credentials.ts";
import type { DialectRow } from "../../contract/dialects.ts";
import { OPENAI_RESPONSES } from "../../contract/dialects.ts";
import type { Address } from "../../model/model.ts";
import { CLOUDS, wordsOf } from "./clouds.ts";
import { chat, type Provider } from "./provider.ts";
import { HOSTS } from "./rows/hosts.ts";
import { LABS } from "./rows/labs.ts";
import { LOCAL } from "./rows/local.ts";
import { ROUTERS } from "./rows/routers.ts";

export type { Provider } from "./provider.ts";

export const PROVIDERS: readonly Provider[] = [
  ...LABS,
  ...HOSTS,
  ...ROUTERS,
  ...LOCAL,
  chat("demo", "Demonstration model", undefined, {
    embedded: true,
    auth: NO_CREDENTIAL,
    needsKey: false,
    source: "this gateway",
  }),
];

/** A word of `provider_interface`: which wire format and key header an address speaks. */
export interface ProviderInterface {
  dialect: DialectRow;
  auth: CredentialKind;
  asksForUsage: boolean;
}

/** The words of `provider_interface`: the provider names of the table, `claude`, and `openai_responses`. */
export const INTERFACES: ReadonlyMap<string, ProviderInterface> = new Map(
  [
    ...PROVIDERS.filter((provider) => provider.embedded !== true),
    { ...findProvider("anthropic"), name: "claude" } as Provider,
    {
      ...findProvider("openai"),
      name: OPENAI_RESPONSES.name,
      dialect: OPENAI_RESPONSES,
    } as Provider,
  ].map(({ name, dialect, auth, asksForUsage }) => [name, { dialect, auth, asksForUsage }]),
);

/** All words of `provider_interface`, those of clouds included. */
export const INTERFACE_WORDS: readonly string[] = [
  ...new Set([
    ...INTERFACES.keys(),
    ...CLOUDS.map(({ name }) => name),
    ...CLOUDS.flatMap((cloud) => wordsOf(cloud)),
  ]),
];

/** The names of all built-in providers. */
export const PROVIDER_NAMES: readonly string[] = [...PROVIDERS, ...CLOUDS].map(({ name }) => name);

/** The names of built-in providers by the words that other gateways have for them; in words, `-` is `_`. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  [...PROVIDERS, ...CLOUDS].flatMap(({ name, aliases = [] }) =>
    aliases.map((alias): [string, string] => [alias, name]),
  ),
);

/** Returns the name of the built-in provider that a word stands for: `zhipu` for `bigmodel`; undefined for any other word. */
export function builtInName(word: string): string | undefined {
  if (PROVIDER_NAMES.includes(word)) return word;
  const plain = word.replaceAll("-", "_");
  return PROVIDER_NAMES.includes(plain) ? plain : OTHER_NAMES.get(plain);
}

export function findProvider(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}

export interface Base {
  address: Address;
  /** `:authority`: the port only where it is not the scheme's own. */
  authority: string;
  /** Whole request path. */
  path: string;
}

/** What stands behind the address of a provider, where it is not the dialect's own. */
export interface OwnPath {
  /** The path of a base URL without one. */
  basePath?: string;
  endpoint?: string | undefined;
}

/**
 * Returns where a request goes, from a base URL that `isBaseUrl` accepts.
 *
 * The URL's path replaces the `basePath`: `/chat/completions` of OpenAI's format is added to it, `/v1/messages` of
 * Anthropic's (a `/v1` at its end is not doubled).
 */
export function baseOf(baseUrl: string, dialect: DialectRow, ownPath: OwnPath = {}): Base {
  const { basePath = dialect.basePath, endpoint = dialect.path.slice(dialect.basePath.length) } =
    ownPath;
  const url = new URL(baseUrl);
  const tls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (tls ? 443 : 80) : Number(url.port);
  const own = url.pathname.replace(/\/+$/, "");
  const prefix = own === "" ? basePath : own;
  const path = `${endpoint.startsWith("/v1/") ? prefix.replace(/\/v1$/, "") : prefix}${endpoint}`;
  return {
    address: { kind: "host", host, port, tls, serverName: host },
    authority: url.host,
    path,
  };
}
