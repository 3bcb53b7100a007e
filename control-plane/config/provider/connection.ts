// Where the requests of one entry go and in which wire format: the provider's row in the table, or `base_url` and `provider_interface`.
import { isIP } from "node:net";
import { OPENAI_CHAT, OPENAI_RESPONSES } from "../../../contract/dialects.ts";
import type { Target } from "../../ir/model.ts";
import { findCloud, wordsOf } from "../../providers/clouds.ts";
import type { Cloud } from "../../providers/clouds.ts";
import {
  INTERFACES,
  INTERFACE_WORDS,
  OTHER_NAMES,
  PROVIDER_NAMES,
  UNSUPPORTED_PROVIDERS,
  baseOf,
} from "../../providers/registry.ts";
import type { Provider, ProviderInterface } from "../../providers/registry.ts";
import { refuseAddressKeys } from "./address-keys.ts";
import { checkBaseUrl, checkHost } from "./base-url.ts";
import { readCloudConnection } from "./cloud-connection.ts";
import { nativeApi } from "../diagnostics/not-supported-yet.ts";
import type { Path } from "../diagnostics/problem.ts";
import { showWord } from "../reading.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";
import { suggest, suggestion } from "../diagnostics/suggest.ts";

export interface Connection
  extends ProviderInterface, Pick<Target, "address" | "authority" | "path" | "query"> {
  /** Request path of the Responses API at the same base URL, for a provider of chat completions. */
  responsesPath?: string;
  /** Whether the provider is known to serve it. */
  servesResponses: boolean;
}

type Entry = ProviderDraft;

type Place = Pick<Connection, "address" | "authority">;

/** The control plane serves the demonstration model itself. */
const EMBEDDED: Pick<Connection, "address" | "authority"> = {
  address: { kind: "embedded" },
  authority: "demo.gateway.internal",
};

/** Returns undefined if the entry is incomplete; then a problem was reported. `split`: its `model`. */
export function readConnection(
  reading: Reading,
  path: Path,
  entry: Entry,
  split: { provider: string; model: string } | undefined,
  provider: Provider | undefined,
): Connection | undefined {
  const cloud = cloudOf(entry, split?.provider);
  if (cloud === undefined)
    refuseAddressKeys(reading, path, entry, split?.provider ?? "the provider", []);
  if (provider?.embedded === true) {
    refuseForEmbedded(reading, path, entry);
    const { path: own } = provider.dialect;
    return { ...protocolOf(provider), ...EMBEDDED, path: own, servesResponses: false };
  }
  const baseUrl = checkBaseUrl(reading, [...path, "base_url"], entry.base_url);
  const host = checkHost(reading, [...path, "http_host"], entry.http_host);
  const connection =
    cloud === undefined || split === undefined
      ? readOwn(reading, path, entry, { name: split?.provider, provider, baseUrl })
      : readCloudConnection(reading, path, entry, cloud, { ...split, baseUrl });
  return connection === undefined ? undefined : { ...connection, ...withHost(connection, host) };
}

/** Returns the cloud of an entry: by its provider's name, or by its interface. */
export function cloudOf(
  { provider_interface: word, base_url: baseUrl }: Entry,
  name: string | undefined,
): Cloud | undefined {
  const own = findCloud(name);
  if (own === undefined) return findCloud(word);
  // Behind a gateway of the user's there can be another format.
  const isOther = word !== undefined && word !== name && !wordsOf(own).includes(word);
  return isOther && baseUrl !== undefined && INTERFACES.has(word) ? undefined : own;
}

/** Reads the connection of a provider with one API. */
function readOwn(
  reading: Reading,
  path: Path,
  entry: Entry,
  {
    name,
    provider,
    baseUrl,
  }: { name: string | undefined; provider: Provider | undefined; baseUrl: string | undefined },
): Connection | undefined {
  const chosen = readInterface(reading, path, entry.provider_interface);
  if (name === undefined) return undefined;
  if (provider === undefined) reportUnknown(reading, path, entry, name);
  else if (entry.base_url === undefined) checkOwnAddress(reading, path, provider, chosen);
  const spoken = chosen ?? (entry.provider_interface === undefined ? provider : undefined);
  const base = baseUrl ?? (entry.base_url === undefined ? provider?.baseUrl : undefined);
  if (spoken === undefined || base === undefined) return undefined;
  return {
    ...protocolOf(spoken),
    ...baseOf(base, spoken.dialect),
    ...(spoken.dialect === OPENAI_CHAT
      ? { responsesPath: baseOf(base, OPENAI_RESPONSES).path }
      : {}),
    servesResponses: entry.base_url === undefined && provider?.servesResponses === true,
  };
}

function protocolOf({ dialect, auth, asksForUsage }: ProviderInterface): ProviderInterface {
  return { dialect, auth, asksForUsage: dialect.asksForUsage && asksForUsage };
}

/** No certificate is asked for by an IP address where there is a name. */
function withHost(base: Place, host: string | undefined): Place {
  const { address, authority } = base;
  if (host === undefined) return { address, authority };
  if (address.kind === "embedded" || isIP(address.host) === 0) return { address, authority: host };
  const serverName = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  return { authority: host, address: { ...address, serverName } };
}

function refuseForEmbedded(reading: Reading, path: Path, entry: Entry): void {
  const keys = [
    "access_key",
    "base_url",
    "provider_interface",
    "http_host",
    "headers",
    "limits",
  ] as const;
  for (const key of keys) {
    if (entry[key] === undefined) continue;
    reading.problem([...path, key], `the demonstration model is built in: it takes no ${key}`, {
      part: "key",
      hint: "leave it out",
    });
  }
}

function checkOwnAddress(
  reading: Reading,
  path: Path,
  provider: Provider,
  chosen: ProviderInterface | undefined,
): void {
  if (provider.baseUrl === undefined) {
    reading.problem(path, `base_url is missing; ${provider.title} has no default address`, {
      hint: "for example base_url: http://localhost:8000/v1",
    });
  } else if (chosen !== undefined && chosen.dialect !== provider.dialect) {
    reading.problem(
      [...path, "provider_interface"],
      `${provider.name} uses another format at its default address`,
      { hint: "remove provider_interface, or set base_url to an address with this format" },
    );
  }
}

function readInterface(
  reading: Reading,
  path: Path,
  word: string | undefined,
): ProviderInterface | undefined {
  if (word === undefined) return undefined;
  const spoken = INTERFACES.get(word);
  // The words of UNSUPPORTED_PROVIDERS are reported by the list of what is not supported yet.
  if (spoken === undefined && !UNSUPPORTED_PROVIDERS.has(word)) {
    const at = [...path, "provider_interface"];
    const nearest = OTHER_NAMES.get(word) ?? suggest(word, INTERFACE_WORDS);
    reading.problem(at, `unknown provider_interface ${reading.show(at, word)}`, {
      hint: suggestion(nearest) ?? `expected one of ${INTERFACE_WORDS.join(", ")}`,
    });
  }
  return spoken;
}

/** What to write for a provider without a row in the table. */
const MISSING = {
  base_url: "base_url: https://…",
  provider_interface: "provider_interface: openai (or anthropic)",
} as const;

function reportUnknown(reading: Reading, path: Path, entry: Entry, name: string): void {
  const missing = (["base_url", "provider_interface"] as const).filter(
    (key) => entry[key] === undefined,
  );
  if (missing.length === 0) return;
  const at = [...path, "model"];
  const unsupported = UNSUPPORTED_PROVIDERS.get(name);
  if (unsupported !== undefined) {
    const { message, hint } = nativeApi(unsupported);
    reading.problem(at, message, { hint });
    return;
  }
  const nearest = OTHER_NAMES.get(name.replaceAll("-", "_")) ?? suggest(name, PROVIDER_NAMES);
  reading.problem(
    at,
    `${showWord(name)} is not a built-in provider, and ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`,
    {
      hint: suggestion(nearest) ?? `add ${missing.map((key) => MISSING[key]).join(" and ")}`,
    },
  );
}
