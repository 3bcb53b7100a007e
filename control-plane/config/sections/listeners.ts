// The two listeners, from the mapping or the list form, with their defaults and without collisions.
import { isIP } from "node:net";
import { z } from "zod";
import type { Listener } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import { pathText } from "../../report/problem.ts";
import { suggest } from "../../report/suggest.ts";
import { apiKeysSchema } from "../listener/api-key-schema.ts";
import type { ApiKeyDrafts } from "../listener/api-key-schema.ts";
import { readApiKeys } from "../listener/listener-api-keys.ts";
import type { KeysRead } from "../listener/listener-api-keys.ts";
import { LOGIN_ISSUER, LOGIN_TOKENS } from "../../../model/login.ts";
import { readTokenIssuers, tokenIssuersSchema } from "../listener/token-issuers.ts";
import type { TokenIssuersDraft } from "../listener/token-issuers.ts";
import { readListenerTls } from "../listener/certificate-files.ts";
import { parseDuration } from "../quantity.ts";
import type { Reading } from "../reading.ts";
import { duration, flag, list, mapping, oneOf, text, whole } from "../schema-words.ts";
import { type Draft, type Slice, section } from "../section.ts";

const LISTENER_KEYS = {
  type: oneOf(
    ["ingress", "egress", "prompt", "model"],
    "`ingress` accepts prompts, `egress` calls models. `prompt` and `model` are synonyms. Without it the name decides (`ingress`, `my_egress`), then the port (10000 or 12000).",
  ).optional(),
  address: text(
    {
      description:
        "IP address to listen on: `0.0.0.0` is every interface, `127.0.0.1` this machine only. In the container image the default is `0.0.0.0` (variable `GATEWAY_DEFAULT_ADDRESS`).",
      default: "127.0.0.1",
    },
    "an IP address such as 0.0.0.0 or 127.0.0.1",
  ).optional(),
  port: whole(
    1,
    65535,
    "Port to listen on. Default: 10000 for ingress, 12000 for egress.",
    "port number",
  ).optional(),
  message_format: text({
    description:
      "Wire format of the listener: `openai` (chat completions). Egress also serves the messages format, at `/v1/messages`.",
    default: "openai",
  }).optional(),
  timeout: duration({
    description:
      "Maximum time for a complete response. For a stream: maximum time to the first byte and between two bytes, so a healthy stream is never cut.",
    default: "30s",
  }).optional(),
  api_keys: apiKeysSchema.optional(),
  jwt: tokenIssuersSchema.optional(),
  requires_key: flag(
    "`false`: clients need no key here, although `keys` is configured. Default: they need one if `keys` or `api_keys` is set.",
  ).optional(),
  tls: mapping(
    {
      certificate: text(
        {
          description:
            "PEM file of the server's certificate, followed by its intermediate certificates. A path relative to the configuration file, or absolute.",
          examples: ["tls/tls.crt"],
        },
        "the path of a PEM file",
      ),
      key: text(
        { description: "PEM file of the certificate's private key.", examples: ["tls/tls.key"] },
        "the path of a PEM file",
      ),
    },
    "TLS for clients, 1.2 at least, HTTP/2 and HTTP/1.1. Replaced files are loaded while the gateway runs.",
  ).optional(),
};

const LISTENERS = "a mapping from names to listeners, or a list of listeners";

const listenersByName = z
  .record(z.string(), mapping(LISTENER_KEYS, "One listener."), { error: LISTENERS })
  .meta({
    description: "Listeners by name: `ingress`, `egress`, or any name with a `type`.",
  });

const listenersAsList = list(
  mapping(
    {
      name: text("Name of the listener, for people.").optional(),
      ...LISTENER_KEYS,
    },
    "One listener.",
  ),
  "Listeners as a list, in place of the mapping.",
);

const schema = z.union([listenersByName, listenersAsList], { error: LISTENERS }).meta({
  description:
    "Where clients connect. A listener that is not configured has its defaults: ingress on port 10000, egress on port 12000.",
});

const KIND_NAMES = ["ingress", "egress"] as const;
const DEFAULT_PORT = { ingress: 10000, egress: 12000 } as const;
const DEFAULT_ADDRESS = "127.0.0.1";
const DEFAULT_TIMEOUT_MS = 30_000;

type Kind = Listener["name"];

interface Entry {
  kind: Kind;
  /** As the user calls it. */
  title: string;
  path: Path;
  settings: Settings;
}

interface Settings {
  name?: string | undefined;
  type?: keyof typeof KINDS | undefined;
  address?: string | undefined;
  port?: number | undefined;
  timeout?: string | undefined;
  api_keys?: ApiKeyDrafts | undefined;
  jwt?: TokenIssuersDraft | undefined;
  requires_key?: boolean | undefined;
  tls?: { certificate?: string | undefined; key?: string | undefined } | undefined;
}

/** Which clients there are beside those of the listeners' own keys and issuers. */
interface ClientKinds {
  hasRuntimeKeys: boolean;
  hasLogin: boolean;
}

const KINDS = {
  ingress: "ingress",
  egress: "egress",
  prompt: "ingress",
  model: "egress",
} as const satisfies Record<string, Kind>;

export type ListenersDraft = Draft<z.output<typeof schema>>;

export const listeners = section({
  key: "listeners",
  schema,
  read({ reading, has }, written) {
    const clients = { hasRuntimeKeys: has("keys"), hasLogin: has("claude_code") };
    return readListeners(reading, written, clients);
  },
});

function readListeners(
  reading: Reading,
  listeners: ListenersDraft | undefined,
  clients: ClientKinds,
): Slice {
  const entries = entriesOf(reading, listeners);
  const keys: KeysRead = { rateLimits: [], budgets: [], variables: new Map(), places: new Map() };
  const ingress = readListener(reading, "ingress", entries, keys, clients);
  const egress = readListener(reading, "egress", entries, keys, clients);
  refuseSharedPort(reading, entries, ingress, egress);
  if (clients.hasLogin) egress.tokens = [...(egress.tokens ?? []), LOGIN_TOKENS];
  const { rateLimits, budgets } = keys;
  return {
    ingress,
    egress,
    ...(rateLimits.length === 0 ? {} : { rateLimits }),
    ...(budgets.length === 0 ? {} : { budgets }),
  };
}

function entriesOf(reading: Reading, listeners: ListenersDraft | undefined): Entry[] {
  if (listeners === undefined) return [];
  const all: [string | number, Settings | undefined][] = Array.isArray(listeners)
    ? [...listeners.entries()]
    : Object.entries(listeners);
  return all.flatMap(([key, settings]): Entry[] => {
    if (settings === undefined) return [];
    const path = ["listeners", key];
    const name = typeof key === "string" ? key : settings.name;
    const kind = kindOf(name, settings);
    const title = name ?? kind ?? pathText(path);
    if (kind !== undefined) return [{ kind, title, path, settings }];
    // An invalid type has a problem already.
    if (!Object.hasOwn(settings, "type")) reportUnknownKind(reading, path, name);
    return [];
  });
}

/** By type, else by name, else by port. */
function kindOf(name: string | undefined, { type, port }: Settings): Kind | undefined {
  if (type !== undefined) return KINDS[type];
  const [, word] = /(?:^|[^a-z])(ingress|egress)(?![a-z])/.exec(name ?? "") ?? [];
  if (word !== undefined) return word as Kind;
  return KIND_NAMES.find((kind) => DEFAULT_PORT[kind] === port);
}

function reportUnknownKind(reading: Reading, path: Path, name = ""): void {
  const nearest = suggest(name, KIND_NAMES);
  const add = "type: egress (calls models) or type: ingress (accepts prompts)";
  reading.problem(path, "neither the name nor the port identifies the listener", {
    part: "key",
    hint: nearest === undefined ? `add ${add}` : `did you mean ${nearest}? Otherwise add ${add}`,
  });
}

function readListener(
  reading: Reading,
  kind: Kind,
  entries: Entry[],
  keys: KeysRead,
  { hasRuntimeKeys, hasLogin }: ClientKinds,
): Listener {
  const [entry, second] = entries.filter((candidate) => candidate.kind === kind);
  if (second !== undefined) refuseSecond(reading, entry, second);
  const { defaultAddress = DEFAULT_ADDRESS } = reading.machine ?? {};
  const { address = defaultAddress, port = DEFAULT_PORT[kind], timeout } = entry?.settings ?? {};
  if (entry !== undefined && isIP(address) === 0) {
    reading.problem(
      [...entry.path, "address"],
      `expected an IP address, not ${reading.show([...entry.path, "address"], address)}`,
      { hint: addressHint(address) },
    );
  }
  const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(timeout);
  const tls = entry && readListenerTls(reading, entry.path, entry.settings.tls);
  const { api_keys: written, requires_key: requiresKey } = entry?.settings ?? {};
  if (entry !== undefined) checkRequiresKey(reading, entry, hasRuntimeKeys);
  const apiKeys = entry && readApiKeys(reading, entry.path, written, keys);
  const loginIssuer = hasLogin && kind === "egress" ? LOGIN_ISSUER : undefined;
  const tokens = entry && readTokenIssuers(reading, entry.path, entry.settings.jwt, loginIssuer);
  const place = entry === undefined ? undefined : pathText(entry.path);
  return {
    name: kind,
    ...(place === undefined || place === `listeners.${kind}` ? {} : { place }),
    address,
    port,
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...(apiKeys === undefined ? {} : { apiKeys }),
    ...(hasRuntimeKeys && requiresKey !== false ? { acceptsRuntimeKeys: true as const } : {}),
    ...(tokens === undefined ? {} : { tokens }),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Reports a value that contradicts the keys of the listener. */
function checkRequiresKey(reading: Reading, { path, settings }: Entry, hasRuntimeKeys: boolean) {
  const { api_keys: keys, requires_key: requiresKey } = settings;
  const at = [...path, "requires_key"];
  if (requiresKey === false && keys !== undefined)
    reading.problem(at, "the listener has api_keys, so clients need one of them", {
      hint: "remove requires_key, or api_keys",
    });
  if (requiresKey === true && keys === undefined && !hasRuntimeKeys)
    reading.problem(at, "there are no keys that a client could send", {
      hint: "add keys: {} to create keys with gateway keys create, or api_keys",
    });
}

function refuseSecond(reading: Reading, first: Entry | undefined, second: Entry): void {
  const { line } = reading.document.place(first?.path ?? []);
  reading.problem(second.path, `a second ${second.kind} listener; there can be one`, {
    part: "key",
    hint: `the first one is in line ${line}`,
  });
}

function refuseSharedPort(
  reading: Reading,
  entries: readonly Entry[],
  ingress: Listener,
  egress: Listener,
): void {
  // What stands in the place of a port with a problem is nobody's choice.
  const isUnread = entries.some(
    ({ settings }) => Object.hasOwn(settings, "port") && settings.port === undefined,
  );
  if (isUnread || ingress.port !== egress.port || !overlap(ingress.address, egress.address)) return;
  const both = [ingress, egress].map(({ name }) => entries.find(({ kind }) => kind === name));
  const own = both.filter((entry) => entry?.settings.port !== undefined).at(-1);
  const titles = both.map((entry, index) =>
    entry?.settings.port === undefined
      ? `${entry?.title ?? KIND_NAMES[index] ?? ""} (by default)`
      : entry.title,
  );
  reading.problem(
    own === undefined ? [] : [...own.path, "port"],
    `port ${egress.port} is used by both listeners, ${titles.join(" and ")}`,
    { hint: "use different ports" },
  );
}

function addressHint(address: string): string {
  if (address === "localhost") return "write 127.0.0.1";
  if (/:\d+$/.test(address)) return "use the key port";
  return `write "0.0.0.0" for every interface, "127.0.0.1" for this machine only`;
}

function overlap(one: string, other: string): boolean {
  const isWildcard = (address: string): boolean => address === "0.0.0.0" || address === "::";
  return one === other || isWildcard(one) || isWildcard(other);
}
