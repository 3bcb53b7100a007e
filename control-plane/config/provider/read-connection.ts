// Where the requests of one entry go and in which wire format: to the demonstration model, a cloud, or a provider with one API.
import { isIP } from "node:net";
import type { Cloud } from "../../providers/cloud.ts";
import { findCloud, findCloudOfApi, wordsOf } from "../../providers/clouds.ts";
import { INTERFACES } from "../../providers/registry.ts";
import type { Provider } from "../../providers/registry.ts";
import { refuseAddressKeys } from "./address-keys.ts";
import { checkBaseUrl, checkHost } from "./base-url.ts";
import { readCloudConnection } from "./cloud-connection.ts";
import type { Connection } from "./provider-connection.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";
import { protocolOf, readOwnConnection } from "./own-connection.ts";

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
  entry: ProviderDraft,
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
      ? readOwnConnection(reading, path, entry, { name: split?.provider, provider, baseUrl })
      : readCloudConnection(reading, path, entry, cloud, { ...split, baseUrl });
  return connection === undefined ? undefined : { ...connection, ...withHost(connection, host) };
}

/** Returns the cloud of an entry: by its provider's name, or by its interface. */
export function cloudOf(
  { provider_interface: word, base_url: baseUrl }: ProviderDraft,
  name: string | undefined,
): Cloud | undefined {
  const own = findCloud(name);
  if (own === undefined)
    return findCloud(word) ?? (INTERFACES.has(word ?? "") ? undefined : findCloudOfApi(word));
  // Behind a gateway of the user's there can be another format.
  const isOther = word !== undefined && word !== name && !wordsOf(own).includes(word);
  return isOther && baseUrl !== undefined && INTERFACES.has(word) ? undefined : own;
}

/** No certificate is asked for by an IP address where there is a name. */
function withHost(base: Place, host: string | undefined): Place {
  const { address, authority } = base;
  if (host === undefined) return { address, authority };
  if (address.kind === "embedded" || isIP(address.host) === 0) return { address, authority: host };
  const serverName = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  return { authority: host, address: { ...address, serverName } };
}

function refuseForEmbedded(reading: Reading, path: Path, entry: ProviderDraft): void {
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
