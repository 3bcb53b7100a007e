// The proxy of providers: `upstream.proxy`, `proxy` of an entry, or HTTPS_PROXY and NO_PROXY.
import { z } from "zod";
import type { Address, DefaultProxy, Proxy } from "../../model/address.ts";
import { parseProxyUrl, throughDefault } from "../../model/proxy.ts";
import type { Environment } from "../report/environment.ts";
import type { Path } from "../report/problem.ts";
import { readKeyReference } from "./provider/access-key.ts";
import type { Reading } from "./reading.ts";
import { list, mapping, text } from "./schema-words.ts";
import type { Draft, Load } from "./section.ts";

type HostAddress = Extract<Address, { kind: "host" }>;

const EXPECTED = "an http:// or https:// URL without a path, or a reference to a variable with one";
const HINT =
  "write url: $PROXY_URL, and put the URL in the environment or in .env as PROXY_URL=http://<user>:<password>@proxy.example.com:3128";
const DEFAULT_PORT = { "http:": 80, "https:": 443 } as const;

const url = text(
  {
    description:
      "URL of the proxy: `http://<host>:<port>`, or `https://…` for TLS to the proxy itself. A URL with a password is always a reference to an environment variable.",
    examples: ["http://proxy.example.com:3128", "$PROXY_URL"],
  },
  EXPECTED,
);

const OR_FALSE = "false, or a mapping with the url of a proxy";

export const defaultProxySchema = z
  .union(
    [
      z.literal(false),
      mapping(
        {
          url,
          no_proxy: list(
            text("A host, a domain, `host:port`, an address or a network."),
            "Hosts that are reached directly. If not set, those of `NO_PROXY`. This machine (`localhost`, `127.0.0.0/8`) and link-local addresses always are.",
          ).optional(),
        },
        "The proxy.",
      ),
    ],
    { error: OR_FALSE },
  )
  .meta({
    description:
      "Proxy for providers with https, and for the gateway's own https requests ([more](proxies.md)). If not set, that of `HTTPS_PROXY`; `false` ignores that variable.",
  });

export const entryProxySchema = (server: string, address: string) =>
  z.union([z.literal(false), mapping({ url }, "The proxy.")], { error: OR_FALSE }).meta({
    description: `\`false\` reaches ${server} directly; a \`url\` sets its own proxy, with any scheme of \`${address}\`. If not set, \`upstream.proxy\`.`,
  });

/** Returns the default proxy of the file, else of the environment. */
export function readDefaultProxy(
  reading: Reading,
  path: Path,
  written: Draft<z.output<typeof defaultProxySchema>> | undefined,
): DefaultProxy | undefined {
  if (written === false) return undefined;
  const { environment } = reading;
  const ofEnvironment = (set(environment, "NO_PROXY")?.value ?? "").split(/[\s,]+/);
  const exceptions = (written?.no_proxy ?? ofEnvironment).flatMap((one) =>
    one === undefined || one === "" ? [] : [one],
  );
  const proxy = written === undefined ? readVariable(reading) : readProxy(reading, path, written);
  return proxy === undefined ? undefined : { proxy, exceptions };
}

/** Gives each target its proxy: that of its entry, else the default one. */
export function applyProxies(load: Load, standard: DefaultProxy | undefined): void {
  for (const { target, proxy } of load.placed) {
    if (target.address.kind !== "host") continue;
    target.address = throughProxy(target.address, proxy, standard);
  }
}

/** Returns an address with its proxy: none if `own` is false, that of its entry, else the default one. */
export function throughProxy(
  address: HostAddress,
  own: Proxy | false | undefined,
  standard: DefaultProxy | undefined,
): HostAddress {
  if (own === false) return address;
  return own === undefined ? throughDefault(address, standard) : { ...address, proxy: own };
}

/** Gives the key sets of issuers the default proxy. */
export function applyToKeySets({ model }: Load, standard: DefaultProxy | undefined): void {
  for (const listener of [model.ingress, model.egress])
    for (const { keySet } of listener?.tokens ?? [])
      if (typeof keySet === "object") keySet.address = throughDefault(keySet.address, standard);
}

/** Returns the proxy of an entry: false for none, undefined for the default one. */
export function readEntryProxy(
  reading: Reading,
  path: Path,
  written: Draft<z.output<ReturnType<typeof entryProxySchema>>> | undefined,
): Proxy | false | undefined {
  return written === undefined || written === false
    ? written
    : readProxy(reading, [...path, "proxy"], written);
}

function readProxy(
  reading: Reading,
  path: Path,
  { url: written }: { url?: string | undefined },
): Proxy | undefined {
  if (written === undefined) return undefined;
  const at = [...path, "url"];
  if (!written.includes("$")) {
    const parsed = parseProxyUrl(written);
    if (parsed === null) reading.problem(at, `expected ${EXPECTED}`, { hint: HINT });
    else if (parsed.username !== "" || parsed.password !== "")
      reading.problem(at, "a URL with credentials is not allowed in the file", { hint: HINT });
    else return proxyOf(parsed);
    return undefined;
  }
  const variable = readKeyReference(reading, at, written, HINT);
  const value = variable === undefined ? "" : (reading.environment[variable] ?? "");
  if (variable === undefined || value === "") return undefined;
  const parsed = parseProxyUrl(value);
  if (parsed !== null) return proxyOf(parsed, variable);
  reading.problem(at, `the value of ${variable} is not the URL of a proxy`, {
    hint: `set ${variable} to a URL such as http://<user>:<password>@proxy.example.com:3128; special characters of the password are written as in a URL, @ as %40`,
  });
  return undefined;
}

function readVariable(reading: Reading): Proxy | undefined {
  const found = set(reading.environment, "HTTPS_PROXY");
  if (found === undefined) return undefined;
  const parsed = parseProxyUrl(found.value);
  if (parsed !== null) return proxyOf(parsed, found.name);
  reading.warning(
    [],
    `${found.name} is not used: it is not the URL of an http:// or https:// proxy`,
    { hint: "correct it, or set upstream: {proxy: false}" },
  );
  return undefined;
}

/** Returns a variable and its value, by a name in either case. */
function set(environment: Environment, name: string): { name: string; value: string } | undefined {
  for (const one of [name, name.toLowerCase()]) {
    const value = environment[one] ?? "";
    if (value !== "") return { name: one, value };
  }
  return undefined;
}

/** @param variable that the URL is the value of */
function proxyOf(url: URL, variable?: string): Proxy {
  const hasCredential = url.username !== "" || url.password !== "";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? DEFAULT_PORT[url.protocol as "http:"] : Number(url.port),
    tls: url.protocol === "https:",
    ...(hasCredential && variable !== undefined ? { credential: variable } : {}),
  };
}
